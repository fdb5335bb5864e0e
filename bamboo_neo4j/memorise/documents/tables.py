"""CSV and TSV to text: one line a row, each value behind the name of its column."""

from __future__ import annotations

import csv
from collections import Counter
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bamboo_neo4j.memorise.documents.source import Limits

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 16_384


def table(text: str, shown: str, *, limits: Limits, tabs: bool = False) -> str:
    """Return a line `column: value; column: value` for each row of `text`; empty cells are left out.

    The delimiter is the one that gives the most even columns (csv.Sniffer is misled by prose in cells); the
    first row names the columns unless one of its cells is empty, a number or repeated.
    Raises InputError for a row that is no CSV and above `limits.cells` and `limits.cell`.
    """
    delimiter = "\t" if tabs else _delimiter(text[:_SAMPLE])
    rows = _rows(text, delimiter, shown, limits=limits)
    first = next(rows, [])
    if _is_header(first):
        return "\n".join(line for row in rows if (line := _line(row, first))) or _line(first, [])
    return "\n".join(line for row in (first, *rows) if (line := _line(row, [])))


def _rows(text: str, delimiter: str, shown: str, *, limits: Limits) -> Iterator[list[str]]:
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    cells = 0
    try:
        for row in reader:
            cells += len(row)
            if cells > limits.cells:
                raise InputError(
                    f"{shown}: has more than the limit of {limits.cells:,} cells", hint="split it"
                )
            if any(len(cell) > limits.cell for cell in row):
                raise _large_cell(shown, reader.line_num, limits)
            yield [" ".join(cell.split()) for cell in row]
    except csv.Error as error:
        if "field limit" in str(error):
            raise _large_cell(shown, reader.line_num, limits) from error
        raise InputError(
            f"{shown}: line {reader.line_num} is no CSV ({error})", hint="save it again as CSV, or as .txt"
        ) from error


def _large_cell(shown: str, line: int, limits: Limits) -> InputError:
    return InputError(
        f"{shown}: line {line} has a cell above the limit of {limits.cell:,} characters",
        hint="look for a quotation mark that is not closed, or save it as .txt",
    )


def _delimiter(sample: str) -> str:
    """Return the delimiter with the most rows of equal length above one, the earlier at a tie."""
    return max(_DELIMITERS, key=lambda delimiter: _evenness(sample, delimiter))


def _evenness(sample: str, delimiter: str) -> tuple[float, int]:
    try:
        lengths = [len(row) for row in csv.reader(sample.splitlines()[:100], delimiter=delimiter) if row]
    except csv.Error:
        return 0.0, 0
    common = Counter(length for length in lengths if length > 1).most_common(1)
    if not common:
        return 0.0, 0
    columns, rows = common[0]
    return round(rows / len(lengths), 1), columns


def _is_header(row: list[str]) -> bool:
    return bool(row) and all(row) and len(set(row)) == len(row) and not any(map(_is_number, row))


def _is_number(cell: str) -> bool:
    return cell.lstrip("+-").replace(".", "", 1).replace(",", "").isdigit()


def _line(row: list[str], names: list[str]) -> str:
    labels = [*(f"{name}: " for name in names), *[""] * max(0, len(row) - len(names))]
    return "; ".join(label + cell for label, cell in zip(labels, row, strict=False) if cell)
