"""Run a parser in a process of its own, with a limit on seconds and memory that really holds.

A thread or a signal cannot end a parser that spins, and a thread pool would wait for it; a process can be
killed. It is started anew for each file (about a quarter of a second): nothing of a hostile file stays.
The answer is JSON, so that a parser that was taken over cannot speak pickle to its parent. It gets none of
this process's keys, and no module comes from the folder that somebody happens to work in.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from bamboo_neo4j.errors import InputError, MissingExtra
from bamboo_neo4j.memorise.documents.source import Limits

_PACKAGES = {"pdf": ("pypdf", "pypdf"), "docx": ("docx", "python-docx")}
_ROOT = Path(__file__).resolve().parents[3]
_PASSED_ON = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
# Run by an isolated Python (-I: neither the working folder nor PYTHON… variables count). What it is given
# comes after the standard library, which so cannot be replaced.
_CHILD = f"import sys; sys.path += sys.argv[1:]; from {__name__} import answer_request; answer_request()"


def isolated(parser: str, data: bytes, shown: str, *, limits: Limits) -> tuple[str, str, tuple[str, ...]]:
    """Return text, title and warnings that `parser` (pdf, docx or html) finds in `data`.

    Raises InputError as the parser does, and when it needs more than `limits.seconds` or `limits.memory`;
    MissingExtra when its package is not installed.
    """
    module, package = _PACKAGES.get(parser, ("", ""))
    if module and find_spec(module) is None:
        raise MissingExtra(package, extra="files", purpose=f"reading {parser.upper()}")
    request = json.dumps({"parser": parser, "shown": shown, "limits": asdict(limits)}).encode() + b"\n"
    try:
        run = subprocess.run(
            [sys.executable, "-I", "-X", "utf8", "-c", _CHILD, *_search_path()],
            input=request + data,
            capture_output=True,
            timeout=limits.seconds,
            check=False,
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(
            f"{shown}: reading it took longer than the limit of {limits.seconds:g} seconds",
            hint="save it again with another program, or as text, or raise BAMBOO_MAX_SECONDS",
        ) from error
    return _answer(run, shown, limits)


def _search_path() -> list[str]:
    """Return where this process finds modules, without the working folder; this package's own folder last."""
    folder = os.path.realpath(os.curdir)
    return [*(path for path in sys.path if path and os.path.realpath(path) != folder), str(_ROOT)]


def _answer(
    run: subprocess.CompletedProcess[bytes], shown: str, limits: Limits
) -> tuple[str, str, tuple[str, ...]]:
    try:
        answer = json.loads(run.stdout)
    except ValueError:
        reason = (
            "out of memory"
            if b"MemoryError" in run.stderr
            else f"the parser died (exit code {run.returncode})"
        )
        raise InputError(
            f"{shown}: cannot be read: {reason}; the limit is {limits.memory:,} bytes of memory",
            hint="save it again with another program, or as text",
        ) from None
    if "error" in answer:
        raise InputError(answer["error"], hint=answer["hint"])
    return answer["text"], answer["title"], tuple(answer["warnings"])


def _restrict(limits: Limits) -> None:
    """Bound memory and processor time (the parent may be gone when the seconds are over)."""
    import resource

    with suppress(ValueError, OSError):  # macOS refuses to bound the address space
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    seconds = int(limits.seconds) + 2
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def _parse(parser: str, data: bytes, shown: str, limits: Limits) -> tuple[str, str, tuple[str, ...]]:
    from bamboo_neo4j.memorise.documents import html, parsed

    if parser == "html":
        return html.html(data, shown)
    text, title = (parsed.pdf if parser == "pdf" else parsed.docx)(data, shown, limits)
    return text, title, ()


def answer_request() -> None:
    """Parse what stands on standard input and print the answer: the work of the other process."""
    header, data = sys.stdin.buffer.read().split(b"\n", 1)
    request = json.loads(header)
    limits = Limits(**request["limits"])
    with suppress(ImportError):
        _restrict(limits)
    try:
        text, title, warnings = _parse(request["parser"], data, request["shown"], limits)
        answer = {"text": text, "title": title, "warnings": warnings}
    except InputError as error:
        answer = {"error": error.message, "hint": error.hint}
    except MissingExtra as error:
        answer = {"error": f"{request['shown']}: {error.message}", "hint": error.hint}
    except RecursionError:
        answer = {"error": f"{request['shown']}: is nested too deeply", "hint": "save it again, or as text"}
    sys.stdout.write(json.dumps(answer))
