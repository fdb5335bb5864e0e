"""Text that is text already: plain text and Markdown."""

from __future__ import annotations

import re

_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*")
_UNDERLINE = re.compile(r"([=\-~^\"'`*+#])\1{2,}[ \t]*")
_FRONT_MATTER = re.compile(
    r"\s*(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_FRONT_TITLE = re.compile(r"^title[ \t]*[:=][ \t]*(.+?)[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
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
            title = found[1].strip("\"'")
        text = f"{front[2].strip()}\n\n{text[front.end() :]}" if front[2].strip() else text[front.end() :]
    text = _without_comments(text)
    return text, _as_title(title or _first_heading(text))


def _without_comments(text: str) -> str:
    """Remove HTML comments outside fenced code."""
    if "<!--" not in text:
        return text
    parts: list[str] = []
    prose: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        opening = _FENCE.match(line)
        if fence:
            parts.append(line)
            closes = opening and opening[1].startswith(fence) and not line.strip().strip(fence[0])
            fence = "" if closes else fence
        elif opening and "".join(prose).count("<!--") == "".join(prose).count("-->"):
            parts += [_COMMENT.sub("", "".join(prose)), line]
            prose, fence = [], opening[1]
        else:
            prose.append(line)
    return "".join([*parts, _COMMENT.sub("", "".join(prose))])


def _first_heading(text: str) -> str:
    fence = ""
    previous = ""
    for line in text.splitlines():
        if opening := _FENCE.match(line):
            if not fence:
                fence = opening[1]
            elif opening[1].startswith(fence):
                fence = ""
        elif not fence:
            if heading := _HEADING.fullmatch(line):
                return heading[1]
            if previous.strip() and re.fullmatch(r"[ ]{0,3}(=+|-{3,})[ \t]*", line):
                return previous.strip()
        previous = "" if fence else line
    return ""


def _as_title(heading: str) -> str:
    """Return `heading` without its marks: anchors, links, emphasis, code, tags."""
    heading = _TAG.sub("", _LINK.sub(r"\1", _ANCHOR.sub("", heading)))
    heading = _EMPHASIS.sub(lambda match: match[2] or match[4], heading)
    return " ".join(heading.split())[:_LONGEST_TITLE]
