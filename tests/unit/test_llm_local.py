"""The llm tagger with a real model, where one is at hand: BAMBOO_LOCAL_MODEL names a GGUF file.

It takes a minute or two. A small model's words differ from run to run, so only what must always hold is
asserted.
"""

from __future__ import annotations

import pytest

from bamboo_neo4j.memorise.llm import Ground
from bamboo_neo4j.memorise.tagging import find_tagger
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.settings import read_settings

PARAGRAPH = """The Hardanger fiddle is a stringed instrument of western Norway. It has four strings that are
bowed and four or five below them that sound in sympathy. The oldest one known was made in 1651 by Ole Jonsen
Jaastad in Ullensvang. Ole Bull of Bergen played its tunes in the concert halls of Paris, and Edvard Grieg
wrote some of them down as the Slåtter, opus 72."""

pytestmark = pytest.mark.slow


def test_p21_a_small_real_model_gives_tags_of_the_passage_only(local_model: str) -> None:
    settings = read_settings({"model_url": local_model, "model": "local", "model_timeout": "600"}, environ={})
    words = normaliser("en")
    tagger = find_tagger("llm", normaliser=words, settings=settings)
    tags = tagger.tags(PARAGRAPH, title="Hardanger fiddle", tokens=100)
    ground = Ground("Hardanger fiddle", PARAGRAPH, words)
    assert 4 <= len(tags) <= 12
    assert all(ground.holds(tag.display) for tag in tags)
    assert len({tag.key for tag in tags}) == len(tags)
    assert tagger.calls <= 3
