"""The command `bamboo`: its options, its lazy commands, and the one place where errors become exit codes."""

from __future__ import annotations

import io
import json
import logging
import math
import os
import signal
import sys
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from bamboo_neo4j import __version__, terminal
from bamboo_neo4j.cli import INTERRUPTED
from bamboo_neo4j.errors import BambooError, UsageError
from bamboo_neo4j.settings import read_settings, redact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from bamboo_neo4j.memory import Memory
    from bamboo_neo4j.settings import Settings

TERMINATED = 143
FROM_0, FROM_1 = click.IntRange(0, 1_000_000), click.IntRange(1, 1_000_000)
"""What an option takes for how many."""

# command: (module under bamboo_neo4j.cli, attribute, one line of help). Modules are imported when their
# command runs, so that `bamboo --help` stays quick.
COMMANDS = {
    "demo": ("demo", "demo", "A first look: start Neo4j, ingest a sample, recall."),
    "server": ("server", "server", "The managed local Neo4j server."),
    "ingest": ("ingest", "ingest", "Memorise documents."),
    "forget": ("ingest", "forget", "Take documents back."),
    "recall": ("recall", "recall", "Recall chunks and associations for a question."),
    "questions": ("questions", "questions", "Show the questions that were asked, with their mind maps."),
    "reason": ("reason", "reason", "Reason about a question by rules, tables, announcements or a model."),
    "ask": ("ask", "ask", "Answer a question from the memory, with evidence, or not at all."),
    "neighbours": ("recall", "neighbours", "Show the tags that go with a tag."),
    "tags": ("inspect", "tags", "List tags."),
    "facts": ("facts", "facts", "Load stated facts, list them, remove them."),
    "documents": ("inspect", "documents", "List documents."),
    "memories": ("memories", "memories", "List the memories of the database, forget or copy one."),
    "export": ("export", "export_command", "Write the whole memory to a file."),
    "import": ("export", "import_command", "Read a memory from a file."),
    "stats": ("inspect", "stats", "Count what a memory holds."),
    "check": ("inspect", "check", "Prove that every number in the graph is right."),
    "reindex": ("inspect", "reindex", "Index a memory anew for other word rules or another language."),
    "doctor": ("doctor", "doctor", "Show settings, where each came from, and what is reachable."),
    "maintain": ("maintain", "maintain", "Learn from validated reasoning, decay, grow and prune, once."),
    "episodes": ("episodes", "episodes", "See what was learned from which question, and take it back."),
    "schedule": ("schedule", "schedule", "Maintain a memory by the clock, from here or inside Neo4j."),
    "browser": ("browser", "browser", "Print the address of Neo4j Browser."),
    "cypher": ("cypher", "cypher", "List or print the Cypher statements."),
    "eval": ("evaluate", "evaluate", "Measure retrieval and answers on question sets."),
}


@dataclass(slots=True)
class App:
    """What every command gets: the settings and the way to open a memory."""

    settings: Settings

    @property
    def console(self) -> Console:
        """A console on standard error, for everything that is not data."""
        from rich.console import Console

        return Console(stderr=True, highlight=False, markup=False)

    @contextmanager
    def open_memory(self, name: str | None = None) -> Iterator[Memory]:
        """Open the memory of the settings, or another one by name."""
        from bamboo_neo4j.graph.server.progress import by_line
        from bamboo_neo4j.memory import Memory

        name = name or self.settings.memory
        with Memory.open(name, settings=self.settings, starting=by_line(note)) as memory:
            yield memory


class ReaderGone(Exception):
    """The reader of our output has closed its end; click would take a BrokenPipeError for a failure."""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are run."""

    def invoke(self, ctx: click.Context) -> object:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderGone from error

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the commands in the order in which one meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command."""
        if cmd_name not in COMMANDS:
            return None
        module, attribute, _help = COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"bamboo_neo4j.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="bamboo")
@click.option("--memory", metavar="NAME", help="The memory to work on (BAMBOO_MEMORY; default).")
@click.option("--uri", metavar="URI", help="The Neo4j server (NEO4J_URI; else the managed local one).")
@click.option("--username", metavar="USER", help="Its user (NEO4J_USERNAME; neo4j).")
@click.option("--database", metavar="NAME", help="Its database (NEO4J_DATABASE; the server's default).")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")  # for main
@click.option(
    "--trace", is_flag=True, help="Print each statement with parameters, counters and milliseconds."
)
@click.pass_context
def bamboo(context: click.Context, /, *, trace: bool, **flags: str | None) -> None:
    """Keep an associative long-term memory in Neo4j.

    The password is read from NEO4J_PASSWORD. Data goes to standard output, everything else to standard error.
    """
    if trace:
        logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
        logging.getLogger("bamboo_neo4j").setLevel(logging.DEBUG)
    for name, value in flags.items():
        if value == "":  # an unset variable of the shell, as in --uri "$SERVER", must not mean another server
            raise UsageError(f"--{name} is empty", hint="give it a value, or leave it out")
    context.obj = App(read_settings(flags))


def main() -> NoReturn:
    """Run `bamboo`; every error becomes one or two lines and an exit code."""
    _tolerant_streams()
    _end_by_signals()
    debug = "--debug" in sys.argv
    try:
        code = bamboo.main(standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except BambooError as error:
        if debug:
            raise
        note(f"bamboo: {error}")
        sys.exit(error.exit_code)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        note(shown.getvalue().rstrip())
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        note("bamboo: interrupted")
        sys.exit(INTERRUPTED)
    except (ReaderGone, BrokenPipeError):
        # the reader has had enough, as in `| head`; keep Python from flushing into the closed pipe at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if debug:
            raise
        note(f"bamboo: unexpected {type(error).__name__}: {' '.join(redact(str(error)).split())[:300]}")
        note("run it again with --debug for the whole report; the graph is consistent")
        sys.exit(1)
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()


def confirm(question: str) -> None:
    """Ask on the terminal and go on after a yes; raise UsageError where nobody can answer."""
    try:
        click.confirm(question, abort=True, err=True)
    except click.Abort as stop:
        if not isinstance(stop.__context__, EOFError):
            raise
        click.echo(err=True)
        raise UsageError(
            "nobody answered, so nothing was changed", hint="--yes does it without asking"
        ) from None


def note(text: str) -> None:
    """Print a line on standard error, without terminal escape codes from any input."""
    click.echo(clean(text), err=True)


def print_json(data: object) -> None:
    """Print records as JSON on standard output, as `json_text` writes them."""
    click.echo(json_text(data, indent=2))


def json_text(data: object, *, indent: int | None = None) -> str:
    """Return records as JSON: real characters, no NaN; escaped is what could drive a terminal."""
    text = json.dumps(plain(data), ensure_ascii=False, allow_nan=False, indent=indent)
    return terminal.escaped(text)


def plain(value: object) -> Any:  # noqa: ANN401
    """Return `value` in the types of JSON: records as objects, times in ISO 8601, no NaN or infinity."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    # the driver's times have iso_format, Python's have isoformat
    written = getattr(value, "iso_format", getattr(value, "isoformat", None))
    return written() if written else value


def clean(text: str) -> str:
    """Replace what could drive a terminal and comes from documents."""
    return terminal.clean(text)


def _end_by_signals() -> None:
    """Let a request to stop and a closed terminal end a command as Ctrl-C does: cleaning up behind it."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminated)


def _terminated(number: int, _frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # cleaning up is not ended by a second one
    sys.exit(TERMINATED)


def _tolerant_streams() -> None:
    """Never crash on a stream that was closed, nor on a character that the terminal's encoding lacks."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - as the streams
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
