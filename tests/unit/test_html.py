"""Pages: whole in one file, without requests and scripts, and with nothing of a document that is not text."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.connect.html import ask_page, escape, recall_page, write
from bamboo_neo4j.errors import InputError
from bamboo_neo4j.reason.asked import Evidence
from bamboo_neo4j.records import Association, Cue, Fact, Recall, RecalledChunk, Via
from tests.asked import made_up

if TYPE_CHECKING:
    from pathlib import Path

    from bamboo_neo4j.reason.asked import Asked

EVIL = "<script>alert(1)</script><img src=//evil.example onerror=alert(2)>\"'&]]>--></style>\x1b[31m\u202e"
VOID = {"meta"}


class Page(HTMLParser):
    """The tags, attributes and text of a page; every tag must be closed in its place."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def recalled(text: str) -> Recall:
    vias = (Via(text, "b", 1, 2, 0.5), Via("b", text + "x", 2, 1, 1.0))
    chunks = (
        RecalledChunk("m:1", text, text, 0, text, 9, 1.5, vias),
        RecalledChunk("m:2", "d", "", 1, "found by its words", 9, 1.0),
    )
    found = Association(text, text, None, 1, 2, 0.5, 2.0, 1.0)
    cues = (Cue(text, tag=text), Cue("w", word="w"))
    return Recall(text, "m", "bamboo", cues, (text,), (found,), chunks, 18, (text,), ("recall/x",), 3.0)


def asked(text: str) -> Asked:
    made = made_up("m", chunks=(RecalledChunk("m:1", text, text, 0, text, 9, 0.0),))
    against = Evidence("E9", "chunk", "m:9", text, 0.5, "k", text, text)
    root = replace(made.map.root, answer=text, reason=text, against=(against,), asked=text, text=text + "?")
    return replace(
        made,
        question=text,
        answer=text,
        reason=text,
        map=made.map.with_answers({root.id: root}),
        facts=(Fact("m:f", text, text, text, 1.0, 1.0),),
        against=(against,),
        unknown=(text,),
        notes=(text,),
        model=text,
    )


@pytest.mark.parametrize("page", [recall_page(recalled(EVIL)), ask_page(asked(EVIL))], ids=["recall", "ask"])
def test_what_a_document_says_is_text_and_asks_for_nothing(page: str) -> None:
    parsed = Page(page)
    names = {name for name, _ in parsed.tags}
    assert not names & {"script", "img", "link", "iframe", "object", "embed", "form", "base", "a", "image"}
    attributes = {name for _, attributes in parsed.tags for name in attributes}
    assert not {name for name in attributes if name.startswith("on") or name in {"src", "href", "style"}}
    assert "default-src 'none'" in page
    assert "url(" not in page
    assert "@import" not in page
    assert not {"\x1b", "\u202e"} & set(page)
    assert parsed.text.count("alert(1)") >= 5, "it is there to be read"


@given(st.text(max_size=60))
def test_any_text_makes_a_whole_page(text: str) -> None:
    Page(recall_page(recalled(text)))
    page = ask_page(asked(text))
    Page(page)
    page.encode()


def test_the_page_of_a_question_shows_each_answer_with_verdict_and_evidence() -> None:
    text = Page(ask_page(made_up("m", chunks=recalled("Mill").chunks))).text
    for shown in (
        "Port Ashby",
        "verified",
        "unverified",
        "1.2",
        "Where was Orla Venn born?",
        "E2",
        "7 calls",
    ):
        assert shown in text
    assert "planned as: Where was #1.1 born?" in text


def test_the_page_of_a_recall_draws_each_edge_once_and_every_chunk() -> None:
    page = Page(recall_page(recalled("mill")))
    assert [name for name, _ in page.tags].count("path") == 3, "two edges, and one to the chunk they led to"
    boxes = [attributes["class"] for name, attributes in page.tags if name == "rect"]
    assert sorted(filter(None, boxes)) == ["chunk", "chunk", "cue", "tag", "tag"]
    assert "weight 2, strength 0.50" in page.text


def test_a_recall_by_words_alone_has_no_drawing() -> None:
    found = recalled("mill")
    bare = tuple(replace(chunk, via=()) for chunk in found.chunks)
    assert "svg" not in [name for name, _ in Page(recall_page(replace(found, chunks=bare))).tags]


def test_escaped_text_is_safe_in_quotes() -> None:
    assert escape("\"'<&>\x00") == "&quot;&#x27;&lt;&amp;&gt;\N{REPLACEMENT CHARACTER}"


def test_a_page_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no"):
        write("page", tmp_path / "no" / "a.html")
