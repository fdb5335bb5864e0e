"""`bamboo maintain`: what validated reasoning taught goes into the graph, and what is not used fades."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import App, note, print_json

if TYPE_CHECKING:
    from bamboo_neo4j.learn.maintaining import Maintained, Rule


@click.command()
@click.option(
    "--decay",
    type=click.Choice(["used", "all"]),
    help="What decays from now on: what was used, or every edge down to 0.1. As it was if not given.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def maintain(app: App, *, decay: Rule | None, as_json: bool) -> None:
    """Strengthen, decay, grow and prune, once.

    Learns from the episodes that wait, brings the strengths of edges that were not used to the present
    cycle, grows edges between tags used together, and removes grown ones that have faded. It may run often or
    seldom, from cron too, several at once, and be stopped at any point: the graph is the same.
    """
    with app.open_memory() as memory:
        done = memory.maintain(decay=decay)
    if as_json:
        print_json(done)
    else:
        click.echo(sentence(done))
    if done.skipped:
        note(f"{done.skipped} edges or episodes have damaged numbers and were left alone: bamboo check")


def sentence(done: Maintained) -> str:
    """Say what was done in one line."""
    return (
        f"learned from {done.episodes} episodes: {done.strengthened} edges strengthened, "
        f"{done.decayed} decayed, {done.grown} grown, {done.pruned} pruned; "
        f"memory {done.memory!r} is in cycle {done.cycle}"
    )
