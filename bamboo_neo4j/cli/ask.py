"""`bamboo ask`: an answer with its evidence, or why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bamboo_neo4j.cli.app import FROM_0, FROM_1, App, clean, note, print_json
from bamboo_neo4j.cli.asking import (
    embeddings_option,
    goals_option,
    load_embeddings,
    read_words,
    validators_option,
    write_page,
)
from bamboo_neo4j.connect.abridging import abridged
from bamboo_neo4j.errors import LimitReached, NothingRecalled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.reason.asked import Asked, Evidence

SHOWN = 240
"""Characters of a sentence of evidence that are shown; --json shows all."""


@click.command()
@click.argument("question", metavar="QUESTION")
@click.option("--plan", is_flag=True, help="Show the mind map without looking anything up.")
@click.option("--depth", type=FROM_0, default=3, show_default=True, help="Levels below the question.")
@click.option("--no-decompose", is_flag=True, help="Do not take the question apart.")
@click.option("--no-global", is_flag=True, help="Do not use keys that parts of the question share.")
@click.option("--no-verify", is_flag=True, help="Do not have answers checked by the second model.")
@click.option("--as-of", metavar="DATE", help="Take facts as of this day or time (now).")
@goals_option
@click.option(
    "--gate",
    type=click.Choice(["quality", "paper"]),
    default="quality",
    show_default=True,
    help="What an answer must pass to be learned from; see bamboo reason.",
)
@validators_option
@click.option("--no-learn", is_flag=True, help="Record no episode.")
@click.option("--no-store", is_flag=True, help="Do not keep the question in the graph.")
@click.option("--one-lookup", is_flag=True, help="Never look anything up a second time.")
@click.option(
    "--rethink",
    type=click.Choice(["again", "keep"]),
    default="again",
    show_default=True,
    help='An answer found wrong twice: say "I don\'t know", or keep it (as the paper does).',
)
@click.option("--rethinks", type=FROM_0, default=1, show_default=True, help="Times to think an answer over.")
@click.option("--max-nodes", type=FROM_1, default=12, show_default=True, help="Questions of the map.")
@click.option("--max-calls", type=FROM_1, default=60, show_default=True, help="Calls of models.")
@click.option("--max-tokens", type=FROM_1, default=250_000, show_default=True, help="Tokens of all calls.")
@click.option(
    "--max-seconds",
    type=click.FloatRange(0, 86_400, min_open=True),
    default=900,
    show_default=True,
    help="Seconds for the whole answer.",
)
@click.option("--model", metavar="NAME", help="The model that answers (BAMBOO_MODEL).")
@click.option("--verifier", metavar="NAME", help="The model that checks (BAMBOO_VERIFIER_MODEL).")
@embeddings_option
@click.option("--cache", is_flag=True, help="Keep replies on disk, and use those that are there.")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page to FILE too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def ask(app: App, /, *, question: str, html: Path | None, as_json: bool, **options: Any) -> int:  # noqa: ANN401
    """Answer a question from the memory; - reads it from standard input.

    The question is taken apart, looked up once, and answered from its parts up; a second model checks each
    answer. The exit code is 3 when the answer is "I don't know", 5 when a limit was reached, 6 when a model
    failed. Needs a model: see BAMBOO_MODEL in docs/configuration.md.
    """
    question = read_words(question)
    options["embeddings"] = load_embeddings(options["embeddings"])
    for name in ("decompose", "global", "verify", "learn", "store"):
        options["use_global" if name == "global" else name] = not options.pop(f"no_{name}")
    options["second_lookup"] = not options.pop("one_lookup")
    with app.open_memory() as memory:
        asked = memory.ask(question, **options)
    if html is not None:
        from bamboo_neo4j.connect.html import ask_page

        if write_page(ask_page(asked), html):
            return _exit_code(asked)
    if as_json:
        print_json(asked)
    else:
        _print(asked, planned=options["plan"])
    return _exit_code(asked)


def _exit_code(asked: Asked) -> int:
    if not asked.abstained:
        return 0
    return LimitReached.exit_code if asked.limit else NothingRecalled.exit_code


def _print(asked: Asked, *, planned: bool) -> None:
    from bamboo_neo4j.cli.tree import print_tree

    if planned:
        print_tree(asked, evidence=False)
    else:
        for line in _lines(asked):
            click.echo(line)
        if len(asked.map.questions) > 1:
            click.echo()
            print_tree(asked, evidence=False)
    for line in _notes(asked):
        note(line)


def _lines(asked: Asked) -> Iterator[str]:
    """Yield the answer, what it rests on, and what says otherwise."""
    yield clean(asked.answer)
    for one in asked.map.root.evidence if not asked.abstained else ():
        yield _line(one, "  ")
    for one in asked.against:
        yield _line(one, "  says otherwise: ")


def _line(one: Evidence, before: str) -> str:
    place = f"{one.title or one.document}: " if one.document else ""
    text = abridged(one.text, SHOWN)
    return clean(f"{before}[{one.label}] {place}{text}")


def _notes(asked: Asked) -> Iterator[str]:
    if asked.abstained:
        yield f"no answer: {asked.reason}"
    yield from asked.notes
    yield from (f"cut: {cut}" for cut in asked.truncated)
    if asked.unknown:
        yield f"not known: {', '.join(asked.unknown)}"
    if asked.gate is not None:
        why = "" if asked.gate.passed else f": {'; '.join(asked.gate.reasons)}"
        yield f"{'validated' if asked.gate.passed else 'not validated'} (trust {asked.gate.trust:.2f}){why}"
    spent = asked.spent
    cached = f" ({spent.cached} more from the cache)" if spent.cached else ""
    yield (
        f"{spent.calls} calls{cached}, {spent.tokens:,} tokens, {spent.retrievals} look-ups, "
        f"{spent.seconds:.1f} s"
    )
