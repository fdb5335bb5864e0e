"""Any LangChain chat model is a chat model here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import BaseModel, PrivateAttr, SecretStr

from bamboo_neo4j.errors import ModelError, UnusableReply, UsageError
from bamboo_neo4j.memorise.tagging import find_tagger
from bamboo_neo4j.models.chat import Message, Usage, as_chat
from bamboo_neo4j.models.langchain_chat import LangChainChat
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.settings import read_settings

if TYPE_CHECKING:
    from langchain_core.callbacks import CallbackManagerForLLMRun

TURNS = (Message("system", "Answer."), Message("user", "Who?"))


class Answer(BaseModel):
    answer: str


class Fake(BaseChatModel):
    """A LangChain model with one reply, which notes what it was asked."""

    reply: AIMessage | None = None
    model_name: str = "fake-1"
    api_key: SecretStr = SecretStr("sk-LANGCHAIN")
    takes_limit: bool = True
    _asked: list[tuple[list[BaseMessage], dict[str, Any]]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "fake"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,  # noqa: ANN401 - LangChain's signature
    ) -> ChatResult:
        del stop, run_manager
        self._asked.append((messages, kwargs))
        if "max_tokens" in kwargs and not self.takes_limit:
            raise TypeError("chat() got an unexpected keyword argument 'max_tokens'")
        if self.reply is None:
            raise RuntimeError(f"401 for {self.api_key.get_secret_value()}")
        return ChatResult(generations=[ChatGeneration(message=self.reply)])


def test_it_is_asked_in_its_own_turns_with_the_limit_and_the_schema() -> None:
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    model = Fake(reply=AIMessage('Sure: {"answer": "Ada"}', usage_metadata=usage))
    chat = LangChainChat(model)
    reply = chat.complete(TURNS, schema=Answer, max_tokens=77)
    assert reply.parsed == Answer(answer="Ada")
    assert chat.usage == Usage(1, 3, 4)
    assert chat.name == "fake-1"
    messages, options = model._asked[0]  # noqa: SLF001 - the test's own model
    assert options["max_tokens"] == 77
    assert [message.type for message in messages] == ["system", "human"]
    assert '"answer"' in str(messages[0].content)


def test_one_that_does_not_know_the_limit_is_asked_without_it_from_then_on() -> None:
    model = Fake(reply=AIMessage("Ada"), takes_limit=False)
    chat = LangChainChat(model)
    assert [chat.complete(TURNS).text for _ in range(2)] == ["Ada", "Ada"]
    assert ["max_tokens" in options for _, options in model._asked] == [True, False, False]  # noqa: SLF001


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"finish_reason": "length"}, "cut"),
        ({"stop_reason": "max_tokens"}, "cut"),
        ({"finish_reason": "SAFETY"}, "filtered"),
        ({"stop_reason": "refusal"}, "refused"),
        ({"done_reason": "stop"}, "invalid"),
    ],
)
def test_p20_each_way_to_say_that_there_is_no_answer_is_understood(
    metadata: dict[str, str], reason: str
) -> None:
    chat = LangChainChat(Fake(reply=AIMessage("x", response_metadata=metadata)))
    with pytest.raises(UnusableReply) as caught:
        chat.complete(TURNS, schema=Answer)
    assert caught.value.reason == reason


def test_p38_its_errors_become_ours_without_its_secrets() -> None:
    with pytest.raises(ModelError, match="RuntimeError") as caught:
        LangChainChat(Fake()).complete(TURNS)
    assert "sk-LANGCHAIN" not in str(caught.value)


def test_it_is_taken_wherever_a_model_is() -> None:
    model = Fake(reply=AIMessage('{"tags": ["cello", "violin"]}'))
    settings = read_settings({}, environ={})
    tagger = find_tagger("llm", normaliser=normaliser("en"), settings=settings, model=model)
    tags = tagger.tags("there is a cello", title="Notice", tokens=5)
    assert [tag.display for tag in tags] == ["Notice", "cello"]
    assert tagger.calls == 1
    assert as_chat(chat := LangChainChat(model)) is chat
    with pytest.raises(UsageError, match="'str' is no chat model"):
        as_chat("gpt")  # type: ignore[arg-type]
