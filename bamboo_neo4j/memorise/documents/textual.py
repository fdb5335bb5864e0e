"""Text that is text already: plain text and Markdown."""

from __future__ import annotations

import re

_FENCE = r"^[ ]{0,3}(`{3,}|~{3,})"
_COMMENT_OR_FENCE = re.compile(rf"{_FENCE}|<!--", re.MULTILINE)
# A line behind #, or a line that is underlined with = or -.
_HEADING_OR_FENCE = re.compile(
    rf"{_FENCE}|^[ ]{{0,3}}#{{1,6}}[ \t]+(\S.*)"
    r"|^[ ]{0,3}([^\s>#|`~-].*)\n[ ]{0,3}(?:=+|-{3,})[ \t]*$",
    re.MULTILINE,
)
_UNDERLINE = re.compile(r"([=\-~^\"'`*+#])\1{2,}[ \t]*")
_FRONT_MATTER = re.compile(
    r"\s*(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_FRONT_TITLE = re.compile(r"^title[ \t]*[:=](.*)$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
_ANCHOR = re.compile(r"[ \t]*\{[ \t]*[#.][^}]*\}")
_TAG = re.compile(r"</?[A-Za-z][^>]*>")
_EMPHASIS = re.compile(r"(\*\*|__|`+)(.+?)\1|(?<!\w)([*_])(?=\S)(.+?)(?<=\S)\3(?!\w)")
_LONGEST_TITLE = 200


def plain(text: str) -> tuple[str, str]:
    """Return text and title of plain text or reStructuredText, whose title is a first line underlined."""
    lines = text.lstrip().split("\n", 3)[:3]
    if len(lines) > 1 and _UNDERLINE.fullmatch(lines[0]):  # a title may be ruled on both sides
        lines = lines[1:]
    underlined = len(lines) > 1 and lines[0].strip() and _UNDERLINE.fullmatch(lines[1])
    if underlined and len(lines[1].strip()) >= len(lines[0].strip()) // 2:
        return text, _as_title(lines[0])
    return text, ""


def markdown(text: str) -> tuple[str, str]:
    """Return text and title of Markdown: the title of its front matter, else its first heading.

    The text stays Markdown (links and code are often what is asked for), without HTML comments and without
    the rules around the front matter, whose lines become the first paragraph.
    """
    title = ""
    if front := _FRONT_MATTER.match(text):
        if found := _FRONT_TITLE.search(front[2]):
            title = found[1].strip().strip("\"'")
        text = f"{front[2].strip()}\n\n{text[front.end() :]}" if front[2].strip() else text[front.end() :]
    text = _without_comments(text)
    return text, _as_title(title or _first_heading(text))


def _without_comments(text: str) -> str:
    """Remove HTML comments outside fenced code, in one pass (a regular expression may take the square)."""
    parts = []
    start = position = 0
    while found := _COMMENT_OR_FENCE.search(text, position):
        if found[1]:
            position = _end_of_fence(text, found)
            continue
        end = text.find("-->", found.end())
        if end < 0:
            break
        parts.append(text[start : found.start()])
        start = position = end + len("-->")
    return "".join([*parts, text[start:]])


def _end_of_fence(text: str, opening: re.Match[str]) -> int:
    """Return where the fenced code that `opening` begins ends: behind its closing line, or with the text."""
    closing = re.compile(rf"^[ ]{{0,3}}{opening[1]}{opening[1][0]}*[ \t]*$", re.MULTILINE)
    found = closing.search(text, opening.end())
    return found.end() if found else len(text)


def _first_heading(text: str) -> str:
    """Return the first heading outside fenced code."""
    position = 0
    while found := _HEADING_OR_FENCE.search(text, position):
        if not found[1]:
            return found[2] or found[3]
        position = _end_of_fence(text, found)
    return ""


def _as_title(heading: str) -> str:
    """Return `heading` without its marks: anchors, links, emphasis, code, tags."""
    heading = heading[: 4 * _LONGEST_TITLE].rstrip(" \t#")
    heading = _TAG.sub("", _LINK.sub(r"\1", _ANCHOR.sub("", heading)))
    heading = _EMPHASIS.sub(lambda match: match[2] or match[4], heading)
    return " ".join(heading.split())[:_LONGEST_TITLE]
