"""`bamboo server`: the managed local Neo4j."""

from __future__ import annotations

import signal
import sys
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Literal

import click

from bamboo_neo4j.cli.app import App, confirm, note, print_json
from bamboo_neo4j.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.graph.server import LocalServer, RunningServer
    from bamboo_neo4j.graph.server.progress import Progress
    from bamboo_neo4j.graph.server.status import ServerStatus

NOT_RUNNING = 4
MEGABYTE = 1_000_000


@click.group()
def server() -> None:
    """Start, stop and look at the managed local Neo4j.

    It is used when no NEO4J_URI is set. Its data lies in BAMBOO_HOME, its programs in BAMBOO_CACHE; it needs
    no Docker, no Maven and no Java on the PATH, and listens on this machine only.
    """


@server.command()
@click.option("--apoc", type=click.Choice(["core", "extended"]), help="Load APOC too.")
@click.option("--no-auth", is_flag=True, help="Ask for no password: any program here can read and write.")
@click.option("--heap", default="512m", show_default=True, metavar="SIZE", help="The most heap for Java.")
@click.option("--port", default=0, metavar="PORT", help="Bolt port; else the last one used, or a free one.")
@click.option("--http-port", default=0, metavar="PORT", help="The same for Neo4j Browser.")
@click.option("--config", multiple=True, metavar="NAME=VALUE", help="A setting of neo4j.conf; repeatable.")
@click.option("--foreground", is_flag=True, help="Stay, and stop the server with this command.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def start(
    app: App,
    *,
    apoc: Literal["core", "extended"] | None,
    no_auth: bool,
    heap: str,
    port: int,
    http_port: int,
    config: tuple[str, ...],
    foreground: bool,
    as_json: bool,
) -> None:
    """Start the server, or say where it runs already.

    The first start fetches Neo4j (145 MB) from Maven Central, BAMBOO_MAVEN_MIRROR or ~/.m2, and checks it.
    The server goes on when this command ends.
    """
    local = _local(app)
    found = local.running()
    if foreground:
        _end_by_signals()
    with _progress() as progress:
        running = _local(app, progress).start(
            apoc=apoc,
            auth=not no_auth,
            heap=heap,
            bolt_port=port,
            http_port=http_port,
            config={name: value for name, _, value in (line.partition("=") for line in config)},
            attached=foreground,
        )
    with _leaving(local, running) if foreground else nullcontext():
        _announce(local.status(), as_json=as_json)
        _explain(running, found)
        if foreground:
            local.wait()


@server.command()
@click.pass_obj
def stop(app: App) -> None:
    """Stop the server; its data stays."""
    with _progress() as progress:
        stopped = _local(app, progress).stop()
    note("stopped" if stopped else "it was not running")


@server.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def status(context: click.Context, *, as_json: bool) -> None:
    """Show whether it runs, where, since when, and what it takes.

    The exit code is 4 when it does not run or does not answer.
    """
    found = _local(context.obj).status()
    _announce(found, as_json=as_json)
    if not found.answers:
        context.exit(NOT_RUNNING)


@server.command()
@click.pass_obj
def password(app: App) -> None:
    """Print the password of user neo4j; the only command that prints a secret."""
    local = _local(app)
    running = local.running()
    if running and not running.password:
        note("the server runs without a password (--no-auth)")
    elif not local.password:
        raise NotFound("the managed server has no password yet", hint="start it: bamboo server start")
    else:
        click.echo(local.password)


@server.command()
@click.option("-n", "--lines", default=50, show_default=True, metavar="N", help="How many lines.")
@click.pass_obj
def logs(app: App, *, lines: int) -> None:
    """Print the last lines that the server printed since its last start."""
    local = _local(app)
    if text := local.logs(lines):
        click.echo(text)
    note(f"more in {local.places.logs}")


@server.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def reset(app: App, *, yes: bool) -> None:
    """Stop the server and delete its data: every memory in it."""
    local = _local(app)
    if not yes:
        confirm(f"Delete all data in {local.places.data}?")
    local.reset()
    note("stopped, and its data is deleted")


@contextmanager
def _progress() -> Iterator[Progress]:
    """Show a bar on a terminal, else a line at intervals; on standard error."""
    from bamboo_neo4j.graph.server.progress import by_line

    if not sys.stderr.isatty():
        yield by_line(note)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[size]}"))
    console = Console(stderr=True)
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as bars:

        def show(step: str, done: int, total: int) -> None:
            for old in [task.id for task in bars.tasks if task.description != step]:
                bars.remove_task(old)
            size = f"{_megabytes(done)} of {_megabytes(total)}" if total else ""
            task = bars.task_ids[0] if bars.tasks else bars.add_task(step, total=total or None, size=size)
            bars.update(task, completed=done, size=size)

        yield show


def _local(app: App, progress: Progress | None = None) -> LocalServer:
    from bamboo_neo4j.graph.server import LocalServer
    from bamboo_neo4j.graph.server.progress import silent

    return LocalServer(app.settings, progress=progress or silent)


def _end_by_signals() -> None:
    """Let a request to stop and a closed terminal end this command as Ctrl-C does: cleaning up behind it."""
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, lambda *_: sys.exit(0))


@contextmanager
def _leaving(local: LocalServer, started: RunningServer) -> Iterator[None]:
    """Stop the server that this command started when it ends, is interrupted or asked to stop."""
    try:
        yield
    finally:
        local.stop(only=started)


def _announce(found: ServerStatus, *, as_json: bool) -> None:
    """Print the status; never the password."""
    if as_json:
        print_json(found)
    elif not found.running:
        click.echo(f"not running; {_megabytes(found.disk)} of data in {found.data}")
    else:
        for name, value in _rows(found):
            click.echo(f"{name:9} {value}")


def _rows(found: ServerStatus) -> list[tuple[str, str]]:
    minutes, seconds = divmod(found.uptime, 60)
    versions = f"{found.neo4j}, Java {found.java}" + (f", APOC {found.apoc}" if found.apoc else "")
    return [
        ("Neo4j", versions if found.answers else f"{versions}; it does not answer yet"),
        ("Bolt", found.uri),
        ("Browser", found.http or "off"),
        ("login", f"user {found.username}, see bamboo server password" if found.auth else "none needed"),
        ("process", f"{found.pid}, up {minutes // 60}:{minutes % 60:02}:{seconds:02}"),
        ("memory", _megabytes(found.memory)),
        ("data", f"{_megabytes(found.disk)} in {found.data}"),
    ]


def _explain(running: RunningServer, before: RunningServer | None) -> None:
    if before:
        note("it was running already; other options take effect after `bamboo server stop`")
    elif not running.password:
        note("without a password, any program and any web page opened here can read and write the graph")


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:.0f} MB"
