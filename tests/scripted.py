"""A scripted model service: a real HTTP server that speaks the OpenAI protocol and replies by script.

Tests use it with the real client, so what is tested is what is sent. Its replies are inputs of a test, never
what is asserted; what is asserted is what the product does with them, and the log of requests.

    with ScriptedServer([{"tags": ["Ada Kern"]}, Status(429), "prose"]) as server:
        settings = read_settings({"model_url": server.url, "model": "scripted"}, environ={})
"""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

OUT_OF_SCRIPT = 418
"""The status of a request that the script has no reply for; the client does not repeat it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came: the path, the headers in lower case, the raw body and the JSON in it."""

    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        """The turns of the conversation."""
        return list(self.body.get("messages", []))

    @property
    def prompt(self) -> str:
        """All turns as one text."""
        return "\n\n".join(str(turn["content"]) for turn in self.messages)

    @property
    def format(self) -> str:
        """The type of the response format that was asked for, or ""."""
        return str(self.body.get("response_format", {}).get("type", ""))


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat completion: the content as it is, or as JSON; and the fields that say why it ended."""

    content: object = None
    finish_reason: str = "stop"
    refusal: str | None = None
    prompt_tokens: int = 10
    completion_tokens: int = 5

    def as_body(self, model: str) -> dict[str, Any]:
        """Return the completion as the protocol has it."""
        content = self.content
        if content is not None and not isinstance(content, str):
            content = json.dumps(content, ensure_ascii=False)
        message = {"role": "assistant", "content": content, "refusal": self.refusal}
        total = self.prompt_tokens + self.completion_tokens
        usage = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": total,
        }
        choice = {"index": 0, "finish_reason": self.finish_reason, "message": message, "logprobs": None}
        return {
            "id": "scripted",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [choice],
            "usage": usage,
        }


@dataclass(frozen=True, slots=True)
class Status:
    """An answer of HTTP: status, headers and a body; a string or bytes are sent as they are."""

    code: int
    body: object = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Hang:
    """Wait before the reply; the end of the test ends the wait."""

    seconds: float
    reply: object = "too late"


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the connection without an answer."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Bytes as they are in the place of an answer, status line and all, with a pause after each piece."""

    pieces: tuple[bytes, ...]
    pause: float = 0.0


def failure(status: int, message: str, /, **fields: object) -> Status:
    """Return an error as the protocol has it."""
    return Status(status, {"error": {"message": message, **fields}})


Step = object
"""A str, dict or list (the content of a completion), Completion, Status, Raw, Hang, Drop, a tuple of status,
headers and body, or a function of the Request that returns one of them."""


class ScriptedServer:
    """The server; use it as a context manager.

    `replies` is used up in order, one step a completion; or is one function that gives every reply.
    `otherwise` is the step for requests after the script's end; else they get OUT_OF_SCRIPT.
    """

    def __init__(
        self, replies: Sequence[Step] | Callable[[Request], Step] = (), *, otherwise: Step | None = None
    ) -> None:
        self._always: Step | None = replies if callable(replies) else otherwise
        self._script = [] if callable(replies) else list(replies)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.requests: list[Request] = []
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """The base URL for OPENAI_BASE_URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def calls(self) -> int:
        """Number of completions asked for so far."""
        with self._lock:
            return len(self.requests)

    def extend(self, replies: Sequence[Step]) -> None:
        """Add steps to the end of the script."""
        with self._lock:
            self._script.extend(replies)

    def take(self, request: Request) -> Step:
        """Log a request and return its step."""
        with self._lock:
            self.requests.append(request)
            step = self._script.pop(0) if self._script else self._always
        if step is None:
            return failure(OUT_OF_SCRIPT, f"no reply is scripted for request {self.calls}")
        return step

    def wait(self, seconds: float) -> None:
        """Wait, but not beyond the end of the test."""
        self._ended.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, scripted: ScriptedServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.scripted = scripted


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, raw, _json(raw))
        known = self.path.endswith("/chat/completions")
        missing = failure(404, f"there is nothing at {self.path}")
        self._send(self.server.scripted.take(request) if known else missing, request)

    def do_GET(self) -> None:
        listing = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
        found = self.path.endswith("/models")
        self._write(Status(200, listing) if found else failure(404, "nothing here"))

    def _send(self, step: Step, request: Request) -> None:
        self.close_connection = True
        while callable(step) or isinstance(step, Hang):
            if isinstance(step, Hang):
                self.server.scripted.wait(step.seconds)
                step = step.reply
            else:
                step = step(request)
        with suppress(BrokenPipeError, ConnectionResetError):
            if isinstance(step, Raw):
                for piece in step.pieces:
                    self.wfile.write(piece)
                    self.server.scripted.wait(step.pause)
            elif not isinstance(step, Drop):
                self._write(_status(step, request))

    def _write(self, status: Status) -> None:
        body, kind = status.body, "text/plain"
        if not isinstance(body, str | bytes):
            body, kind = json.dumps(body, ensure_ascii=False), "application/json"
        raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body
        self.send_response(status.code)
        headers = {"Content-Type": kind, "Connection": "close", **status.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _status(step: Step, request: Request) -> Status:
    if isinstance(step, Status):
        return step
    if isinstance(step, tuple):
        code, headers, body = step
        return Status(code, body, headers)
    completion = step if isinstance(step, Completion) else Completion(step)
    return Status(200, completion.as_body(str(request.body.get("model", ""))))


def _json(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
