"""Prompts: read from their files, and text of documents put into them as data."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Literal, get_args

Mark = Literal[
    "passage", "title", "question", "answered", "answer", "earlier", "evidence", "data", "right_answer"
]
"""What stands around data in our prompts."""

_MARKS = re.compile(rf"[<＜﹤](?=\s*(?:[/／⁄∕]\s*)?(?:{'|'.join(get_args(Mark))})(?!\w))", re.IGNORECASE)
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


def as_data(text: str, *, mark: Mark) -> str:
    """Return `text` between <mark> and </mark>, unable to close it, to open another, or to open a turn.

    A bracket that would do so becomes `‹`, so that every word stays readable. NUL, other control characters
    and lone surrogates, which no service takes, are removed.
    """
    return f"<{mark}>\n{_tame(text)}\n</{mark}>"


def readable(text: str) -> str:
    """Return `text` without what cannot be sent: control characters and lone surrogates."""
    return _CONTROL.sub(" ", _SURROGATE.sub("", text))


def _tame(text: str) -> str:
    text = _MARKS.sub("‹", readable(text))
    return _TEMPLATE_MARKS.sub(lambda found: "‹" if found[0] == "<" else "(", text)
