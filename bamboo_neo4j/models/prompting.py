"""Prompts: read from their files, and text of documents put into them as data."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Servers read these marks of chat templates as turns of the conversation wherever they stand.
_TEMPLATE_MARKS = re.compile(
    r"<(?=[|｜][^|｜<>]{1,60}[|｜]>)|<(?=/?(?:start_of_turn|end_of_turn|s)>)|\[(?=/?INST\])|<(?=</?SYS>>)",
    re.IGNORECASE,
)


@cache
def load_prompt(name: str) -> str:
    """Return the text of `prompts/<name>.md`, without a byte more at either end."""
    return resources.files(__package__).joinpath("prompts", f"{name}.md").read_text(encoding="utf-8").strip()


def as_data(text: str, *, mark: str) -> str:
    """Return `text` between <mark> and </mark>, unable to close the mark or to open a turn from inside.

    A bracket that would do so becomes `‹`, so that every word stays readable. NUL, other control characters
    and lone surrogates, which no service takes, are removed.
    """
    return f"<{mark}>\n{_tame(text, mark)}\n</{mark}>"


def readable(text: str) -> str:
    """Return `text` without what cannot be sent: control characters and lone surrogates."""
    return _CONTROL.sub(" ", _SURROGATE.sub("", text))


def _tame(text: str, mark: str) -> str:
    text = re.sub(rf"[<＜﹤](?=\s*[/／⁄∕]?\s*{re.escape(mark)})", "‹", readable(text), flags=re.IGNORECASE)
    return _TEMPLATE_MARKS.sub(lambda found: "‹" if found[0] == "<" else "(", text)
