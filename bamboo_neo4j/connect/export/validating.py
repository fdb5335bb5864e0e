"""Reading a file whole before anything is written: every line, every reference, every number."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING

from bamboo_neo4j.connect.export.agreement import Agreement
from bamboo_neo4j.connect.export.fields import (
    INDEXED_BYTES,
    Fields,
    Wrong,
    checked_key,
    checked_name,
    checked_share,
    checked_whole,
    parse,
)
from bamboo_neo4j.connect.export.files import NOTHING, opened, shown
from bamboo_neo4j.connect.export.form import LEARNED, TYPES, VERSION, Record, chunk_id, chunk_name
from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.difference import words
from bamboo_neo4j.memorise.preparing import digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bamboo_neo4j.connect.export.staging import Stage

MOST_TAGS = 256
"""Tags of a chunk at most: pairs grow by the square."""
KINDS = {"entity", "date", "phrase"}

_GROUPS = {kind: number - (kind not in {"tag", "document"}) for number, kind in enumerate(TYPES)}
_GROUPS["end"] = len(TYPES)
"""Where each type stands: a document and its chunks stand together."""
_EMERGENT = LEARNED.index("emergent")
_REFERENCES = frozenset({"src", "dst", "facts"})
"""Properties of an episode that name tags and facts."""


@dataclass(frozen=True, slots=True)
class Head:
    """The first line of a file, and the digest of all its lines."""

    memory: str
    language: str
    normaliser: str
    created_at: str | None
    cycle: int
    swept: int
    sweeping: int | None
    floor: float | None
    chunks: int
    terms: int
    digest: str = ""


def read_whole(path: str | Path | IO[bytes], stage: Stage, *, memory: str) -> Head:
    """Read and prove a file, and lay what is to be written out on `stage`.

    Raises InputError, which names the line, at the first thing that is wrong.
    """
    state = hashlib.blake2b(digest_size=16)
    number = 1
    checker: _Checker | None = None
    with opened(path) as lines:
        try:
            for number, line in enumerate(lines, 1):  # noqa: B007 - named where a line is wrong
                state.update(line)
                record = parse(line)
                if checker is None:
                    checker = _Checker(_head(record), stage, memory)
                else:
                    checker.take(record)
            return _complete(checker, state.hexdigest())
        except Wrong as error:
            raise InputError(f"{shown(path)}, line {number}: {error}", hint=NOTHING) from None


def _complete(checker: _Checker | None, content: str) -> Head:
    if checker is None or not checker.ended:
        raise Wrong("the file is cut off: its last line is not there")
    return checker.head(content)


def _head(record: Record) -> Head:
    if record.pop("bamboo", None) != "export":
        raise Wrong("not an export of bamboo")
    version = record.pop("version", None)
    if version != VERSION or isinstance(version, bool):
        raise Wrong(f"version {version!r:.60} of the form, this program reads {VERSION}")
    fields = Fields(record)
    head = Head(
        memory=fields.text("memory", most=64),
        language=fields.text("language", most=64),
        normaliser=fields.text("normaliser", most=64),
        created_at=fields.moment_or_none("createdAt"),
        cycle=fields.whole("cycle"),
        swept=fields.whole("swept"),
        sweeping=fields.whole_or_none("sweeping"),
        floor=fields.share_or_none("floor"),
        chunks=fields.whole("chunks"),
        terms=fields.whole("terms"),
    )
    fields.done()
    return head


@dataclass(slots=True)
class _Open:
    """The document whose chunks are being read."""

    id: str = ""
    whole: bool = False
    chunks: int = 0
    ordinal: int = -1
    seen: Counter[str] = field(default_factory=Counter)


class _Checker:
    """Takes the records of a file one by one; `ended` once the last one has come."""

    def __init__(self, head: Head, stage: Stage, memory: str) -> None:
        self._head = head
        self._stage = stage
        self._memory = memory
        self._agreement = Agreement()
        self._counts: Counter[str] = Counter()
        self._group = 0
        self._last: tuple[str, ...] = ()
        self._document = _Open()
        self.ended = False
        self._takers: dict[str, Callable[[Fields], None]] = {
            "tag": self._tag,
            "document": self._document_line,
            "chunk": self._chunk,
            "word": self._word,
            "edge": self._edge,
            "fact": self._fact,
            "coactivation": self._coactivation,
            "episode": self._episode,
            "mindmap": self._mind_map,
            "end": self._end,
        }

    def head(self, content: str) -> Head:
        """Return the first line with the digest of the whole."""
        names = Head.__dataclass_fields__
        return Head(**{name: getattr(self._head, name) for name in names if name != "digest"}, digest=content)

    def take(self, record: Record) -> None:
        """Check one record and keep it; raises Wrong."""
        if self.ended:
            raise Wrong("something after the last line")
        kind = record.pop("type", None)
        if not isinstance(kind, str) or kind not in self._takers:
            raise Wrong(f"unknown type of record {kind!r:.60}")
        self._in_place(kind)
        fields = Fields(record)
        self._takers[kind](fields)
        fields.done()
        self._counts[kind] += 1

    def _in_place(self, kind: str) -> None:
        group = _GROUPS[kind]
        if group < self._group:
            raise Wrong(f"a record of type {kind!r} out of place: the order is {', '.join(TYPES)}")
        if group > self._group:
            self._close_document()
            self._last = ()
        self._group = group

    def _ascending(self, *name: str) -> None:
        if self._last and name <= self._last:
            again = "twice" if name == self._last else "out of order"
            raise Wrong(f"{' – '.join(name)!r:.200} {again}")
        self._last = name

    def _tag(self, fields: Fields) -> None:
        key = fields.key("key")
        self._ascending(key)
        self._stage.add_tag(key, fields.key("name"), fields.key("display"))

    def _document_line(self, fields: Fields) -> None:
        self._close_document()
        body = {
            "id": fields.text("id", most=INDEXED_BYTES - len(self._memory)),
            "uri": fields.text("uri"),
            "title": fields.text("title"),
            "mediaType": fields.text("mediaType"),
            "contentHash": fields.text_or_none("contentHash"),
            "tagger": fields.text("tagger"),
            "unfinished": fields.text_or_none("unfinished"),
            "ingestedAt": fields.moment_or_none("ingestedAt"),
        }
        if not body["id"]:
            raise Wrong("'id' is empty")
        self._ascending(str(body["id"]))
        self._document = _Open(str(body["id"]), whole=body["contentHash"] is not None)
        self._stage.add_document(body)

    def _close_document(self) -> None:
        if self._document.whole and not self._document.chunks:
            raise Wrong(f"the document {self._document.id!r:.200} has no chunk and is not unfinished")

    def _chunk(self, fields: Fields) -> None:
        document = self._document
        if not document.id or fields.text("document") != document.id:
            raise Wrong("a chunk of another document than the one before it")
        name, text = fields.name(), fields.text("text")
        same = digest(text)
        number = document.seen[same]
        document.seen[same] += 1
        if name != chunk_name(document.id, text, number):
            raise Wrong(f"the id {name!r} is not that of this text in this document")
        ordinal = fields.whole("ordinal")
        if ordinal != document.chunks if document.whole else ordinal < document.ordinal:
            raise Wrong(f"chunk {ordinal} of {document.id!r:.200} out of place")
        document.ordinal = ordinal
        document.chunks += 1
        body = {"id": name, "ordinal": ordinal, "text": text, **self._counted(fields)}
        self._stage.add_chunk(body, chunk_id=chunk_id(self._memory, document.id, text=text, number=number))

    def _counted(self, fields: Fields) -> Record:
        terms, length = fields.text("terms"), fields.whole("length")
        found = list(words(terms))
        if len(found) != length:
            raise Wrong(f"'length' is {length}, there are {len(found)} terms")
        different = {checked_key(term, "terms") for term in found}
        tags = self._tags(fields.items("tags"))
        keys = [str(tag["key"]) for tag in tags]
        self._agreement.chunk(tags=keys, terms=different, length=length)
        return {"tokens": fields.whole("tokens"), "terms": terms, "length": length, "tags": tags}

    def _tags(self, given: list[object]) -> list[Record]:
        if len(given) > MOST_TAGS:
            raise Wrong(f"{len(given)} tags, {MOST_TAGS} are allowed")
        tags, last = [], ""
        for entry in given:
            if not isinstance(entry, dict):
                raise Wrong("a tag of a chunk is no object")
            fields = Fields(entry)
            salience = checked_share(fields.any("salience"), "salience")
            tag: Record = {"key": fields.key("key"), "kind": fields.text("kind"), "salience": salience}
            tag["about"] = fields.any("about")
            fields.done()
            if tag["kind"] not in KINDS or not isinstance(tag["about"], bool):
                raise Wrong(f"'kind' is none of {', '.join(sorted(KINDS))}, or 'about' no truth value")
            if tag["key"] <= last:
                raise Wrong(f"the tag {tag['key']!r} twice or out of order")
            last = self._known(tag["key"])
            tags.append(tag)
        return tags

    def _known(self, key: str) -> str:
        if self._stage.tag(key) is None:
            raise Wrong(f"no tag has the key {key!r:.200}")
        return key

    def _word(self, fields: Fields) -> None:
        name = fields.key("name")
        self._ascending(name)
        self._agreement.word(name, fields.whole("df", least=1))

    def _edge(self, fields: Fields) -> None:
        first, second = fields.pair()
        self._ascending(first, second)
        weight = fields.whole("weight")
        learned = self._learned(fields) if fields.left else [None] * len(LEARNED)
        if not weight and not learned[_EMERGENT]:
            raise Wrong(f"the edge {first} – {second} has no weight and is not emergent")
        self._agreement.edge(self._known(first), self._known(second), weight=weight)
        if any(value is not None for value in learned):
            self._stage.add({"type": "edge", "tags": [first, second], "learned": learned})

    def _learned(self, fields: Fields) -> list[object]:
        """Take what was learned on an edge, in the order of LEARNED."""
        strengths = [fields.share_or_none("strength"), fields.share_or_none("usedStrength")]
        cycle = fields.whole_or_none("usedCycle", least=-(2**62))
        return [*strengths, cycle, fields.whole_or_none("activations"), fields.flag_or_none("emergent")]

    def _fact(self, fields: Fields) -> None:
        body = {"type": "fact", "id": fields.name()}
        self._ascending(body["id"])
        body |= {"subject": self._known(fields.key("subject")), "object": self._known(fields.key("object"))}
        self._stage.add({**body, "properties": _stated(fields.properties())})

    def _coactivation(self, fields: Fields) -> None:
        first, second = fields.pair()
        self._ascending(first, second)
        body = {"tags": [self._known(first), self._known(second)], "count": fields.whole("count", least=1)}
        strength = fields.share_or_none("usedStrength")
        cycle = fields.whole_or_none("usedCycle", least=-(2**62))
        pending = [strength, cycle, fields.whole_or_none("activations")]
        if len({value is None for value in pending}) > 1:
            raise Wrong("of usedStrength, usedCycle and activations some are missing")
        self._stage.add({"type": "coactivation", **body, "pending": pending})

    def _episode(self, fields: Fields) -> None:
        name = fields.name()
        self._ascending(name)
        properties = fields.properties(lists=_REFERENCES)
        for end in ("src", "dst"):
            for key in properties.get(end, ()):
                if key is not None:
                    self._known(key)
        for fact in properties.get("facts", ()):
            checked_name(fact, "facts")
        body = {"id": name, "properties": properties, "chunks": self._chunk_ids(fields)}
        self._stage.add({"type": "episode", **body})

    def _chunk_ids(self, fields: Fields) -> list[str]:
        """Take the chunks a record refers to, by the ids they will have."""
        ids, last = [], ""
        for entry in fields.items("chunks"):
            name = checked_name(entry, "chunks")
            chunk = self._stage.chunk_id(name)
            if chunk is None:
                raise Wrong(f"no chunk has the id {name!r}")
            if name <= last:
                raise Wrong(f"the chunk {name!r} twice or out of order")
            last = name
            ids.append(chunk)
        return ids

    def _mind_map(self, fields: Fields) -> None:
        name = fields.name()
        self._ascending(name)
        above: set[str] = set()
        questions = []
        for entry in fields.items("questions"):
            if not isinstance(entry, dict):
                raise Wrong("a question is no object")
            questions.append(self._question(Fields(entry), above))
        body = {"id": name, "properties": fields.properties(), "questions": questions}
        self._stage.add({"type": "mindmap", **body})

    def _question(self, fields: Fields, above: set[str]) -> Record:
        name, parent = fields.name(), fields.any("parent")
        if parent is not None and checked_name(parent, "parent") not in above:
            raise Wrong(f"the question {name!r} comes before its parent {parent!r}")
        if not self._stage.add_question(name):
            raise Wrong(f"the question {name!r} twice")
        above.add(name)
        body = {"id": name, "parent": parent, "order": fields.whole_or_none("order")}
        body |= {"properties": fields.properties(), "chunks": self._chunk_ids(fields)}
        fields.done()
        return body

    def _end(self, fields: Fields) -> None:
        for kind in TYPES:
            if fields.whole(kind) != self._counts[kind]:
                raise Wrong(f"the last line counts other than {self._counts[kind]} records of type {kind!r}")
        agreement = self._agreement
        if (agreement.chunks, agreement.terms) != (self._head.chunks, self._head.terms):
            raise Wrong("the first line counts other chunks or terms than there are")
        if not agreement.weights_agree:
            raise Wrong("the weights of the edges are not those that the chunks give")
        if not agreement.words_agree:
            raise Wrong("the document frequencies of the words are not those that the chunks give")
        self.ended = True


def _stated(properties: Record) -> Record:
    """Return the properties of a fact; raise Wrong where one that every fact has is missing or no number."""
    checked_key(properties.get("predicate"), "predicate")
    for name in ("confidence", "strength", "usedStrength"):
        properties[name] = checked_share(properties.get(name), name)
    checked_whole(properties.get("usedCycle"), "usedCycle", least=-(2**62))
    checked_whole(properties.get("activations"), "activations")
    for name in ("validFrom", "validTo"):
        if not isinstance(properties.get(name, {}), dict):
            raise Wrong(f"{name!r} is no day and no time")
    return properties
