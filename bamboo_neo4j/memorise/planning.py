"""A dry run: what an ingest would do, counted without a write and without a model call."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import InputError
from bamboo_neo4j.memorise.ingest import GROUP, known_chunks
from bamboo_neo4j.memorise.preparing import cut_document
from bamboo_neo4j.memorise.tally import Skipped, conflict, one_line, shown
from bamboo_neo4j.records import Document, Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bamboo_neo4j.graph.client import GraphClient, Row
    from bamboo_neo4j.memorise.preparing import Recipe


@dataclass(slots=True)
class Plan:
    """What an ingest would do; `calls` are of a model, one for each chunk that is not known."""

    documents: int = 0
    unchanged: int = 0
    chunks: int = 0
    tokens: int = 0
    calls: int = 0
    skipped: list[Failure] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)


def make_plan(
    documents: Iterable[Document | Failure], recipe: Recipe, client: GraphClient, *, replace: bool = False
) -> Plan:
    """Count what `documents` would give; nothing is written. An id that comes twice counts once."""
    plan = Plan()
    stream = _readable(documents, plan)
    while group := list(islice(stream, GROUP)):
        parameters = {"memory": recipe.memory, "documents": [document.id for document in group]}
        known = {row["id"]: row for row in client.read("memorise/known_documents", parameters)}
        for document in group:
            row = known.get(document.id)
            _count(document, row, plan=plan, recipe=recipe, client=client, replace=replace)
    return plan


def _readable(documents: Iterable[Document | Failure], plan: Plan) -> Iterator[Document]:
    seen: set[str] = set()
    for document in documents:
        if isinstance(document, Document):
            if document.id not in seen:
                seen.add(document.id)
                yield document
        else:
            (plan.skipped if isinstance(document, Skipped) else plan.failed).append(document)


def _count(
    document: Document,
    row: Row | None,
    *,
    plan: Plan,
    recipe: Recipe,
    client: GraphClient,
    replace: bool,
) -> None:
    if row is not None and (row["contentHash"], row["uri"]) == (recipe.content_hash(document), document.uri):
        plan.unchanged += 1
        return
    if row is not None and row["uri"] != document.uri and not replace:
        plan.failed.append(Failure(shown(document), conflict(row["uri"])))
        return
    try:
        cuts = cut_document(document, recipe)
    except InputError as error:
        plan.failed.append(Failure(shown(document), one_line(error)))
        return
    plan.documents += 1
    plan.chunks += len(cuts)
    plan.tokens += sum(cut.piece.tokens for cut in cuts)
    if recipe.tagger.waits:
        stored = (
            known_chunks(client, recipe, document=document, cuts=cuts) if row is not None else frozenset()
        )
        plan.calls += sum(cut.id not in stored for cut in cuts)
