"""HTML to text: what a reader sees, blocks as paragraphs, tables cell by cell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import MissingExtra
from bamboo_neo4j.memorise.documents import decoding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from selectolax.lexbor import LexborNode

_DROPPED = frozenset((
    "script", "style", "noscript", "template", "head", "iframe", "object", "embed", "svg", "math", "canvas",
    "audio", "video", "select", "datalist", "dialog",
))  # fmt: skip
_PARAGRAPHS = frozenset((
    "address", "article", "aside", "blockquote", "body", "center", "details", "div", "dl", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr",
    "main", "nav", "ol", "p", "pre", "section", "summary", "ul",
))  # fmt: skip
_LINES = frozenset(("br", "button", "dd", "dt", "legend", "li", "option", "textarea"))
_CELLS = frozenset(("td", "th"))
_ROWS = frozenset(("tr", "table", "tbody", "thead", "tfoot", "caption"))

_Piece = tuple[Literal["text", "pre", "break", "row", "cell", "link"], str]

_DECLARED = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{2,40})",
    re.IGNORECASE,
)
# Python knows codecs that are no encodings of text, some of them slow (punycode).
_LABEL = re.compile(
    r"utf-?8|windows-\d+|cp\d+|iso-?8859-\d+|latin-?\d|(us-)?ascii|koi8-?[a-z]+|gb\w+|big5[\w-]*|(x-)?s(hift)?_?jis"
    r"|euc-?\w+|iso-2022-\w+|ks_c_5601-1987|tis-620|(x-)?mac[\w-]*|macintosh"
)
_HEAD_BYTES = 4096
# What browsers read under these labels (WHATWG Encoding Standard).
_ALIASES = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "latin-1": "cp1252",
    "us-ascii": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
}


def html(data: bytes, shown: str) -> tuple[str, str, tuple[str, ...]]:
    """Return text, title and warnings of an HTML page.

    Scripts, styles, templates, hidden elements and forms' choices are left out. Raises InputError for what
    is not text and MissingExtra without selectolax.
    """
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError as error:
        raise MissingExtra("selectolax", extra="files", purpose="reading HTML") from error
    source, warnings = decoding.decode(data, shown, declared=_declared(data))
    tree = LexborHTMLParser(source)
    titles = [node for node in (tree.css_first("title"), tree.css_first("h1")) if node is not None]
    title = next((found for node in titles if (found := " ".join(node.text().split()))), "")
    text = _layout(_pieces(tree.body)) if tree.body is not None else ""
    return text, title, warnings


def _declared(data: bytes) -> str | None:
    found = _DECLARED.search(data[:_HEAD_BYTES])
    if not found:
        return None
    label = (found[1] or found[2]).decode("ascii").lower()
    return _ALIASES.get(label, label) if _LABEL.fullmatch(label) else None


def _pieces(body: LexborNode) -> Iterator[_Piece]:
    """Walk the tree without recursion: pages nest as deep as they like."""
    stack: list[tuple[LexborNode, bool, bool]] = [(body, False, False)]
    while stack:
        node, leaving, kept = stack.pop()
        tag = node.tag or ""
        if tag == "-text":
            yield "pre" if kept else "text", node.text_content or ""
        elif leaving:
            yield from _breaks(tag, leaving=True)
        elif tag not in _DROPPED and tag[:1].isalpha() and "hidden" not in node.attributes:
            yield from _breaks(tag, leaving=False)
            stack.append((node, True, kept))
            stack += reversed([(child, False, kept or tag == "pre") for child in _children(node)])


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def _breaks(tag: str, *, leaving: bool) -> Iterator[_Piece]:
    if tag in _ROWS:
        yield "row", "\n" if tag == "tr" else "\n\n"
    elif tag in _PARAGRAPHS:
        yield "break", "\n\n"
    elif tag in _LINES:
        yield "break", "\n"
    elif tag in _CELLS and leaving:
        yield "cell", " | "
    elif tag == "a" and leaving:
        yield "link", " "


def _layout(pieces: Iterable[_Piece]) -> str:
    """Join what is seen; between two stretches stands the widest separator met."""
    parts: list[str] = []
    gap, last = "", ""
    for kind, value in pieces:
        if kind in {"text", "pre"}:
            words = " ".join(value.split())
            if not words:
                gap = gap or " " * bool(value)
                continue
            starts_sign = last == "link" and not (value[0].isalnum() or value[0].isspace())
            gap = gap or " " * (value[0].isspace() or starts_sign)
            parts += [gap if parts else "", value.strip("\n") if kind == "pre" else words]
            gap = " " * value[-1].isspace()
        elif kind == "cell":
            gap = value
        elif kind == "row" or gap != " | ":  # a paragraph inside a cell does not end the row
            gap = max(gap.strip(" |"), value, key=len) if kind != "link" else gap
        last = kind
    return "".join(parts)
