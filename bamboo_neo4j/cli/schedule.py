"""`bamboo schedule`: maintenance by the clock, from here or inside Neo4j."""

from __future__ import annotations

import signal
import threading
from datetime import datetime
from typing import TYPE_CHECKING, Self

import click

from bamboo_neo4j.cli.app import App, clean, note, print_json
from bamboo_neo4j.cli.maintain import sentence
from bamboo_neo4j.errors import BambooError

if TYPE_CHECKING:
    from bamboo_neo4j.learn.jobs import Job
    from bamboo_neo4j.memory import Memory


@click.group()
def schedule() -> None:
    """Maintain the memory by the clock: from here (run), or inside Neo4j with APOC (install).

    Both do what `bamboo maintain` does, and give the same graph.
    """


@schedule.command()
@click.option(
    "--cron", default="*/5 * * * *", show_default=True, metavar="TIMES", help="When, as in a crontab."
)
@click.option("--now", is_flag=True, help="Begin with one run at once.")
@click.pass_obj
def run(app: App, *, cron: str, now: bool) -> None:
    """Stay, and maintain the memory at each of the times; end it with Ctrl-C or SIGTERM.

    TIMES has five fields, or six with the seconds first, on the clock of this machine. An error is told and
    the next time is waited for. Ending it in the middle of a run loses nothing.
    """
    from bamboo_neo4j.learn.timetable import Timetable, local_zone

    timetable = Timetable(cron, zone=local_zone())
    with app.open_memory() as memory, _Ending() as ending:
        first = timetable.after(datetime.now(timetable.zone))
        note(f"maintaining {memory.name!r} at {cron!r}, next at {_time(first)}")
        if now:
            _maintain(memory, datetime.now(timetable.zone), ending)
        for moment in timetable.beats(ending.asked):
            _maintain(memory, moment, ending)
    if ending.interrupted:
        raise KeyboardInterrupt


@schedule.command()
@click.option(
    "--every",
    default=5,
    show_default=True,
    type=click.IntRange(1, 86_400),
    metavar="SECONDS",
    help="The pause between two batches of a job.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def install(app: App, *, every: int, as_json: bool) -> None:
    """Let Neo4j maintain the memory by itself; again, to change it or to bring a dead job back.

    It needs APOC: Core runs the statements of cypher/learn as jobs; with Extended they can be called by hand
    too, as custom.bamboo.strengthen, decay, emerge and prune. On the managed server jobs outlive a restart.
    """
    with app.open_memory() as memory:
        jobs = memory.schedule(seconds=every)
        line = memory.line_for_apoc_conf()
    _show(jobs, as_json=as_json)
    if app.settings["uri"]:
        note("to bring the jobs back when that server restarts, give its apoc.conf this line, once:")
        note(line)


@schedule.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_(app: App, *, as_json: bool) -> None:
    """Compare the jobs that are wanted with those that run inside Neo4j.

    A job is running, failing (its last run had an error; it goes on), dead (it does not run), outdated
    (installed by another version), or stray (it runs, but was removed).
    """
    with app.open_memory() as memory:
        jobs = memory.scheduled()
    _show(jobs, as_json=as_json)
    if not jobs:
        note("nothing is scheduled inside Neo4j; bamboo schedule install does that")
    elif any(job.state in {"dead", "outdated"} for job in jobs):
        note("bamboo schedule install brings back what is dead, and renews what is outdated")


@schedule.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def remove(app: App, *, as_json: bool) -> None:
    """Stop the jobs of the memory inside Neo4j; what was learned stays."""
    with app.open_memory() as memory:
        names = memory.unschedule()
    print_json({"memory": memory.name, "removed": names}) if as_json else note(f"removed: {', '.join(names)}")


def _show(jobs: tuple[Job, ...], *, as_json: bool) -> None:
    if as_json:
        print_json(jobs)
        return
    for job in jobs:
        last = f"last run {job.ran_at[:19]}" if job.ran_at else "not run yet"
        trouble = f", {job.failures} failed" if job.failures else ""
        trouble += f": {job.error}" if job.error else ""
        click.echo(clean(f"{job.state:9} {job.name}, each {job.seconds} s, {last}{trouble}"))


class _Ending:
    """Notes a request to end, so that a batch is not cut off in the middle of a reply; a second one cuts."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.interrupted = False

    def __enter__(self) -> Self:
        self._before = {name: signal.signal(name, self._note) for name in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for name, handler in self._before.items():
            signal.signal(name, handler)

    def after_batch(self, _step: str, _edges: int) -> None:
        """End the run if that was asked for: nothing is under way now."""
        if self.asked.is_set():
            raise _Ended

    def _note(self, number: int, _frame: object) -> None:
        if self.asked.is_set():
            raise KeyboardInterrupt
        self.interrupted = number == signal.SIGINT
        self.asked.set()


class _Ended(Exception):
    """A run was ended between two batches; the next one goes on where it was."""


def _maintain(memory: Memory, moment: datetime, ending: _Ending) -> None:
    """Maintain once; whatever goes wrong, the next time may go well."""
    try:
        done = memory.maintain(progress=ending.after_batch)
    except BambooError as error:
        note(f"{_time(moment)} {error.message}; trying again at the next time")
    except _Ended:
        note(f"{_time(moment)} ended between two batches; the next run goes on from there")
    else:
        note(f"{_time(moment)} {sentence(done)}")


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S")
