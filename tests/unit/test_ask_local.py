"""`ask` with a real model, where one is at hand: BAMBOO_LOCAL_MODEL names a GGUF file.

It takes minutes. A small model's words differ from run to run, so only what must always hold is asserted: an
answer stands in what it cites, and nothing is answered that the passages do not say.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.memorise.tokens import count_tokens
from bamboo_neo4j.models.chat import open_chat, open_verifier
from bamboo_neo4j.models.openai_chat import OpenAIChat
from bamboo_neo4j.reason.asking import Tools, ask, way_of
from bamboo_neo4j.reason.grounding import ungrounded
from bamboo_neo4j.reason.similarity import lexical
from bamboo_neo4j.settings import read_settings
from tests.thinking import WORDS, Shelf

if TYPE_CHECKING:
    from bamboo_neo4j.reason.asked import Asked

pytestmark = pytest.mark.slow

SHELF = Shelf(
    {
        "album": "Green is the second album of Ada Kern. She performed all songs on it herself.",
        "marriage": "Ada Kern, a singer from Bergen, is married to the sailor Leo Brandt.",
        "fiddle": "The oldest Hardanger fiddle known was made in 1651 by Ole Jonsen Jaastad in Ullensvang.",
        "cheese": "Gamalost is a cheese of western Norway. It keeps for months without a cellar.",
    }
)


def asked_of(url: str, question: str) -> Asked:
    settings = read_settings({"model_url": url, "model": "local", "model_timeout": "600"}, environ={})
    model, verifier = open_chat(settings), open_verifier(settings)
    assert isinstance(model, OpenAIChat)
    assert isinstance(verifier, OpenAIChat)
    with closing(model), closing(verifier):
        tools = Tools(
            model=model,
            verifier=verifier,
            source=SHELF.source(),
            words=WORDS,
            similarity=lexical(WORDS),
            count=count_tokens,
            hits=lambda: 0,
        )
        return ask(question, memory="m", way=way_of({"max_calls": 24}, window=8192), tools=tools)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who made the oldest Hardanger fiddle?", "jaastad"),
        ("Who is married to the singer of the album Green?", "brandt"),
        ("Who made the oldest nyckelharpa of Sweden?", ""),
        ("In which year did Ada Kern win the Nobel Prize?", ""),
    ],
)
def test_a_small_real_model_answers_from_passages_or_not_at_all(
    local_model: str, question: str, answer: str
) -> None:
    asked = asked_of(local_model, question)
    assert 1 <= asked.spent.calls <= 24
    assert asked.spent.retrievals == 1 + asked.spent.second_lookups
    if not asked.abstained:
        texts = [f"{chunk.title}\n{chunk.text}" for chunk in asked.chunks]
        assert texts
        assert not ungrounded(asked.answer, question, cited=texts, words=WORDS)
        assert answer
        assert answer in asked.answer.lower()
