"""Real documents: the text that must be found in each is found."""

from __future__ import annotations

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bamboo_neo4j.memorise.chunking import cut
from bamboo_neo4j.memorise.documents import NoText, Source, find_sources, load

DATA = Path(os.environ.get("BAMBOO_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data") / "docs"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="BAMBOO_DATA names no folder with docs/manifest.jsonl"
)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def is_found(entry: dict[str, str]) -> bool:
    (source,) = find_sources([str(DATA / "files" / entry["path"])])
    assert isinstance(source, Source)
    try:
        (document,) = load(source)
    except NoText:
        return entry["probe"] is None
    pieces = cut(document.text, markdown=document.media_type == "text/markdown")
    assert max(piece.tokens for piece in pieces) <= 1200
    return squeezed(entry["probe"]) in squeezed(document.text)


def test_each_of_the_real_documents_holds_what_must_be_found_in_it() -> None:
    lines = (DATA / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    entries = [json.loads(line) for line in lines]
    with ThreadPoolExecutor(4) as readers:  # PDF and DOCX are read in processes of their own
        found = list(readers.map(is_found, entries))
    assert [entry["path"] for entry, there in zip(entries, found, strict=True) if not there] == []
    assert len(lines) == 104
