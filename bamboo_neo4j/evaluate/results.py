"""The results of an evaluation as a file of JSON lines that a later run goes on with.

A line is written as soon as its answer is there. A line that was cut off, as by a kill, is passed over and
its question asked again; a line of other settings is kept and not used.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import IO, TYPE_CHECKING, Any, Self

from bamboo_neo4j.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from types import TracebackType


_BEGINNING = '{"key": "'


@dataclass(frozen=True, slots=True)
class Result:
    """What one method answered to one question, and what that cost; "" is an abstention.

    `in_context` says whether a right answer stood in what the model could read, None where there was nothing
    to read. `failed` marks an abstention for want of a usable reply.
    """

    key: str
    question: str
    method: str
    answer: str
    reason: str
    failed: bool
    in_context: bool | None
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


def result_key(question: Mapping[str, object], settings: Mapping[str, object]) -> str:
    """Return the name of a result: the same question and the same settings, the same name."""
    text = json.dumps([question, settings], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


_KINDS = {
    "key": str,
    "question": str,
    "method": str,
    "answer": str,
    "reason": str,
    "failed": bool,
    "in_context": bool | None,
    "calls": int,
    "prompt_tokens": int,
    "completion_tokens": int,
    "seconds": int | float,
}


class Results:
    """Results by key, and verdicts of judges; with a file, all of it is there again next time."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: IO[str] | None = None
        self._results: dict[str, Result] = {}
        self._verdicts: dict[tuple[str, str], bool] = {}

    def __enter__(self) -> Self:
        if self._path is not None:
            self._open(self._path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def __len__(self) -> int:
        return len(self._results)

    def get(self, key: str) -> Result | None:
        """Return the result with this key, if it is there."""
        return self._results.get(key)

    def verdict(self, key: str, judge: str) -> bool | None:
        """Return what `judge` said of the result with this key, if it was asked."""
        return self._verdicts.get((key, judge))

    def add(self, result: Result) -> None:
        """Keep a result."""
        self._results[result.key] = result
        self._write(asdict(result))

    def judged(self, key: str, judge: str, *, right: bool) -> None:
        """Keep what `judge` said of the result with this key."""
        self._verdicts[key, judge] = right
        self._write({"key": key, "judge": judge, "right": right})

    def _open(self, path: Path) -> None:
        try:
            text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            for number, line in enumerate(text.split("\n"), start=1):
                self._take(line, place=f"{str(path)!r}, line {number}")
            self._file = path.open("a", encoding="utf-8")
            if text and not text.endswith("\n"):  # a line that was cut off must not spoil the next one
                self._file.write("\n")
        except OSError as error:
            raise InputError(f"{str(path)!r} cannot be used: {error.strerror or error}") from error

    def _take(self, line: str, *, place: str) -> None:
        if not line.strip():
            return
        try:
            row: dict[str, Any] = json.loads(line)
            if "judge" in row:
                self._verdicts[row["key"], row["judge"]] = {True: True, False: False}[row["right"]]
            else:
                result = _result(row)
                self._results[result.key] = result
        except (ValueError, TypeError, KeyError) as error:
            if isinstance(error, ValueError) and _begins(line):
                return  # it was cut off
            raise InputError(
                f"{place}: no result of an evaluation", hint="give --results a file of its own"
            ) from error

    def _write(self, row: Mapping[str, object]) -> None:
        if self._file is not None:
            self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
            self._file.flush()


def _result(row: Mapping[str, Any]) -> Result:
    """Return the result in a line; raise TypeError where a value is none of its kind."""
    result = Result(**row)
    strange = [name for name, kind in _KINDS.items() if not isinstance(getattr(result, name), kind)]
    if strange:
        raise TypeError(strange[0])
    return result


def _begins(line: str) -> bool:
    """Whether `line` begins as the lines that are written here do, or is a beginning of that."""
    return line.startswith(_BEGINNING) or _BEGINNING.startswith(line)
