"""`bamboo eval plasticity`: the experiments of the Kairos paper, as three tables."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bamboo_neo4j.cli.app import FROM_1, clean, print_json
from bamboo_neo4j.cli.measuring import advance, bars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.cli.app import App
    from bamboo_neo4j.evaluate.plasticity import Case, Cycle, Held, Turn
    from bamboo_neo4j.memory import Memory

QUESTION = 48
"""Characters of a question in a table."""


@click.command("plasticity")
@click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option("--cycles", type=FROM_1, default=12, show_default=True, help="Cycles of the first two tables.")
@click.option(
    "--gate", type=click.Choice(["quality", "paper"]), default="quality", help="Judge by this gate."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def plasticity(app: App, /, folder: Path, cycles: int, gate: str, *, as_json: bool) -> None:
    """Repeat the experiments of the Kairos paper on the case in FOLDER, such as examples/apollo.

    Three tables: strengths while one question is asked in every cycle; trust and confidence of answers with
    learning and without; sound and spoiled answers that pass with each validator left out. No model is
    called. The memories are deleted afterwards. docs/learning.md says how to read them.
    """
    from bamboo_neo4j.evaluate.plasticity import ablations, read_case, strengths, turns

    case = read_case(folder)
    with bars(app) as progress:
        step = advance(progress, "asking", 2 * cycles + 2 * len(case.questions))
        with _stated(app, case) as memory:
            first = strengths(memory, case, cycles=cycles, progress=step)
        with _stated(app, case) as adaptive, _stated(app, case) as frozen:
            second = turns(adaptive, frozen, case, cycles=cycles, progress=step)
            third = ablations(frozen, case, gate=gate, progress=step)  # type: ignore[arg-type]
    if as_json:
        tables = {"strengths": first, "turns": second, "ablations": third}
        rows = {name: [asdict(row) for row in table] for name, table in tables.items()}  # type: ignore[call-overload]
        print_json({"folder": str(folder), "cycles": cycles, "gate": gate, **rows})
    else:
        click.echo("\n\n".join([_strengths(first), _turns(second), _ablations(third)]))


@contextmanager
def _stated(app: App, case: Case) -> Iterator[Memory]:
    """Open a memory of this run only that holds the facts of a case."""
    from bamboo_neo4j.evaluate.plasticity import FILES

    with app.open_memory(f"eval-plasticity-{secrets.token_hex(4)}") as memory:
        try:
            memory.load_facts(case.folder / FILES["facts"])
            yield memory
        finally:
            memory.forget_all()


def _strengths(rows: Sequence[Cycle]) -> str:
    cells = [[str(row.cycle), f"{row.used:.3f}", f"{row.unused:.3f}"] for row in rows]
    return _table("Mean strength of facts after each cycle", ("cycle", "used", "unused"), cells)


def _turns(rows: Sequence[Turn]) -> str:
    headings = ("cycle", "trust adaptive", "frozen", "confidence adaptive", "frozen", "question")
    cells = [
        [
            str(row.cycle),
            f"{row.adaptive_trust:.3f}",
            f"{row.frozen_trust:.3f}",
            f"{row.adaptive_confidence:.3f}",
            f"{row.frozen_confidence:.3f}",
            clean(row.question)[:QUESTION],
        ]
        for row in rows
    ]
    return _table("Answers with learning and without", headings, cells)


def _ablations(rows: Sequence[Held]) -> str:
    cells = [[row.without, str(row.sound), str(row.spoiled), str(row.touched)] for row in rows]
    headings = ("without", "sound pass", "spoiled pass", "facts touched")
    return _table("What validators hold back", headings, cells)


def _table(title: str, headings: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    from bamboo_neo4j.evaluate.report import plain_table

    return f"{title}\n{plain_table(cells, headings)}"
