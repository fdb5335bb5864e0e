"""`bamboo reason`: what modules conclude about a question, how it was validated, and what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bamboo_neo4j.cli.app import App, clean, print_json
from bamboo_neo4j.cli.asking import (
    FILE,
    embeddings_option,
    goals_option,
    load_embeddings,
    read_words,
    validators_option,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType
    from rich.table import Table

    from bamboo_neo4j.records import Fact, Judged, Reasoned, Verdict

SHOWN_STEPS = 8
SHOWN_FACTS = 12


@click.command()
@click.argument("question", metavar="QUESTION")
@click.option(
    "--module", "modules", multiple=True, metavar="NAME", help="Run this module; may be given again."
)
@click.option("--rules", type=FILE, metavar="FILE", help="Rules over facts, JSON, for the module rules.")
@click.option("--table", type=FILE, metavar="FILE", help="Numbers in time, CSV, for the module table.")
@click.option(
    "--announcements", type=FILE, metavar="FILE", help="Announcements, JSON, for the module sentiment."
)
@goals_option
@click.option(
    "--gate",
    type=click.Choice(["quality", "paper"]),
    default="quality",
    show_default=True,
    help="quality: logical, grounding and alignment must pass; paper: novelty too.",
)
@validators_option
@click.option("--model", metavar="NAME", help="The model that reasons and judges (BAMBOO_MODEL).")
@embeddings_option
@click.option("--as-of", metavar="DATE", help="Take facts and data as of this day or time (now).")
@click.option("--no-learn", is_flag=True, help="Record no episode: nothing is written.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def reason(
    app: App,
    /,
    *,
    question: str,
    modules: tuple[str, ...],
    no_learn: bool,
    as_json: bool,
    **options: Any,  # noqa: ANN401
) -> None:
    """Reason about a question; - reads it from standard input.

    Without --module, the modules whose description is most like the question run, all at once. The answer is
    validated; if the gate lets it pass, `bamboo maintain` strengthens what it used. The exit code is 3 when
    nothing can be concluded.
    """
    question = read_words(question)
    options["embeddings"] = load_embeddings(options["embeddings"])
    with app.open_memory() as memory:
        found = memory.reason(question, modules=modules, learn=not no_learn, **options)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: Reasoned) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    for part in _report(found):
        console.print(part, soft_wrap=not console.is_terminal and isinstance(part, Text))


def _report(found: Reasoned) -> Iterator[RenderableType]:
    yield _line(found.question, style="bold")
    yield _line(f"as of {found.as_of} · modules by similarity: {_choices(found)}", style="dim")
    for judged in found.conclusions:
        yield _line("")
        yield from _conclusion(judged)
    for silent in found.silent:
        yield _line("")
        yield _line(
            f"{silent.module}: {'nothing' if silent.kind == 'nothing' else 'failed'}: {silent.reason}"
        )
    for disagreement in found.disagreements:
        yield _line("")
        yield _line(f"disagreement: {disagreement.about}", style="bold")
        yield from (_line(f"  {module}: {says}") for module, says in disagreement.sides)
    if found.facts:
        yield _line("")
        yield _line("facts used:")
        yield from (_line(f"  {_fact(fact)}") for fact in found.facts[:SHOWN_FACTS])
        if len(found.facts) > SHOWN_FACTS:
            yield _line(f"  … and {len(found.facts) - SHOWN_FACTS} more (--json)")
    yield _line("")
    yield _scores(found.verdict)
    yield _line(_outcome(found), style="bold")


def _conclusion(judged: Judged) -> Iterator[RenderableType]:
    output, verdict = judged.output, judged.verdict
    passed = "passes" if verdict.passed else "does not pass"
    sure = f"confidence {output.confidence:.2f}, trust {verdict.trust:.2f}, {passed}"
    yield _line(f"{output.module}  ({sure})", style="bold")
    yield _line(f"  {output.conclusion}")
    yield from (_line(f"    – {step}", style="dim") for step in output.path[:SHOWN_STEPS])
    if len(output.path) > SHOWN_STEPS:
        yield _line(f"    … and {len(output.path) - SHOWN_STEPS} more steps (--json)", style="dim")


def _scores(verdict: Verdict) -> Table:
    from rich.table import Table

    table = Table("validator", "score", "reason", box=None, pad_edge=False, title_justify="left")
    for score in verdict.scores:
        value = "failed" if score.value is None else f"{score.value:.2f}"
        table.add_row(score.name, value, _line(score.reason))
    return table


def _outcome(found: Reasoned) -> str:
    verdict = found.verdict
    state = "open" if verdict.passed else f"closed ({'; '.join(verdict.reasons)})"
    if found.episode is None:
        recorded = "nothing recorded"
    else:
        recorded = f"recorded as {found.episode.status}: {found.episode.id}"
    return f"gate {verdict.gate}: {state} · trust {verdict.trust:.2f} · {recorded}"


def _choices(found: Reasoned) -> str:
    return ", ".join(
        f"{choice.module} {choice.score:.2f}{'' if choice.chosen else ' (not run)'}"
        for choice in found.modules
    )


def _fact(fact: Fact) -> str:
    source = f", from {fact.source}" if fact.source else ""
    return f"{fact.stated}  (strength {fact.strength:.2f}{source})"


def _line(text: str, *, style: str = "") -> RenderableType:
    """Return a line without what could drive a terminal; documents and models wrote parts of it."""
    from rich.text import Text

    return Text(clean(" ".join(text.split("\n"))), style=style)
