"""Questions of every kind on a real server: operators, look-alikes, thousands of words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.errors import NothingRecalled
from bamboo_neo4j.graph.client import GraphClient
from bamboo_neo4j.recall import cues as rules
from bamboo_neo4j.records import Document, Recall
from tests.graph.recalling import Asked, ask, recall, remembered, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from neo4j import Driver


ZX = [
    Document("zx", "", "zx-one", "The zx-one is a small radio beacon near Dunholm.", "text/plain"),
    Document("c", "", "", "Programs in C++ and C# are open to cause and effect of any kind.", "text/plain"),
    Document("quote", "", "", 'The beta radio said: a * b, not "open" AND ~ OR (kind).', "text/plain"),
]


@pytest.fixture(scope="module")
def zx(driver: Driver) -> Iterator[str]:
    with remembered(driver, ZX) as name:
        yield name


P25 = ["/k beta", "cause/effect?", "zx-", "C++", "kind:", "(open", "AND OR NOT", "*", "~", '"']


@pytest.mark.parametrize(
    "question",
    [
        *P25,
        "terms:beta",
        "beta^99",
        "beta~ radio*",
        "+beta -radio !open",
        "[a TO b] {c TO d}",
        "\\",
        "beta\\",
        '"beta" \\" OR memory:"x"',
        "memory:default",
        "&& ||",
        "beta && radio || open",
        "/beta.*/",
        "$terms {radio}",
        "'); MATCH (n) DETACH DELETE n //",
        "radio\0beta",
        "\ud83d\ude00 radio",
        " ",
        "\n\t",
    ],
)
def test_p25_no_question_is_read_as_a_query(driver: Driver, zx: str, question: str) -> None:
    try:
        found = ask(driver, zx, question)
    except NothingRecalled:
        return  # what it says is another test's
    assert found.chunks
    assert {chunk.document for chunk in found.chunks} <= {"zx", "c", "quote"}


def test_p25_half_a_name_still_finds_it(driver: Driver, zx: str) -> None:
    for question in ("zx-", "zx-?", "(zx-", '"zx-', "zx-one", "ZX-ONE", "zx:"):
        assert ask(driver, zx, question).chunks[0].document == "zx", question
    assert ask(driver, zx, "C++").chunks[0].document == "c"


@pytest.mark.parametrize("question", ["AND OR NOT", "*", "~", '"', "&& || !", "", "+-()[]{}^~*?:\\/"])
def test_p25_operators_alone_are_nothing_to_recall_by(driver: Driver, zx: str, question: str) -> None:
    with pytest.raises(NothingRecalled, match="no word to recall by"):
        ask(driver, zx, question)


def test_p30_a_question_of_common_words_is_not_answered_from_names_that_look_alike(driver: Driver) -> None:
    texts = {
        "Canada": "Canada sells maple syrup to Willow.",
        "Willow": "Willow is a town that Mayor Odo Pell runs.",
        "Mayor": "The Mayor asks IT for a new telephone.",
        "IT": "IT mends the telephone of the Mayor.",
    }
    documents = [Document(title, "", title, text, "text/plain") for title, text in texts.items()]
    with remembered(driver, documents) as name:
        for question in ("Can you say whether it will rain in May?", "may it rain?", "CAN IT RAIN IN MAY?"):
            with pytest.raises(NothingRecalled, match=r"has not learned .*(rain|RAIN)"):
                ask(driver, name, question)
        assert ask(driver, name, "What does IT mend?").cues[0].tag == "it"
        assert "it" not in [cue.tag for cue in ask(driver, name, "Does it mend the telephone?").cues]


def test_a_question_of_five_thousand_words_is_answered_from_its_beginning(driver: Driver) -> None:
    names = [f"w{number:03}q" for number in range(600)]
    content = [names[start : start + 20] for start in range(0, 600, 20)]
    content += [names[:20]] * 3
    with written(driver, {"a": content}) as name:
        question = " ".join((names * 9)[:5000])
        found = ask(driver, name, question, limit=9)
        assert found == again(ask(driver, name, question, limit=9), found)
        # The first twenty words stand in four chunks, the others in one: of those, spelling decides.
        ends = 20 + rules.MOST_WORDS
        assert {cue.text for cue in found.cues} == set(names[20:ends])
        assert {chunk.ordinal for chunk in found.chunks} == {place // 20 for place in range(20, ends)}
        said = " ".join(found.truncated)
        assert f"its last {5000 - rules.MOST_TOKENS} words were not read" in said
        assert f"{rules.MOST_TOKENS - 2 * rules.MOST_WORDS} of the most common tags" in said
        assert "left out, as the most common" in said


def again(found: Recall, other: Recall) -> Recall:
    """`found` with the milliseconds of `other`."""
    return replace(found, milliseconds=other.milliseconds)


def test_a_question_of_thousands_of_unknown_words_says_so(driver: Driver, zx: str) -> None:
    with pytest.raises(NothingRecalled, match=r"has not learned 'x0q'.* and \d+ more words"):
        ask(driver, zx, " ".join(f"x{number}q" for number in range(5000)))


def test_more_clauses_than_the_index_allows_are_never_asked_for(driver: Driver) -> None:
    names = [f"w{number:03}q" for number in range(500)]
    with written(driver, {"a": [[name] for name in names]}) as name:
        asked = Asked(GraphClient(driver, owns=False))
        found = recall(asked, name, " ".join([*names, *names]), limit=3)
        row = asked.rows["recall/candidates"][0]
        assert (len(row["words"]), len(row["found"])) == (500, rules.MOST_WORDS)
        assert len(found.chunks) == 3
        assert found.truncated
