"""A process that does one step after another on a memory, from an ingest to a check."""

from __future__ import annotations

import contextlib
import io
import re
from typing import TYPE_CHECKING

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import BambooError, NotFound, NothingRecalled
from bamboo_neo4j.records import Document

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

Step = dict[str, str]
SHORT, LONG = (5, 40), (1, 32)
"""Tokens of a chunk; a text of many sentences becomes more chunks than one transaction takes back."""
CAPITALS = "tests.faults.worker:capitals"
"""A tagger of the user's own."""


def capitals(text: str) -> list[str]:
    """Tag a text with its words that begin with a capital letter."""
    return sorted(set(re.findall(r"[A-Z]\w+", text)))


def serve(pipe: Connection, uri: str, name: str) -> None:
    """Do the steps that come through `pipe` and answer each with an outcome and a text."""
    memory: Memory | None = None
    with contextlib.suppress(EOFError, BrokenPipeError):  # the runner has ended
        while True:
            step = pipe.recv()
            try:
                memory = memory or Memory.open(name, uri=uri, auth=("neo4j", "none"))
                answer = _STEPS[step["do"]](memory, step)
            except NothingRecalled:
                answer = ("done", "")
            except NotFound as error:
                answer = ("not found", error.message)
            except BambooError as error:
                answer = ("failed", error.message)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault of the program
                answer = ("crashed", f"{type(error).__name__}: {error}")
            pipe.send(answer)


def ingest(memory: Memory, step: Step) -> tuple[str, str]:
    """Memorise the document of a step as the step says."""
    document = Document(step["document"], "", step["title"], step["text"], "text/plain")
    sizes = LONG if step["size"] == "long" else SHORT
    done = memory.remember(document, chunk_tokens=sizes, tagger=step["tagger"])
    return ("failed", done.failed[0].reason) if done.failed else ("done", "")


def _forget(memory: Memory, step: Step) -> tuple[str, str]:
    memory.forget(step["document"])
    return "done", ""


def _forget_all(memory: Memory, _step: Step) -> tuple[str, str]:
    memory.forget_all()
    return "done", ""


def _recall(memory: Memory, step: Step) -> tuple[str, str]:
    return "done", " ".join({chunk.document for chunk in memory.recall(step["text"], limit=50).chunks})


def _export(memory: Memory, _step: Step) -> tuple[str, str]:
    memory.export(io.BytesIO())
    return "done", ""


def _reindex(memory: Memory, _step: Step) -> tuple[str, str]:
    memory.reindex()
    return "done", ""


def _check(memory: Memory, _step: Step) -> tuple[str, str]:
    faults = [fault for fault in memory.check() if fault.invariant != "unfinished"]
    return ("wrong", f"check found {faults[:3]}") if faults else ("done", "")


_STEPS: dict[str, Callable[[Memory, Step], tuple[str, str]]] = {
    "ingest": ingest,
    "forget": _forget,
    "forget all": _forget_all,
    "recall": _recall,
    "export": _export,
    "reindex": _reindex,
    "check": _check,
}
