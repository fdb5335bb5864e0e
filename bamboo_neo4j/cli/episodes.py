"""`bamboo episodes`: what was learned, from which question, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import App, clean, json_text, note, print_json

if TYPE_CHECKING:
    from bamboo_neo4j.learn.comparing import ChangedEdge
    from bamboo_neo4j.learn.effects import Undone
    from bamboo_neo4j.records import EdgeState, Episode, UsedEdge

_CHOICES = click.Choice(["validated", "rejected", "learned", "undone"])


@click.group()
def episodes() -> None:
    """See what was learned from which question, and take it back.

    Each question that is reasoned about is an episode: validated (it waits for `bamboo maintain`), learned,
    rejected (it did not pass the gate), or undone.
    """


@episodes.command("list")
@click.option("--status", type=_CHOICES, help="Those of one status only.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, an episode a line.")
@click.pass_obj
def list_(app: App, *, status: str | None, as_json: bool) -> None:
    """List the episodes in the order in which they were recorded."""
    count = 0
    with app.open_memory() as memory:
        for count, episode in enumerate(memory.episodes(status), 1):  # noqa: B007 - the last one is the sum
            click.echo(json_text(episode) if as_json else clean(_line(episode)))
    if not count:
        note("there are no episodes" + (f" that are {status}" if status else ""))


@episodes.command()
@click.argument("episode_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def show(app: App, *, episode_id: str, as_json: bool) -> None:
    """Show an episode: its scores, its edges before and after, the chunks it used.

    ID may be cut short, as long as only one episode begins so.
    """
    with app.open_memory() as memory:
        episode = memory.episode(episode_id)
    if as_json:
        print_json(episode)
        return
    cycle = "" if episode.cycle is None else f", cycle {episode.cycle}"
    click.echo(f"{episode.id}  {episode.status}{cycle}, {episode.created_at[:19]}")
    click.echo(clean(f"{episode.question}\n{episode.answer}\n"))
    click.echo(
        f"trust {episode.trust:.3f}"
        + (f"  by {clean(', '.join(episode.modules))}" if episode.modules else "")
    )
    for score in episode.scores:
        value = "failed" if score.value is None else f"{score.value:.3f}"
        click.echo(clean(f"  {score.name:9} {value}  {score.reason}"))
    for edge in episode.edges:
        click.echo(clean(f"  {_named(edge)}: {_states(edge)}"))
    for chunk in episode.chunks:
        click.echo(clean(f"  used {chunk}"))


@episodes.command()
@click.argument("since", type=int, metavar="CYCLE")
@click.argument("until", type=int, metavar="CYCLE")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def diff(app: App, *, since: int, until: int, as_json: bool) -> None:
    """Show what changed between two cycles: the strength of each edge at both.

    A cycle is one learned episode; the earlier one comes first. Episodes that were undone are left out.
    """
    with app.open_memory() as memory:
        compared = memory.compare(since, until)
    if as_json:
        print_json(compared)
        return
    for edge in compared.edges:
        click.echo(clean(_change(edge)))
    note(f"{len(compared.episodes)} episodes learned, {len(compared.edges)} edges changed")


@episodes.command()
@click.argument("episode_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def undo(app: App, *, episode_id: str, as_json: bool) -> None:
    """Take back what was learned from an episode.

    Each edge goes back to what it was before, unless something touched it later: that is said and left. The
    memory's cycle is not turned back.
    """
    with app.open_memory() as memory:
        undone = memory.undo(episode_id)
    if as_json:
        print_json(undone)
        return
    for edge in undone.restored:
        click.echo(clean(f"restored {_named(edge)}: {_states(edge)}"))
    for kept in undone.kept:
        click.echo(clean(f"left     {kept.source} – {kept.target}: {kept.reason}"))
    note(_summary(undone))


def _summary(undone: Undone) -> str:
    if not undone.learned:
        return f"undone: {undone.id}; it was waiting, and had changed nothing"
    left = f", {len(undone.kept)} left as they are" if undone.kept else ""
    return f"undone: {undone.id}; {len(undone.restored)} edges restored{left}"


def _line(episode: Episode) -> str:
    cycle = "-" if episode.cycle is None else str(episode.cycle)
    question = " ".join(episode.question.split())
    return f"{episode.id}  {episode.status:9} {cycle:>5}  {episode.trust:.2f}  {question[:80]}"


def _named(edge: UsedEdge) -> str:
    kind = "fact " if edge.fact else ("together " if edge.together else "")
    return f"{kind}{edge.source} – {edge.target}"


def _states(edge: UsedEdge) -> str:
    if edge.after is None:
        return f"share {edge.share:.2f}"
    joint = ""
    if edge.joint_after is not None:
        joint = f", joint uses {edge.joint_before or 0} → {edge.joint_after}"
    return f"{_state(edge.before)} → {_state(edge.after)}{joint}"


def _state(state: EdgeState | None) -> str:
    if state is None or state.strength is None:
        return "never used"
    return f"{state.strength:.4f} (cycle {state.used_cycle}, {state.activations} uses)"


def _change(edge: ChangedEdge) -> str:
    before = "none" if edge.before is None else f"{edge.before:.4f}"
    after = "none" if edge.after is None else f"{edge.after:.4f}"
    uses = f", {len(edge.uses)} uses" if edge.uses else ""
    return f"{before:>6} → {after:6}  {'fact ' if edge.fact else ''}{edge.source} – {edge.target}{uses}"
