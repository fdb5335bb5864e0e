"""The comparison of an evaluation as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError, MissingExtra
from bamboo_neo4j.evaluate.metrics import DEPTHS

if TYPE_CHECKING:
    from pathlib import Path

    from bamboo_neo4j.evaluate.report import Report

_MEASURES = (*(f"R@{k}" for k in DEPTHS), "All-Recall@5")
# Distinct for readers who do not see red and green apart (Okabe and Ito 2008).
_COLOURS = ("#009E73", "#E69F00", "#0072B2", "#CC79A7")


def draw(report: Report, path: Path) -> None:
    """Draw a bar a method for each measure into the PNG `path`.

    Raises MissingExtra without matplotlib, InputError where the file cannot be written.
    """
    try:
        from matplotlib.figure import Figure  # a Figure of its own opens no window
    except ImportError as error:
        raise MissingExtra("matplotlib", extra="plot", purpose="a picture") from error
    figure = Figure(figsize=(8, 4.5), dpi=150, layout="constrained")
    axes = figure.subplots()
    width = 0.8 / len(report.measured)
    for number, each in enumerate(report.measured):
        shares = [100 * share for share in (*each.scores.recall.values(), each.scores.all_recall)]
        places = [place + (number - (len(report.measured) - 1) / 2) * width for place in range(len(shares))]
        bars = axes.bar(places, shares, width, label=each.method, color=_COLOURS[number % len(_COLOURS)])
        axes.bar_label(bars, fmt="%.0f", fontsize=7, padding=1)
    axes.set_xticks(range(len(_MEASURES)), _MEASURES)
    axes.set(ylim=(0, 105), ylabel="per cent", title=report.caption)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(ncols=len(report.measured), loc="upper center", bbox_to_anchor=(0.5, -0.08), frameon=False)
    try:
        figure.savefig(path, format="png")
    except OSError as error:
        raise InputError(f"{str(path)!r} cannot be written: {error.strerror or error}") from error
