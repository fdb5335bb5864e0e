"""Pages to look at and to pass on: a recall, or a question with its mind map, as one HTML file.

A page asks for nothing from anywhere, runs no script, and shows what documents and models say as text.
"""

from __future__ import annotations

import html
import re
from importlib import resources
from typing import TYPE_CHECKING

from bamboo_neo4j import __version__
from bamboo_neo4j.connect.abridging import abridged
from bamboo_neo4j.connect.drawing import draw_paths
from bamboo_neo4j.connect.export.files import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bamboo_neo4j.reason.asked import Asked, Evidence, MindMap, Question
    from bamboo_neo4j.records import Recall, RecalledChunk

_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Controls but line break and tab, what turns the direction of writing, and what is no character."""

LONG = 320
"""Characters of a piece of evidence above which only its beginning is shown until it is opened."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"


def write(page: str, path: Path) -> None:
    """Write a page to `path`, whole or not at all; only the user may read it.

    Raises InputError where it cannot be written.
    """
    with whole_file(path) as file:
        file.write(page.encode())


def ask_page(asked: Asked) -> str:
    """Return the page of a question: its answer, its mind map with verdicts and evidence, and its cost."""
    spent = asked.spent
    cost = (
        f"{spent.calls} calls, {spent.tokens:,} tokens, {spent.seconds:.1f} s, {spent.retrievals} look-ups; "
        f"model {asked.model or 'unknown'}, verifier {asked.verifier or 'none'}; memory {asked.memory}, "
        f"{asked.map.created_at}"
    )
    parts = [
        f"<h1 dir=auto>{escape(asked.question)}</h1>",
        f"<p class=answer dir=auto>{escape(asked.answer)} {_badge(asked.map.root)}</p>",
        *_sentence(asked.reason),
        "<h2>Mind map</h2>",
        f"<ul class=map>{_branch(asked.map, asked.map.root)}</ul>",
        *_listed("What says otherwise", (_quote(each) for each in asked.against)),
        *_listed("Facts", (escape(f"{f.subject} – {f.predicate} – {f.object}") for f in asked.facts)),
        *_chunks(asked.chunks, "Chunks that the answer cites"),
        *_listed("Not known to the memory", map(escape, asked.unknown)),
        *_listed("Notes", map(escape, (*asked.truncated, *asked.notes))),
        f"<p class=quiet>{escape(cost)}</p>",
    ]
    return _page(asked.question, parts)


def recall_page(recall: Recall) -> str:
    """Return the page of a recall: cues, a drawing of the paths, associations and chunks."""
    cues = (f"<span class=chip>{escape(cue.tag or f'{cue.text} (word)')}</span>" for cue in recall.cues)
    cost = (
        f"{len(recall.chunks)} chunks, {recall.tokens:,} tokens, {recall.milliseconds:.0f} ms; "
        f"memory {recall.memory}, ranking {recall.ranking}; {', '.join(recall.statements)}"
    )
    parts = [
        f"<h1 dir=auto>{escape(recall.question)}</h1>",
        f"<p>{''.join(cues)}</p>",
        *_sentence("not known: " + ", ".join(recall.unknown) if recall.unknown else ""),
        *_drawing(recall),
        *_chunks(recall.chunks, "Chunks"),
        *_associations(recall),
        *_listed("Cut", map(escape, recall.truncated)),
        f"<p class=quiet>{escape(cost)}</p>",
    ]
    return _page(recall.question, parts)


def escape(text: object) -> str:
    """Return text that shows as it is in a page, also within an attribute in quotes."""
    return html.escape(_UNSAFE.sub("\N{REPLACEMENT CHARACTER}", str(text)), quote=True)


