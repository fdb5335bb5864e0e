"""Between the statements of recall: what they are asked, what is made of their rows, and what is said."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from bamboo_neo4j.errors import BambooError, NotFound, NothingRecalled, UsageError
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.recall import associations, cues, paper, ranking, reading, retrieve
from bamboo_neo4j.recall.evidence import Choice, Step, choice, gather
from bamboo_neo4j.recall.paper import PaperRecall
from bamboo_neo4j.recall.ranking import Candidate, Corpus, Link, Name, Query, Ranked, Scored
from bamboo_neo4j.recall.retrieve import Request
from bamboo_neo4j.records import Association, Recall, RecalledChunk, Via

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENGLISH = normaliser("en")
Rows = list[dict[str, Any]]


@dataclass
class Script:
    """A reader that answers from a script and keeps what it was asked."""

    answers: Mapping[str, Rows]
    asked: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def __call__(self, name: str, parameters: Mapping[str, object], /) -> Rows:
        self.asked[name] = parameters
        return self.answers[name]


# What may be asked for.


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": 0}, "limit is 0"),
        ({"tokens": 0}, "tokens is 0"),
        ({"tokens": -5}, "tokens is -5"),
        ({"first": -1}, "first is -1"),
        ({"second": -1}, "second is -1"),
        ({"ranking": "best"}, "no ranking is called 'best'"),
    ],
)
def test_a_number_out_of_range_is_refused_and_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        Request("q", "m", **options)
    assert caught.value.hint.startswith("use ")


def test_the_smallest_request_is_allowed() -> None:
    request = Request("q", "m", limit=1, tokens=1, first=0, second=0, ranking="paper")
    assert (request.tokens, Request("q", "m").tokens, Request("q", "m").limit) == (1, None, retrieve.LIMIT)


# Round trip 1.


def candidates(**more: object) -> dict[str, Any]:
    row = {
        "n": 20,
        "terms": 200,
        "cycle": 4,
        "normaliser": ENGLISH.fingerprint,
        "known": 1,
        "tags": [[7, "ada kern", "ada kern", 2, 1, ["c1"]]],
        "words": [["ada", 2], ["kern", 3]],
        "found": ["c2", "c1", "c2"],
        "chunks": [["c1", "ada kern | x", 3, 9, [7, 8]], ["c2", "kern", 1, 4, []]],
    }
    return {**row, **more}


def find(question: str, *rows: dict[str, Any]) -> tuple[reading.Found, Mapping[str, Any]]:
    script = Script({"recall/candidates": list(rows)})
    found = reading.find(cues.read(question, ENGLISH), ENGLISH, read=script, memory="notes")
    return found, script.asked["recall/candidates"]


def test_what_the_memory_knows_becomes_records() -> None:
    found, _ = find("Ada Kern", candidates())
    assert found.corpus == Corpus(20, 200)
    assert (found.cycle, found.left) == (4, 0)
    assert found.words == {"ada": 2, "kern": 3}
    assert found.tags == (cues.KnownTag(7, "ada kern", "ada kern", 2, 1, frozenset({"c1"})),)
    one, two = Candidate("c1", ("ada", "kern", "|", "x"), 3, (7, 8), 9), Candidate("c2", ("kern",), 1, (), 4)
    assert found.found == (two, one)
    assert found.about == (one,), "about a tag of the question, though the index has it too"


def test_tags_beyond_those_that_were_looked_at_are_counted() -> None:
    assert find("Ada Kern", candidates(known=5))[0].left == 4


def test_a_memory_that_never_reasoned_is_in_its_first_cycle() -> None:
    assert find("Ada", candidates(cycle=None, normaliser=None))[0].cycle == 0


def test_the_index_gets_each_word_quoted_with_its_count_and_what_it_says() -> None:
    assert ENGLISH.is_generic("world")
    _, asked = find("copper world, C++ and copper, copper world", candidates())
    generic = 2 * cues.GENERIC
    assert asked["words"] == {
        "copper": '"copper"^3',
        "world": f'"world"^{generic:g}' if generic != 1 else '"world"',
        "c++": '"c++"',
    }
    assert asked["memory"] == "notes"
    assert asked["grams"][:3] == ["copper", "copper world", "copper world c++"]
    assert (asked["limit"], asked["rarest"], asked["common"], asked["most"], asked["resolving"]) == (
        reading.FOUND,
        reading.RAREST,
        reading.COMMON,
        cues.MOST_WORDS,
        cues.MOST_ABOUT,
    )


def test_whatever_a_term_is_it_stays_inside_its_quotes() -> None:
    script = Script({"recall/candidates": [candidates()]})
    asked = replace(cues.read("x", ENGLISH), terms=('a"\\',), spelling={'a"\\': "a"})
    reading.find(asked, ENGLISH, read=script, memory="notes")
    assert script.asked["recall/candidates"]["words"] == {'a"\\': '"a\\"\\\\"'}


@pytest.mark.parametrize("rows", [[], [candidates(n=0)], [candidates(n=None)]])
def test_an_empty_memory_is_nothing_to_recall_from(rows: Rows) -> None:
    with pytest.raises(NothingRecalled, match="'notes' holds no chunk") as caught:
        find("Ada", *rows)
    assert "bamboo ingest" in caught.value.hint


def test_a_memory_of_other_word_rules_is_refused() -> None:
    with pytest.raises(BambooError, match="notes") as caught:
        find("Ada", candidates(normaliser="other"))
    assert caught.value.hint


# Round trip 2.


def scored(name: str, score: float, about: tuple[int, ...] = ()) -> Scored:
    return Scored(Candidate(name, ("x",), 1, about), score, {})


def cue(number: int, key: str, *, weak: bool = False) -> cues.CueTag:
    tag = cues.KnownTag(number, key, key, 1, 1, frozenset())
    return cues.CueTag(tag, key, len(key.split()), weak)


def some_cues(*tags: cues.CueTag, grams: Sequence[int] = ()) -> cues.Cues:
    names = tuple(Name(each.tag.id, frozenset(), 1.0, frozenset(), each.weak) for each in tags)
    return cues.Cues(Query({}, {}, names), tags, (), frozenset(grams), (), ())


def found_with(**more: Any) -> reading.Found:  # noqa: ANN401
    found = reading.Found(Corpus(20, 200), 4, (), {}, (), (), 0)
    return replace(found, **more)


def test_the_best_chunks_lead_on_and_the_questions_own_tags_do_not() -> None:
    everything = [scored(f"c{number}", 1 - number / 100) for number in range(ranking.SOURCES + 3)]
    script = Script({"recall/links": [{"sources": [], "seen": [], "fresh": [], "taught": []}]})
    asked_with = some_cues(cue(7, "ada"), cue(5, "kern"), grams=[9, 7, 5])
    links = reading.link(everything, asked_with, found=found_with(), read=script)
    assert links == reading.Links({}, {}, ())
    asked = script.asked["recall/links"]
    assert asked["sources"] == [each.candidate.id for each in everything[: ranking.SOURCES]]
    assert asked["scores"] == [each.score for each in everything[: ranking.SOURCES]]
    assert asked["known"] == dict.fromkeys([each.candidate.id for each in everything], 1)
    assert (asked["grams"], asked["cues"], asked["n"], asked["cycle"]) == ([5, 7, 9], [7, 5], 20, 4)
    assert (asked["linkAbout"], asked["linkTagged"]) == (reading.LINK_ABOUT, reading.LINK_TAGGED)
    assert (asked["body"], asked["cap"]) == (reading.BODY, ranking.FRESH)


def test_links_are_worth_what_the_graph_says_and_less_from_a_chunk_without_a_name() -> None:
    row = {
        "sources": [["c0", [7]], ["c1", []]],
        "seen": [["c1", [[0, 0.8, 3]]]],
        "fresh": [["c9", [[0, 0.6, 3], [1, 0.5, 4]], "tin zinc", 2, 11, [30]]],
        "taught": [["c9", ["Who sells tin?"]]],
    }
    sources = [scored("c0", 1.0), scored("c1", 0.5), scored("gone", 0.4)]
    asked_with = some_cues(cue(7, "ada kern"), grams=[7])
    links = reading.link(sources, asked_with, found=found_with(), read=Script({"recall/links": [row]}))
    assert links.held == {"c0": (7,), "c1": ()}
    assert links.links["c1"] == (Link(0, 0.8, 3),)
    assert links.links["c9"] == (Link(0, 0.6, 3), Link(1, 0.5 * ranking.UNANCHORED, 4))
    assert links.fresh == (Candidate("c9", ("tin", "zinc"), 2, (30,), 11),)
    assert links.taught == (("c9", ("Who sells tin?",)),)


# Paths.


def ranked(about: tuple[int, ...], source: tuple[int, ...] | None = None, over: int = 0) -> Ranked:
    candidate = Candidate("d", (), 0, about)
    if source is None:
        return Ranked(candidate, 0.7)
    return Ranked(candidate, 0.7, Candidate("c", (), 0, source), Link(0, 0.5, over))


def test_a_path_goes_from_each_tag_of_the_question_over_the_link_to_what_the_chunk_is_about() -> None:
    path = choice(ranked((30, 31), (20,), over=9), {"c": [5, 6]})
    assert path == Choice("d", 0.7, (Step(5, 9, 1), Step(6, 9, 1), Step(9, 30, 2)), 30)


def test_without_a_tag_of_the_question_a_path_begins_at_what_the_source_is_about() -> None:
    assert choice(ranked((30,), (20, 21), over=9), {}).steps == (Step(20, 9, 1), Step(9, 30, 2))
    assert choice(ranked((30,), (), over=9), {"c": []}).steps == (Step(9, 30, 2),)


def test_no_step_goes_from_a_tag_to_itself() -> None:
    assert choice(ranked((9,), (20,), over=9), {"c": [5]}).steps == (Step(5, 9, 1),)
    assert choice(ranked((30,), (9,), over=9), {}).steps == (Step(9, 30, 2),)
    assert choice(ranked((9,), (9,), over=9), {}).steps == ()
    assert choice(ranked((), (20,), over=9), {}).steps == (Step(20, 9, 1),)


def test_a_chunk_that_its_words_found_has_no_path_yet() -> None:
    assert choice(ranked((30,)), {"c": [5]}) == Choice("d", 0.7, (), 30)
    assert choice(ranked(()), {}).primary is None


# Round trip 3.


def texts(*names: str) -> list[list[object]]:
    return [[name, f"doc {name}", "Title", 2, f"Text {name}", 5] for name in names]


def test_texts_come_with_the_edges_that_exist_named_in_the_direction_of_the_path() -> None:
    row = {
        "chunks": texts("d", "e"),
        "direct": [["e", 5, 40], ["e", 6, 40]],
        "edges": [
            [5, 9, "ada", "bridge", 3, 0.5],
            [5, 40, "ada", "tin", 1, 0.9],
            [4, 9, "zinc", "bridge", 2, 0.5],
        ],
    }
    script = Script({"recall/evidence": [row]})
    choices = [
        Choice("d", 0.7, (Step(9, 5, 1), Step(9, 77, 2), Step(9, 4, 2)), 77),
        Choice("e", 0.6, (), 40),
        Choice("gone", 0.5, (Step(5, 9, 1),), None),
        Choice("gone too", 0.4, (), None),
    ]
    found = gather(choices, read=script, cues=[6, 5], cycle=3)
    assert script.asked["recall/evidence"] == {
        "ids": ["d", "e", "gone", "gone too"],
        "pairs": [[4, 9], [5, 9], [9, 77]],
        "direct": [["e", 40]],
        "cues": [5, 6],
        "cycle": 3,
    }
    assert [(chunk.id, chunk.document, chunk.title, chunk.ordinal, chunk.text) for chunk in found] == [
        ("d", "doc d", "Title", 2, "Text d"),
        ("e", "doc e", "Title", 2, "Text e"),
    ]
    assert [(chunk.tokens, chunk.score) for chunk in found] == [(5, 0.7), (5, 0.6)]
    assert found[0].via == (Via("bridge", "ada", 1, 3, 0.5), Via("bridge", "zinc", 2, 2, 0.5))
    assert found[1].via == (Via("ada", "tin", 1, 1, 0.9),)


# Associations.


def near(
    key: str, score: float, cue: str = "cue", seconds: Sequence[Sequence[object]] = ()
) -> dict[str, Any]:
    row = {"cue": cue, "key": key, "tag": key.upper(), "weight": 2, "strength": 0.5, "rank": 2.0}
    return {**row, "score": score, "seconds": list(seconds)}


def associate(*rows: dict[str, Any]) -> tuple[Association, ...]:
    return associations.associate(["cue"], read=Script({"recall/associate": list(rows)}), memory="m")


def test_associations_are_in_order_of_score_then_degree_then_key() -> None:
    found = associate(
        near("b", 0.5, seconds=[["Z", "Z", 1, 0.6, 1.2, 0.5], ["d", "D", 1, 0.5, 1.0, 0.7]]), near("a", 0.5)
    )
    assert [(each.tag, each.degree, each.through) for each in found] == [
        ("D", 2, "B"),
        ("A", 1, None),
        ("B", 1, None),
        ("Z", 2, "B"),
    ]
    assert found[3] == Association("cue", "Z", "B", 2, 1, 0.6, 1.2, 0.5)
    assert found[1] == Association("cue", "A", None, 1, 2, 0.5, 2.0, 0.5)


def test_a_tag_reached_twice_keeps_its_best_path() -> None:
    found = associate(
        near("a", 0.2), near("b", 0.5, seconds=[["a", "A", 1, 0.5, 1.0, 0.4]]), near("a", 0.3, cue="other")
    )
    assert [(each.tag, each.score, each.through) for each in found] == [("B", 0.5, None), ("A", 0.4, "B")]


def test_of_equal_paths_the_first_cue_by_name_is_kept() -> None:
    found = associate(near("a", 0.2, cue="zinc"), near("a", 0.2, cue="tin"))
    assert [each.cue for each in found] == ["tin"]


def test_more_edges_are_read_than_come_back_and_always_enough() -> None:
    for first, second in ((5, 3), (associations.FETCH + 7, associations.FETCH_SECOND + 7)):
        script = Script({"recall/associate": []})
        assert associations.associate(["k"], read=script, memory="m", first=first, second=second) == ()
        assert script.asked["recall/associate"] == {
            "memory": "m",
            "cues": ["k"],
            "first": first,
            "second": second,
            "fetch": max(associations.FETCH, first),
            "fetchSecond": max(associations.FETCH_SECOND, second + 1),
        }


def test_without_a_tag_nothing_is_asked() -> None:
    assert associations.associate([], read=Script({}), memory="m") == ()


# The published ranking.


def paper_script(**cut: list[list[int]]) -> Script:
    rows = [
        {
            "cue": "cue", "cueId": 5, "tag": "tin", "id": 3, "weight": 4, "strength": 0.5, "rank": 4.0,
            "seconds": [[8, "zinc", 2, 0.5, 2.0], [5, "cue", 4, 0.5, 4.0]],
        },
        {
            "cue": "cue", "cueId": 5, "tag": "zinc", "id": 8, "weight": 1, "strength": 0.5, "rank": 1.0,
            "seconds": [[3, "tin", 2, 0.5, 2.0]],
        },
    ]  # fmt: skip
    chunks = [["c1", 50, 7.0, [[5, 8], [3, 5]]], ["c2", 60, 4.0, [[3, 5]]], ["c3", 40, 2.0, [[3, 8]]]]
    edges = [[3, 5, "tin", "cue", 4, 0.5], [5, 8, "cue", "zinc", 1, 0.5], [3, 8, "tin", "zinc", 2, 0.5]]
    return Script(
        {
            "recall/paper_associate": rows,
            "recall/paper_chunks": [{"chunks": chunks, "cut": cut.get("cut", [])}],
            "recall/evidence": [{"chunks": texts("c1", "c2", "c3"), "direct": [], "edges": edges}],
        }
    )


def test_each_retrieved_edge_is_asked_for_once_with_its_weight() -> None:
    script = paper_script()
    chosen = paper.choose(PaperRecall("m", 7, 2), ["cue"], read=script, cycle=3)
    assert script.asked["recall/paper_associate"] == {"memory": "m", "cues": ["cue"], "first": 7, "second": 2}
    assert script.asked["recall/paper_chunks"] == {
        "edges": [[3, 5, 4.0], [3, 8, 2.0], [5, 8, 1.0]],
        "most": paper.MOST_CHUNKS,
    }
    assert script.asked["recall/evidence"]["cycle"] == 3
    assert [(chunk.id, chunk.score) for chunk in chosen.chunks] == [("c1", 7.0), ("c2", 4.0), ("c3", 2.0)]
    assert chosen.truncated == ()


def test_an_edge_of_both_degrees_is_named_by_the_first() -> None:
    chosen = paper.choose(PaperRecall("m"), ["cue"], read=paper_script(), cycle=0)
    assert chosen.chunks[0].via == (Via("cue", "tin", 1, 4, 0.5), Via("cue", "zinc", 1, 1, 0.5))
    assert chosen.chunks[2].via == (Via("tin", "zinc", 2, 2, 0.5),)


def test_the_published_set_is_packed_under_the_budget_and_cuts_are_said() -> None:
    script = paper_script(cut=[[5, 8], [3, 5]])
    chosen = paper.choose(PaperRecall("m", limit=3, tokens=100), ["cue"], read=script, cycle=0)
    assert script.asked["recall/evidence"]["ids"] == ["c1", "c3"]
    assert chosen.truncated == (
        f"only {paper.MOST_CHUNKS} chunks of the edge tin – cue were looked at",
        f"only {paper.MOST_CHUNKS} chunks of the edge cue – zinc were looked at",
        "1 chunk does not fit into the 100 tokens: c2 (60)",
    )


def test_without_a_tag_the_published_ranking_says_that_it_knows_no_words() -> None:
    chosen = paper.choose(PaperRecall("m"), [], read=Script({}), cycle=0)
    assert (chosen.chunks, chosen.statements) == ((), ())
    assert "knows no words" in chosen.truncated[0]


# The whole, and what it says.


def whole(question: str, script: Script, **options: Any) -> Recall:  # noqa: ANN401
    return retrieve.recall(Request(question, "notes", **options), read=script, normaliser=ENGLISH)


def a_memory(**more: object) -> Script:
    return Script(
        {
            "recall/candidates": [candidates(**more)],
            "recall/links": [{"sources": [["c1", [7]]], "seen": [], "fresh": [], "taught": []}],
            "recall/evidence": [{"chunks": texts("c1", "c2"), "direct": [], "edges": []}],
            "recall/associate": [near("tin", 0.5, cue="ada kern")],
        }
    )


def test_a_recall_says_what_was_known_what_came_back_and_what_was_run() -> None:
    found = whole("Did Ada Kern melt copper?", a_memory())
    assert (found.question, found.memory, found.ranking) == ("Did Ada Kern melt copper?", "notes", "bamboo")
    assert [(each.text, each.tag, each.word) for each in found.cues] == [("Ada Kern", "ada kern", None)]
    assert found.unknown == ("melt", "copper")
    assert [chunk.id for chunk in found.chunks] == ["c1", "c2"]
    assert found.tokens == 10
    assert [each.tag for each in found.associations] == ["TIN"]
    assert found.truncated == ()
    assert found.statements == (
        "recall/candidates",
        "recall/links",
        "recall/evidence",
        "recall/associate",
    )
    assert found.milliseconds > 0


def test_words_are_shown_as_they_were_written() -> None:
    found = whole("Kerns", a_memory(tags=[], known=0, words=[["kern", 3]]))
    assert [(each.text, each.tag, each.word) for each in found.cues] == [("Kerns", None, "kern")]
    assert found.statements == ("recall/candidates", "recall/links", "recall/evidence")


@pytest.mark.parametrize("options", [{"first": 0}, {"associations": False}])
def test_associations_are_not_asked_for_where_none_are_wanted(options: dict[str, Any]) -> None:
    script = a_memory()
    assert whole("Ada Kern", script, **options).associations == ()
    assert "recall/associate" not in script.asked


def test_the_published_ranking_asks_for_the_tags_of_the_question_only() -> None:
    script = Script({**a_memory().answers, **paper_script().answers})
    found = whole("Ada Kern, copper", script, ranking="paper", first=2, second=1, limit=2)
    assert script.asked["recall/paper_associate"] == {
        "memory": "notes",
        "cues": ["ada kern"],
        "first": 2,
        "second": 1,
    }
    assert (found.ranking, [chunk.id for chunk in found.chunks]) == ("paper", ["c1", "c2"])
    assert found.statements == (
        "recall/candidates",
        "recall/paper_associate",
        "recall/paper_chunks",
        "recall/evidence",
        "recall/associate",
    )


def test_chunks_of_a_shorter_tag_inside_a_name_do_not_come_by_it() -> None:
    tags = [[7, "ada kern", "ada kern", 2, 1, ["c1"]], [8, "kern", "kern", 2, 1, ["c2"]]]
    script = a_memory(tags=tags, known=2, found=[])
    whole("Ada Kern", script)
    assert script.asked["recall/links"]["known"] == {"c1": 1}
    assert script.asked["recall/links"]["grams"] == [7, 8]


def test_what_of_the_question_was_not_used_is_said() -> None:
    many = [f"w{number}q" for number in range(cues.MOST_WORDS + retrieve.NAMED + 2)]
    question = " ".join([*many, *["and"] * cues.MOST_TOKENS])
    script = a_memory(tags=[], known=3, words=[[word, 1 + place] for place, word in enumerate(many)])
    found = whole(question, script)
    named = ", ".join(many[cues.MOST_WORDS : cues.MOST_WORDS + retrieve.NAMED])
    assert found.truncated == (
        f"the question was cut: its last {len(many)} words were not read",
        "3 of the most common tags of the question were not looked at",
        f"the question has too many words and tags; left out, as the most common: {named} and 2 more",
    )
    fewer = many[: cues.MOST_WORDS + 1]
    script = a_memory(tags=[], known=0, words=[[word, 1 + place] for place, word in enumerate(fewer)])
    assert whole(" ".join(fewer), script).truncated == (
        f"the question has too many words and tags; left out, as the most common: {fewer[-1]}",
    )


def test_a_word_that_was_cut_as_a_tag_too_is_named_once() -> None:
    many = [f"w{number}q" for number in range(cues.MOST_WORDS + 1)]
    tags = [[place, word, word, 1 + place, 0, []] for place, word in enumerate(many)]
    words = [[word, 1 + place] for place, word in enumerate(many)]
    script = a_memory(tags=tags, known=len(tags), words=words, found=[])
    said = f"the question has too many words and tags; left out, as the most common: {many[-1]}"
    assert said in whole(" ".join(many), script).truncated


def test_a_budget_that_cuts_is_said() -> None:
    found = whole("Ada Kern", a_memory(), tokens=5)
    assert found.truncated == ("1 chunk does not fit into the 5 tokens: c1 (9)",)


@pytest.mark.parametrize("question", ["", "?!", "and or of the"])
def test_a_question_without_a_word_is_not_asked(question: str) -> None:
    script = Script({})
    with pytest.raises(NothingRecalled, match="no word to recall by") as caught:
        whole(question, script)
    assert caught.value.hint
    assert script.asked == {}


def unknown(question: str, **more: object) -> str:
    nothing = {"tags": [], "known": 0, "words": [], "found": [], "chunks": []}
    with pytest.raises(NothingRecalled) as caught:
        whole(question, a_memory(**{**nothing, **more}))
    assert caught.value.hint == "bamboo tags lists what it knows"
    return str(caught.value)


def test_what_was_never_learned_is_named() -> None:
    assert "memory 'notes' has not learned 'Xyzzyva', 'copper'" in unknown("Xyzzyva and copper")
    many = " ".join(f"w{number}q" for number in range(retrieve.NAMED + 3))
    assert f"'w{retrieve.NAMED - 1}q' and 3 more words" in unknown(many)


def test_words_that_say_too_little_are_said_to() -> None:
    assert "'World' alone say too little" in unknown("the World", words=[["world", 3]])


def test_function_words_that_name_nothing_are_said_to() -> None:
    assert "only function words" in unknown("Who are The Who")


# A drawing, and the neighbours of a tag.


def a_recall(*chunks: RecalledChunk, memory: str = "notes") -> Recall:
    return Recall("q", memory, "bamboo", (), (), (), chunks, 0, (), (), 0.0)


def recalled(name: str, *via: Via) -> RecalledChunk:
    return RecalledChunk(name, "doc", "", 0, "", 1, 1.0, via)


def test_an_explanation_names_each_edge_once_and_the_chunk_at_the_end_of_a_path() -> None:
    one, two = Via("ada", "bridge", 1, 2, 0.5), Via("bridge", "tin", 2, 1, 0.5)
    text = retrieve.explain(
        a_recall(recalled("c1", one, two), recalled("c2", one, two), recalled("c3")), "WITH $memory, $edges;"
    )
    assert text == (
        "WITH 'notes', [\n  ['ada', 'bridge', ''],\n  ['bridge', 'tin', 'c1'],\n  ['bridge', 'tin', 'c2']\n];"
    )


def test_an_explanation_holds_every_name_as_one_literal() -> None:
    name = "it's \\ a\nb\u200b\U000e0041 \U0001f600 é"
    text = retrieve.explain(a_recall(recalled("c", Via(name, "b", 1, 1, 0.5))), "$memory $edges")
    assert "'it\\'s \\\\ a\\u000ab\\u200b\\udb40\\udc41 \U0001f600 é'" in text


def neighbours(tag: str, *rows: dict[str, Any]) -> tuple[Association, ...]:
    script = Script({"recall/associate": list(rows)})
    return retrieve.neighbours(tag, read=script, normaliser=ENGLISH, memory="notes")


def test_neighbours_are_found_however_the_tag_is_spelled() -> None:
    script = Script({"recall/associate": [near("tin", 0.5)]})
    found = retrieve.neighbours(
        "The Harbours", read=script, normaliser=ENGLISH, memory="m", first=9, second=0
    )
    assert [each.tag for each in found] == ["TIN"]
    assert script.asked["recall/associate"]["cues"] == ["harbour"]
    assert (script.asked["recall/associate"]["first"], script.asked["recall/associate"]["second"]) == (9, 0)


@pytest.mark.parametrize("tag", ["copper", "", "?!"])
def test_a_tag_without_neighbours_is_not_found(tag: str) -> None:
    with pytest.raises(NotFound, match="notes"):
        neighbours(tag)
