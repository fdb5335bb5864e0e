"""Data sets: passages and questions with gold, read from files of JSON lines and pooled into one corpus.

A line is one of three things, told apart by its keys:

- a question that brings its passages: `question` and `paragraphs`, each with `title`, `text` and
  `is_supporting`;
- a passage: `text`, with `title` and `id` where they are known;
- a question about passages of other lines: `question` and `evidence`, a list of passage ids.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.files import require_file
from bamboo_neo4j.strict_json import NotJson, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FORMATS = (
    "a line is a question with paragraphs, a passage with text, or a question with evidence; "
    "docs/evaluation.md shows all three"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A unit of retrieval; `id` is the file's own or a digest of title and text."""

    id: str
    title: str
    text: str

    @property
    def content(self) -> str:
        """What is searched: title and text, a line each; the text alone where there is no title."""
        return f"{self.title}\n{self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the passages that hold its answer, and the answers that count as right.

    `gold` is empty where nothing holds the answer; such a question cannot be scored for retrieval.
    `kinds` are the groups it belongs to: the set's own class and the number of reasoning steps.
    `answerable` is False where the passages do not hold the answer, so that abstaining is right.
    """

    id: str
    text: str
    gold: frozenset[str]
    answers: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    answerable: bool = True


@dataclass(frozen=True, slots=True)
class Dataset:
    """One pool of passages and the questions asked of it, in the order of the files."""

    passages: tuple[Passage, ...]
    questions: tuple[Question, ...]

    @property
    def scored(self) -> tuple[Question, ...]:
        """The questions with gold passages: those that retrieval is measured on."""
        return tuple(question for question in self.questions if question.gold)

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that answers are measured on: with a right answer, or none in the passages."""
        return tuple(question for question in self.questions if question.answers or not question.answerable)

    @property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that name this corpus: same passages, same digest, in any order."""
        lines = sorted(json.dumps([each.id, each.title, each.text]) for each in self.passages)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def read_dataset(paths: Iterable[str | Path], *, unanswerable: Iterable[str | Path] = ()) -> Dataset:
    """Pool the files `paths` and `unanswerable` into one data set; `.gz` or not is told from the content.

    The questions of `unanswerable` count as not answerable, whatever their lines say.
    Passages with the same title and text become one, questions that repeat in every respect too.
    Raises InputError, with file and line, for a file that cannot be read, a line in none of the formats,
    an id given to two different passages, evidence that is in no file, and files without a question.
    """
    pool = _Pool()
    for path in map(Path, paths):
        for place, row in _rows(path):
            pool.take(row, place)
    for path in map(Path, unanswerable):
        for place, row in _rows(path):
            pool.take(row | {"answerable": False}, place)
    return pool.dataset()


@dataclass(frozen=True, slots=True)
class _Place:
    path: Path
    line: int

    def fault(self, reason: str) -> InputError:
        return InputError(f"{str(self.path)!r}, line {self.line}: {reason}", hint=_FORMATS)


@dataclass(slots=True)
class _Pool:
    """What was read so far; `names` maps every id of a file to the pooled passage."""

    passages: dict[tuple[str, str], Passage] = field(default_factory=dict)
    names: dict[str, Passage] = field(default_factory=dict)
    questions: list[tuple[_Place, Question]] = field(default_factory=list)

    def take(self, row: dict[str, object], place: _Place) -> None:
        if "paragraphs" in row:
            self._take_question(row, place, gold=self._paragraphs(row, place))
        elif "question" in row:
            self._take_question(row, place, gold=_strings(row, "evidence", place))
        else:
            self._add(row, place)

    def _add(self, row: dict[str, object], place: _Place) -> str:
        title, text = _string(row, "title", place, default=""), _string(row, "text", place)
        name = _string(row, "id", place, default="") or _passage_id(title, text)
        passage = self.passages.get((title, text)) or Passage(name, title, text)
        if self.names.setdefault(name, passage) != passage:
            raise place.fault(f"the id {name!r} belongs to another passage already")
        self.passages[title, text] = passage
        return passage.id

    def _paragraphs(self, row: dict[str, object], place: _Place) -> list[str]:
        paragraphs, gold = row["paragraphs"], []
        if not isinstance(paragraphs, list) or not all(isinstance(each, dict) for each in paragraphs):
            raise place.fault("'paragraphs' is no list of objects")
        for paragraph in paragraphs:
            passage = self._add({key: paragraph.get(key) for key in ("title", "text")}, place)
            if paragraph.get("is_supporting"):
                gold.append(passage)
        return gold

    def _take_question(self, row: dict[str, object], place: _Place, *, gold: list[str]) -> None:
        text = _string(row, "question", place)
        answer = _string(row, "answer", place, default="")
        answers = (answer, *_strings(row, "aliases", place, default=[])) if answer else ()
        name = _string(row, "id", place, default="") or f"line {place.line}"
        question = Question(name, text, frozenset(gold), answers, _kinds(row), _answerable(row, gold, place))
        self.questions.append((place, question))

    def dataset(self) -> Dataset:
        """Resolve evidence only now: a file of questions may come before its file of passages."""
        questions = dict.fromkeys(self._resolve(place, question) for place, question in self.questions)
        if not questions or not self.passages:
            missing = "passages" if questions else "questions"
            raise InputError(f"the files hold no {missing}", hint=_FORMATS)
        return Dataset(tuple(self.passages.values()), tuple(questions))

    def _resolve(self, place: _Place, question: Question) -> Question:
        for name in sorted(question.gold):
            if name not in self.names:
                raise place.fault(f"the evidence {name!r} is a passage of none of the files")
        return replace(question, gold=frozenset(self.names[name].id for name in question.gold))


def _rows(path: Path) -> Iterator[tuple[_Place, dict[str, object]]]:
    number = 0
    try:
        for number, line in enumerate(_lines(path), start=1):
            if line.strip():
                yield _Place(path, number), _object(line, _Place(path, number))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _Place(path, number + 1).fault(f"the compressed data is damaged ({error})") from error
    except UnicodeDecodeError as error:
        raise _Place(path, number + 1).fault("not UTF-8") from error
    except OSError as error:
        raise InputError(
            f"{str(path)!r} cannot be read: {error.strerror or error}",
            hint="give files of JSON lines, *.jsonl or *.jsonl.gz",
        ) from error


def _lines(path: Path) -> Iterator[str]:
    require_file(path, "the data set", hint="give files of JSON lines, *.jsonl or *.jsonl.gz")
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    if compressed:
        with gzip.open(path, "rt", encoding="utf-8-sig") as lines:
            yield from lines
    else:
        with path.open(encoding="utf-8-sig") as lines:
            yield from lines


def _object(line: str, place: _Place) -> dict[str, object]:
    try:
        row = parse(line)
    except NotJson as error:
        raise place.fault(str(error)) from None
    if not isinstance(row, dict):
        raise place.fault(f"a JSON {type(row).__name__}, not an object")
    if "text" not in row and "question" not in row:
        raise place.fault("neither 'question' nor 'text' in it")
    return row


def _string(row: dict[str, object], key: str, place: _Place, *, default: str | None = None) -> str:
    value = row.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise place.fault(f"{key!r} is no text" if isinstance(value, str) or key in row else f"no {key!r}")
    return value


def _strings(
    row: dict[str, object], key: str, place: _Place, *, default: list[str] | None = None
) -> list[str]:
    value = row.get(key)
    if value is None and default is not None:
        return default
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise place.fault(f"{key!r} is no list of strings" if key in row else f"no {key!r}")
    return cast("list[str]", value)


def _answerable(row: dict[str, object], gold: list[str], place: _Place) -> bool:
    """What the line says (`answerable`, as MuSiQue has it); else whether any passage holds the answer."""
    value = row.get("answerable", bool(gold))
    if not isinstance(value, bool):
        raise place.fault("'answerable' is neither true nor false")
    return value


def _kinds(row: dict[str, object]) -> tuple[str, ...]:
    kind, hops = row.get("type"), row.get("hops")
    steps = f"{hops} step{'s' if hops != 1 else ''}" if isinstance(hops, int) else ""
    return tuple(each for each in (kind, steps) if isinstance(each, str) and each)


def _passage_id(title: str, text: str) -> str:
    return "p-" + hashlib.sha256(f"{title}\n{text}".encode()).hexdigest()[:20]
