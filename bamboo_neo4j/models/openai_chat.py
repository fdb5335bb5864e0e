"""Chat models behind the OpenAI protocol: OpenAI itself, and any server that speaks like it.

Servers differ in what they take. The adapter starts with the most exact request, steps down when the server
says that it does not know a part of it, and remembers what worked.
"""

from __future__ import annotations

import base64
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit, urlunsplit

from bamboo_neo4j.errors import ModelError, UnusableReply, UsageError
from bamboo_neo4j.models.chat import Meter, Named, Reply, Usage, require_usable
from bamboo_neo4j.models.completion import completion_of, decode, said, usage_of
from bamboo_neo4j.models.prompting import readable
from bamboo_neo4j.models.secrets import scrub
from bamboo_neo4j.models.structured import read_reply, with_request

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import openai
    from pydantic import BaseModel

    from bamboo_neo4j.models.chat import Message

Form = Literal["json_schema", "json_object", "prompt"]
_FORMS: tuple[Form, ...] = ("json_schema", "json_object", "prompt")

_NO_KEY = "none"
_MOST_STEPS = 6
_MISUNDERSTOOD = {400, 404, 415, 422, 500, 501}
_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|context (?:length|window|size)|maximum context"
    r"|too many tokens|exceeds? the (?:available )?context|prompt is too long",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content[_ ](?:filter|management|policy)|ResponsibleAIPolicyViolation", re.IGNORECASE)