def _page(title: str, parts: Iterable[str]) -> str:
    style = resources.files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    body = "\n".join(parts)
    return (
        "<!doctype html>\n<html>\n<head>\n<meta charset=utf-8>\n"
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name=viewport content="width=device-width, initial-scale=1">\n'
        f'<meta name=generator content="bamboo-neo4j {__version__}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _branch(mind_map: MindMap, question: Question) -> str:
    parts = "".join(_branch(mind_map, part) for part in mind_map.parts(question))
    below = f"<ul>{parts}</ul>" if parts else ""
    return f"<li><div class=card>{''.join(_card(question))}</div>{below}</li>"


def _card(question: Question) -> Iterator[str]:
    number = f"<span class=quiet>{escape(question.number)}</span> " if question.number else ""
    yield f"<h3 dir=auto>{number}{escape(question.asked or question.text)}</h3>"
    if question.answer:
        yield f"<p dir=auto>{escape(question.answer)} {_badge(question)}</p>"
    if question.asked and question.asked != question.text:
        yield f"<p class=quiet dir=auto>planned as: {escape(question.text)}</p>"
    if question.reason:
        yield f"<p class=quiet dir=auto>{escape(question.reason)}</p>"
    if question.rethinks:
        yield f"<p class=quiet>answered anew: {question.rethinks}</p>"
    yield from _folded("evidence", question.evidence)
    yield from _folded("against it", question.against)


def _folded(name: str, evidence: tuple[Evidence, ...]) -> Iterator[str]:
    """A list that opens by itself: `details` needs no script."""
    if evidence:
        quotes = "".join(map(_quote, evidence))
        yield f"<details open><summary>{name} ({len(evidence)})</summary>{quotes}</details>"


def _quote(evidence: Evidence) -> str:
    label = f"[{evidence.label}] " if evidence.label else ""
    place = evidence.title or evidence.document or evidence.kind
    named, text = f"<b>{escape(label + place)}</b>", " ".join(evidence.text.split())
    if len(text) <= LONG:
        return f"<blockquote dir=auto>{named}\n{escape(text)}</blockquote>"
    start = escape(abridged(text, LONG // 2))
    return (
        f"<details><summary dir=auto>{named} {start}</summary>"
        f"<blockquote dir=auto>{escape(evidence.text)}</blockquote></details>"
    )


def _badge(question: Question) -> str:
    verdict = escape(question.verdict)
    return f'<span class="verdict {verdict}">{verdict}</span>'


def _sentence(text: str) -> list[str]:
    return [f"<p class=quiet dir=auto>{escape(text)}</p>"] if text else []


def _listed(heading: str, entries: Iterable[str]) -> list[str]:
    """A heading and a list of what is escaped already; nothing where there is none."""
    lines = "".join(f"<li dir=auto>{entry}</li>" for entry in entries)
    return [f"<h2>{heading}</h2><ul>{lines}</ul>"] if lines else []


def _chunks(chunks: tuple[RecalledChunk, ...], heading: str) -> list[str]:
    return [f"<h2>{heading}</h2>", *map(_chunk, range(1, len(chunks) + 1), chunks)] if chunks else []


def _chunk(number: int, chunk: RecalledChunk) -> str:
    way = " → ".join([chunk.via[0].source, *(via.target for via in chunk.via)]) if chunk.via else ""
    score = f", score {chunk.score:.3f}" if chunk.score else ""
    place = f"{chunk.document} #{chunk.ordinal}, {chunk.tokens} tokens{score}"
    led = f"<p class=quiet dir=auto>by {escape(way)}</p>" if way else ""
    return (
        f"<div class=card><h3 dir=auto>{number}. {escape(chunk.title or chunk.document)}</h3>"
        f"<p class=quiet>{escape(place)}</p>{led}<blockquote dir=auto>{escape(chunk.text)}</blockquote></div>"
    )


def _drawing(recall: Recall) -> list[str]:
    drawn = draw_paths(recall, escape)
    return ["<h2>Paths</h2>", drawn] if drawn else []


def _associations(recall: Recall) -> list[str]:
    if not recall.associations:
        return []
    heads = "".join(f"<th class=number>{name}</th>" for name in ("weight", "strength", "score"))
    rows = []
    for each in recall.associations:
        way = " → ".join(filter(None, (each.cue, each.through, each.tag)))
        figures = (str(each.weight), f"{each.strength:.2f}", f"{each.score:.3f}")
        cells = "".join(f"<td class=number>{figure}</td>" for figure in figures)
        rows.append(f"<tr><td dir=auto>{escape(way)}</td>{cells}</tr>")
    return ["<h2>Associations</h2>", f"<table><tr><th>path</th>{heads}</tr>{''.join(rows)}</table>"]
