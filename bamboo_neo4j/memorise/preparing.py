"""From a document to drafts: cut, skip what is stored, tag the rest, in shares of bounded size."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bamboo_neo4j.memorise.chunking import cut
from bamboo_neo4j.normalise import Normaliser, chunk_terms
from bamboo_neo4j.records import Chunk, Document, Piece, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bamboo_neo4j.memorise.tagging import Tagger

SHARE = 100
"""Chunks of one document written in one transaction at most: about 7,000 to 28,000 pairs."""
WAITING_SHARE = 16
"""The same where each chunk costs a model call: an interruption loses less."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides which chunks and tags a text gives."""

    memory: str
    normaliser: Normaliser
    tagger: Tagger
    minimum: int
    maximum: int

    @property
    def tagging(self) -> str:
        """A digest of how chunks are tagged, whatever the document."""
        return digest(self.tagger.fingerprint, self.normaliser.fingerprint)

    def of(self, document: Document) -> str:
        """A digest of everything but its text that decides the tags of a chunk of `document`."""
        return digest(self.tagging, document.title)

    def content_hash(self, document: Document) -> str:
        """A digest of text, title and recipe: when it is stored, the document needs no work."""
        sizes = f"{self.minimum}:{self.maximum}"
        return digest(document.text, document.title, document.media_type, self.tagging, sizes)


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece with the id and the place of its chunk."""

    id: str
    ordinal: int
    piece: Piece


def digest(*parts: str) -> str:
    """Return 32 hexadecimal digits over `parts`, each with its length, so that no two lists are alike."""
    state = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.hexdigest()


def cut_document(document: Document, recipe: Recipe) -> list[Cut]:
    """Cut a document; a chunk's id holds its text and how many chunks before it have the same text."""
    pieces = cut(
        document.text,
        minimum=recipe.minimum,
        maximum=recipe.maximum,
        markdown=document.media_type == "text/markdown",
    )
    seen: Counter[str] = Counter()
    cuts = []
    for ordinal, piece in enumerate(pieces):
        number = seen[piece.text]
        seen[piece.text] += 1
        name = digest(recipe.memory, document.id, piece.text, str(number))
        cuts.append(Cut(f"{recipe.memory}:{name}", ordinal, piece))
    return cuts


def tag_piece(cut_piece: Cut, document: Document, recipe: Recipe, *, notes: list[str] | None = None) -> Chunk:
    """Tag one piece and sum its terms; raises what the tagger raises, `notes` gets what it left out."""
    piece = cut_piece.piece
    tags = recipe.tagger.tags(piece.text, title=document.title, tokens=piece.tokens, notes=notes)
    return _chunk(cut_piece, document, recipe, tags)


def known_piece(cut_piece: Cut, document: Document, recipe: Recipe) -> Chunk:
    """Return the chunk of a piece that is stored with its tags already."""
    return _chunk(cut_piece, document, recipe, ())


def shares(cuts: Sequence[Cut], *, waits: bool) -> Iterator[tuple[Sequence[Cut], bool]]:
    """Yield the pieces in shares of bounded size, and whether a share is the document's last."""
    size = WAITING_SHARE if waits else SHARE
    for start in range(0, max(len(cuts), 1), size):
        yield cuts[start : start + size], start + size >= len(cuts)


def _chunk(cut_piece: Cut, document: Document, recipe: Recipe, tags: tuple[Tag, ...]) -> Chunk:
    piece = cut_piece.piece
    terms, length = chunk_terms(recipe.normaliser, document.title, piece.text)
    return Chunk(
        id=cut_piece.id,
        ordinal=cut_piece.ordinal,
        text=piece.text,
        tokens=piece.tokens,
        terms=terms,
        length=length,
        tags=tags,
        recipe=recipe.of(document),
    )