_FORM_UNKNOWN = re.compile(
    r"response_format|json_schema|json_object|json mode|structured output|schema", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What a server takes: the form of structured output, the name of the limit, a temperature of 0."""

    form: Form = "json_schema"
    limit: str = "max_tokens"
    exact: bool = True


class OpenAIChat:
    """A chat model of an OpenAI-compatible server; threads may share it.

    Without a key a dummy one is sent, since local servers need none. User information in the base URL is
    sent as basic authentication, never kept in the URL, where it would get into logs.
    """

    def __init__(
        self,
        name: str,
        *,
        key: str = "",
        base_url: str = "",
        named: Named | None = None,
        timeout: float = 120.0,
        retries: int = 2,
    ) -> None:
        self.name = name
        self._named = named or Named()
        self._meter = Meter()
        self._first = threading.Lock()
        self._settled = False
        self._dialect = _Dialect()
        self._refused: str | None = None
        url, user_info = _split_user_info(base_url, self._named.url)
        self._secrets = (key, *user_info)
        _require_sendable(key, self._named.key)
        self._client = _client(key, url=url, user_info=user_info, timeout=timeout, retries=retries)

    def __repr__(self) -> str:
        return f"OpenAIChat({self.name!r})"

    @property
    def usage(self) -> Usage:
        """What all calls so far have cost."""
        return self._meter.total

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def complete(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None = None, max_tokens: int = 1024
    ) -> Reply:
        """Return the reply to `messages`; see `ChatModel.complete`."""
        with self._turn():
            answer = self._negotiate(messages, schema=schema, max_tokens=max_tokens)
        return self._reply(answer, schema=schema)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Let one call find out what the server takes, and whether it takes the key, before the others go."""
        if not self._settled:
            with self._first:
                if not self._settled:
                    self._refuse_again()
                    yield
                    self._settled = True
                    return
        self._refuse_again()
        yield

    def _refuse_again(self) -> None:
        if self._refused:
            raise ModelError(self._refused, hint=f"check {self._named.key} and {self._named.url}")

    def _negotiate(
        self, messages: Sequence[Message], *, schema: type[BaseModel] | None, max_tokens: int
    ) -> bytes:
        """Send the request, stepping down while the server names a part of it that it does not take."""
        import openai

        from bamboo_neo4j.models.bounded import Unbounded

        dialect = self._dialect
        for _ in range(_MOST_STEPS):
            try:
                answer = self._send(messages, schema=schema, max_tokens=max_tokens, dialect=dialect)
            except openai.APIStatusError as error:
                lower = _step_down(error, dialect, structured=schema is not None)
                if lower is None:
                    raise self._failure(error) from None
                dialect = lower
            except (openai.OpenAIError, Unbounded) as error:
                raise self._failure(error) from None
            else:
                self._dialect = dialect
                return answer
        raise ModelError(f"the model service takes no form of request that is known, for {self.name!r}")

    def _send(
        self,
        messages: Sequence[Message],
        *,
        schema: type[BaseModel] | None,
        max_tokens: int,
        dialect: _Dialect,
    ) -> bytes:
        body: dict[str, object] = {dialect.limit: max_tokens}
        if dialect.exact:
            body["temperature"] = 0
        if schema is not None and dialect.form == "json_schema":
            described = {"name": schema.__name__, "schema": schema.model_json_schema()}
            body["response_format"] = {"type": "json_schema", "json_schema": described}
        elif schema is not None:
            messages = with_request(messages, schema)
            if dialect.form == "json_object":
                body["response_format"] = {"type": "json_object"}
        turns = [{"role": turn.role, "content": readable(turn.content)} for turn in messages]
        raw = self._client.chat.completions.with_raw_response
        answer = raw.create(model=self.name, messages=turns, **body)  # type: ignore[call-overload]
        return bytes(answer.http_response.content)

    def _failure(self, error: Exception) -> ModelError:
        """Return our error for the client's, without a secret in it."""
        import openai

        from bamboo_neo4j.models.bounded import Unbounded

        if isinstance(error, Unbounded):
            return self._unreadable(str(error))
        if isinstance(error, openai.APITimeoutError):
            return ModelError(
                f"the model service did not answer in time, for {self.name!r}",
                hint="is it loaded? BAMBOO_MODEL_TIMEOUT sets the seconds to wait",
            )
        if isinstance(error, openai.APIConnectionError):
            return self._connection_failure(error)
        if not isinstance(error, openai.APIStatusError):
            return ModelError(f"the model service gave an unreadable answer: {self._clean(str(error))}")
        return self._status_failure(error)

    def _connection_failure(self, error: openai.APIConnectionError) -> ModelError:
        """Tell a service that is not there from one whose answer breaks off, has no end or is garbled."""
        cause = error.__cause__
        if cause is None or type(cause).__name__.startswith("Connect"):
            return ModelError(
                f"the model service at {self._address} cannot be reached",
                hint=f"check {self._named.url}, and that the server runs",
            )
        return self._unreadable(str(cause) or type(cause).__name__)

    def _unreadable(self, why: str) -> ModelError:
        why = " ".join(self._clean(why).split())[:200]
        return ModelError(
            f"the answer of the model service at {self._address} cannot be read: {why}",
            hint="run again; what is done is kept",
        )

    def _status_failure(self, error: openai.APIStatusError) -> ModelError:
        text, status = self._clean(_said(error)), error.status_code
        if status in {401, 403}:
            self._refused = f"the model service refused the key (HTTP {status})"
            return ModelError(self._refused, hint=f"check {self._named.key} and {self._named.url}")
        if status in {400, 413, 422} and _TOO_LONG.search(text):
            return UnusableReply(
                f"the text is too long for the model {self.name!r}: {text}",
                reason="too long",
                hint="use smaller chunks, or a model with a longer context",
            )
        if status in {400, 422} and _FILTERED.search(text):
            return UnusableReply(
                f"a content filter stopped the model {self.name!r}: {text}", reason="filtered"
            )
        named = self._named
        hint = {
            404: f"check {named.model}, and that {named.url} ends as the server wants (often /v1)",
            429: "the service limits its use; wait, or check the account",
        }.get(status, "run again; what is done is kept")
        return ModelError(f"the model service failed (HTTP {status}), for {self.name!r}: {text}", hint=hint)

    def _reply(self, raw: bytes, *, schema: type[BaseModel] | None) -> Reply:
        body = decode(raw)
        usage = usage_of(body)
        self._meter.add(usage)
        try:
            found = completion_of(body, model=self.name, address=self._address, setting=self._named.url)
            refusal = self._clean(found.refusal)
            require_usable(found.text, model=self.name, finish_reason=found.finish_reason, refusal=refusal)
        except UnusableReply:
            raise
        except ModelError as error:
            raise ModelError(self._clean(error.message), hint=error.hint) from None
        parsed = None if schema is None else read_reply(found.text, schema, model=self.name)
        return Reply(text=found.text, parsed=parsed, finish_reason=found.finish_reason, usage=usage)

    def _clean(self, text: str) -> str:
        return scrub(text, self._secrets)

    @property
    def _address(self) -> str:
        return self._clean(str(self._client.base_url))


def _step_down(error: openai.APIStatusError, dialect: _Dialect, *, structured: bool) -> _Dialect | None:
    """Return the dialect to try next after this error, or None if no other would fare better."""
    text = _said(error)
    if error.status_code not in _MISUNDERSTOOD or _TOO_LONG.search(text) or _FILTERED.search(text):
        return None
    if "max_completion_tokens" in text and dialect.limit == "max_tokens":
        return replace(dialect, limit="max_completion_tokens")
    if "temperature" in text and dialect.exact:
        return replace(dialect, exact=False)
    if structured and dialect.form != "prompt" and _FORM_UNKNOWN.search(text):
        return replace(dialect, form=_FORMS[_FORMS.index(dialect.form) + 1])
    return None


def _require_sendable(key: str, setting: str) -> None:
    if not key.isascii() or not key.isprintable():
        raise UsageError(
            f"{setting} holds a character that no key has", hint="is it quoted, or cut over two lines?"
        )


def _client(key: str, *, url: str, user_info: tuple[str, ...], timeout: float, retries: int) -> openai.OpenAI:
    import openai

    from bamboo_neo4j.models.bounded import bound

    headers = None
    if user_info:
        login = base64.b64encode(":".join(user_info).encode()).decode("ascii")
        headers = {"Authorization": f"Basic {login}"}
    return openai.OpenAI(
        api_key=key or _NO_KEY,
        base_url=url or None,
        timeout=timeout,
        max_retries=retries,
        default_headers=headers,
        http_client=openai.DefaultHttpxClient(event_hooks={"response": [bound(timeout)]}),
    )


def _split_user_info(base_url: str, setting: str) -> tuple[str, tuple[str, ...]]:
    """Return the URL without its user information, and that as (name, password), or ()."""
    if not base_url:
        return "", ()
    # A password may hold / or @ as it is: the host begins after the last @.
    scheme, separator, rest = base_url.partition("://")
    info, at, host = rest.rpartition("@")
    try:
        parts = urlsplit(f"{scheme}://{host}")
        usable = bool(separator and scheme in {"http", "https"} and parts.hostname)
        _ = parts.port  # raises ValueError when it is no number
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"{setting} is no address of a web service", hint="write it like http://127.0.0.1:8080/v1"
        )
    name, _, password = info.partition(":")
    return urlunsplit(parts), (unquote(name), unquote(password)) if at else ()


def _said(error: openai.APIStatusError) -> str:
    """Return what the service said, on one line."""
    return said(error.body or error.message)
