"""Plain text, Markdown, HTML, CSV, JSON and JSON lines: what is in the file is in the document."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.errors import InputError, UsageError
from bamboo_neo4j.memorise.documents import Limits, NoText, Source, find_sources, load

if TYPE_CHECKING:
    from bamboo_neo4j.records import Document

ROOT = Path(__file__).resolve().parents[2]


def read(path: Path, data: bytes | str | None = None, **options: object) -> Document:
    (document,) = read_all(path, data, **options)
    return document


def read_all(path: Path, data: bytes | str | None = None, **options: object) -> list[Document]:
    if data is not None:
        path.write_bytes(data.encode() if isinstance(data, str) else data)
    (source,) = find_sources([str(path)])
    assert isinstance(source, Source)
    return list(load(source, **options))  # type: ignore[arg-type]


# Encodings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_p04_every_form_with_a_mark_gives_the_text_of_plain_utf8(tmp_path: Path, encoding: str) -> None:
    document = read(tmp_path / "a.md", "# Größe – café\n".encode(encoding))
    assert (document.text, document.title, document.warnings) == ("# Größe – café\n", "Größe – café", ())


@pytest.mark.parametrize(
    ("encoding", "text", "named"),
    [
        ("cp1252", "# Größe – café", "windows-1252"),
        ("latin-1", "# Größe, café", "windows-1252"),
        ("gbk", "数据库", "gb18030"),
        ("gbk", "# 数据库是按照数据结构来组织的", "gb18030"),
        ("shift_jis", "日本語の文章です。テスト", "cp932"),
        ("euc_jp", "日本語の文章です。テスト", "euc-jp"),
        ("cp1251", "Привет, мир", "windows-1251"),
        ("koi8-r", "Привет, мир! Это проверка кодировки текста.", "koi8-r"),
        ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy", "windows-1250"),
        ("utf-16-le", "# Größe – café", "utf-16-le"),
        ("utf-16-be", "# Größe – café", "utf-16-be"),
    ],
)
def test_p04_other_encodings_are_read_and_the_guess_is_named(
    tmp_path: Path, encoding: str, text: str, named: str
) -> None:
    document = read(tmp_path / "a.txt", text.encode(encoding))
    assert document.text == text
    assert document.warnings == (f"read as {named}: it is not UTF-8 and the encoding was guessed",)


def test_p04_a_mark_that_lies_is_refused_with_the_offset(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"a\.txt: begins with the mark of UTF-8, but is not UTF-8 at byte 4"
    ):
        read(tmp_path / "a.txt", b"\xef\xbb\xbfa\xff\xff")


def test_p04_reading_does_not_depend_on_the_locale(tmp_path: Path) -> None:
    (tmp_path / "ä.md").write_text("# Größe – café", encoding="utf-8")
    program = (
        "import sys; from bamboo_neo4j.memorise.documents import find_sources, load\n"
        "for source in find_sources(sys.argv[1:]):\n"
        "    for d in load(source): sys.stdout.buffer.write((d.title + d.text).encode())"
    )
    environment = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONPATH": str(ROOT), "PATH": os.defpath}
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], env=environment, capture_output=True, check=True
    )
    assert run.stdout.decode() == "Größe – café# Größe – café"


def test_p05_nul_becomes_a_blank_with_one_warning(tmp_path: Path) -> None:
    document = read(tmp_path / "a.txt", b"alpha\x00beta gamma\x00\x00delta")
    assert document.text == "alpha beta gamma delta"
    assert document.warnings == ("3 NUL characters replaced by blanks",)


def test_p05_half_surrogates_go_and_the_rest_stays(tmp_path: Path) -> None:
    assert read(tmp_path / "a.json", '{"a": "\\ud83d cat", "b": "\\ud83d\\ude00"}').text == "a:  cat\nb: 😀"


def test_p11_a_copy_with_other_line_ends_has_the_same_text(tmp_path: Path) -> None:
    texts = [read(tmp_path / "a.md", f"# T{end}{end}one{end}two{end}").text for end in ("\n", "\r\n", "\r")]
    assert texts == ["# T\n\none\ntwo\n"] * 3


def test_marks_inside_the_text_and_controls_go(tmp_path: Path) -> None:
    assert read(tmp_path / "a.txt", "a\ufeffb\x0cc\x1bd\u2028e".encode()).text == "ab\nc d\ne"


# Nothing in it, or no text


@pytest.mark.parametrize("data", [b"", b" \n\t", b"\xef\xbb\xbf", "\u200b".encode(), b"\xff\xfe", b"\x00"])
@pytest.mark.parametrize(
    "name", ["a.txt", "a.md", "a.html", "a.csv", "a.json", "a.jsonl", "a.pdf", "a.docx", "a"]
)
def test_p07_an_input_with_nothing_to_see_has_no_text(tmp_path: Path, data: bytes, name: str) -> None:
    if name in {"a.pdf", "a.docx"} and data == "\u200b".encode():
        name = "a.rst"  # a zero-width space is no PDF
    with pytest.raises(NoText, match=rf"{name}: no text"):
        read(tmp_path / name, data)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.html", "<title>only a title</title><script>x</script>"),
        ("a.md", "---\n---\n<!-- nothing -->"),
        ("a.json", "{}"),
        ("a.json", '[null, {"a": []}]'),
        ("a.jsonl", '{"text": " "}'),
        ("a.csv", ";;\n;;\n"),
    ],
)
def test_p07_marks_alone_are_no_text(tmp_path: Path, name: str, data: str) -> None:
    with pytest.raises(NoText, match="no text"):
        read(tmp_path / name, data)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "a PNG image"),
        (b"PK\x03\x04" + bytes(100), "a ZIP archive"),
        (b"\x7fELF" + bytes(100), "an executable"),
        (b"{\\rtf1 hello}", "RTF"),
        (bytes(range(256)) * 20, "binary data"),
        (b"a" + bytes(500), "binary data"),
    ],
)
def test_what_is_not_text_is_refused_whatever_its_name(tmp_path: Path, data: bytes, kind: str) -> None:
    for name in ("a.txt", "a.md", "a.csv", "a.html", "a.json", "a"):
        with pytest.raises(InputError, match=rf"{name}: is not text: it is {kind}"):
            read(tmp_path / name, data)


def test_an_input_above_the_limit_is_refused_by_name(tmp_path: Path) -> None:
    limits = Limits(bytes=1000)
    with pytest.raises(InputError, match=r"a\.txt: larger than the limit of 1,000 bytes") as caught:
        read(tmp_path / "a.txt", "x " * 501, limits=limits)
    assert "raise BAMBOO_MAX_BYTES" in caught.value.hint
    with pytest.raises(InputError, match=r"a\.txt\.gz: larger than the limit of 1,000 bytes"):
        read(tmp_path / "a.txt.gz", gzip.compress(bytes(1_000_000)), limits=limits)


def test_a_compressed_file_is_what_is_in_it(tmp_path: Path) -> None:
    document = read(tmp_path / "a.md.gz", gzip.compress(b"# Packed\n"))
    assert (document.title, document.media_type) == ("Packed", "text/markdown")
    with pytest.raises(InputError, match="damaged gzip"):
        read(tmp_path / "b.md.gz", b"\x1f\x8bxx")


def test_a_file_that_has_gone_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.txt: no such file"):
        list(load(Source(tmp_path / "a.txt", "file:///a.txt", "a.txt")))


# Ids and titles


def test_a_document_is_named_after_its_file_or_as_the_caller_says(tmp_path: Path) -> None:
    path = tmp_path / "a b.txt"
    document = read(path, "words")
    assert (document.id, document.uri, document.title) == (path.as_uri(), path.as_uri(), "a b")
    assert read(path, id="mine").id == "mine"
    assert read(path, id="mine").uri == path.as_uri()


@pytest.mark.parametrize(
    ("data", "title"),
    [
        ("# First *bold* `code` [link](http://x) { #anchor }\ntext", "First bold code link"),
        ('---\ntitle: "Front"\ntags: [a]\n---\n# Head\n', "Front"),
        ("Intro\n=====\n\ntext", "Intro"),
        ("```\n# not a heading\n```\n\n## Head ##\n", "Head"),
        ("no heading", "a"),
        ("---\nrule\n\ntext", "a"),
        ("# snake_case_name <b>x</b>\n", "snake_case_name x"),
        ("# Trailing ##  \n", "Trailing"),
        ("- item\n---\n\n> quote\n---\n", "a"),
    ],
)
def test_the_title_of_markdown_is_its_front_matter_or_first_heading(
    tmp_path: Path, data: str, title: str
) -> None:
    assert read(tmp_path / "a.md", data).title == title


def test_markdown_keeps_code_and_front_matter_and_drops_comments(tmp_path: Path) -> None:
    data = "---\ntitle: T\n---\n<!-- gone -->\nbefore\n```\n<!-- code -->\n```\nafter <!-- gone\ntoo --> end"
    text = read(tmp_path / "a.md", data).text
    assert "title: T\n\n" in text
    assert "gone" not in text
    assert "<!-- code -->" in text
    assert text.split()[-2:] == ["after", "end"]


@pytest.mark.parametrize(
    "data",
    [
        "<!--" * 100_000,
        "<!--\n```\n" * 20_000,
        "# " + "#" * 300_000,
        "# " + "**a" * 100_000,
        "```\n~~~~\n" * 20_000,
    ],
)
def test_crafted_markdown_is_read_in_time(tmp_path: Path, data: str) -> None:
    begin = time.process_time()
    read(tmp_path / "a.md", data)
    read(tmp_path / "b.md", f"---\ntitle: a{' ' * 100_000}b\n---\n{data}")
    assert time.process_time() - begin < 5


def test_the_title_of_restructured_text_is_its_underlined_first_line(tmp_path: Path) -> None:
    assert read(tmp_path / "a.rst", "=====\nGuide\n=====\n\ntext").title == "Guide"
    assert read(tmp_path / "a.rst", "Guide\n-----\n\ntext").title == "Guide"
    assert read(tmp_path / "a.rst", "Guide\n\n-----\n").title == "a"


# HTML


def test_p08_script_and_style_are_not_text(tmp_path: Path) -> None:
    page = "<script>window.lambdaX=1</script><style>.mu{}</style><p>visible word</p><noscript>n</noscript>"
    assert read(tmp_path / "a.html", page).text.strip() == "visible word"


def test_html_blocks_are_paragraphs_and_tables_come_cell_by_cell(tmp_path: Path) -> None:
    page = (
        "<title> The\nPage </title><h1>Head</h1><p>a <b>b</b>old<i>er</i>  c<!-- x --></p>one<br>two"
        "<table><tr><th>k<th>v<tr><td>1<td><p>2</p></table><pre>  x\n   y</pre><template>t</template>"
        "<p hidden>h</p>See <a href='#'>it</a>."
    )
    document = read(tmp_path / "a.html", page)
    assert document.title == "The Page"
    assert document.text == "Head\n\na bolder c\n\none\ntwo\n\nk | v\n1 | 2\n\n  x\n   y\n\nSee it ."


@pytest.mark.parametrize(
    ("head", "encoding"),
    [
        ('<meta charset="windows-1251">', "cp1251"),
        ('<meta http-equiv="Content-Type" content="text/html; charset=KOI8-R">', "koi8-r"),
        ('<?xml version="1.0" encoding="windows-1251"?>', "cp1251"),
        ("<meta charset=unicode_escape>", "utf-8"),
        ("<meta charset=utf-16>", "utf-8"),
        ("", "utf-16"),
    ],
)
def test_html_is_read_as_it_says(tmp_path: Path, head: str, encoding: str) -> None:
    document = read(tmp_path / "a.html", f"{head}<p>Привет".encode(encoding))
    assert (document.text.strip(), document.warnings) == ("Привет", ())


def test_html_that_lies_about_its_encoding_is_guessed(tmp_path: Path) -> None:
    document = read(tmp_path / "a.html", "<meta charset=utf-8><p>café naïve".encode("cp1252"))
    assert document.text == "café naïve"
    assert document.warnings == ("read as windows-1252: it is not UTF-8 and the encoding was guessed",)


def test_html_nested_to_any_depth_is_read_or_given_up_in_time(tmp_path: Path) -> None:
    assert read(tmp_path / "a.html", "<div>" * 5_000 + "deep").text == "deep"
    with pytest.raises(InputError, match="took longer than the limit of 1 seconds"):
        read(tmp_path / "b.html", "<div>" * 300_000 + "deep", limits=Limits(seconds=1))


def test_html_without_its_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "selectolax.lexbor", None)
    with pytest.raises(InputError, match=r"a\.html: reading HTML needs the package 'selectolax'") as caught:
        read(tmp_path / "a.html", "<p>x")
    assert "bamboo-neo4j[files]" in caught.value.hint


# Tables


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        (
            "a.csv",
            'name;city\nAda;London\n"Bob; jr";"New\nYork"\n',
            "name: Ada; city: London\nname: Bob; jr; city: New York",
        ),
        ("a.csv", "name,city\nAda,\n,Rome\n", "name: Ada\ncity: Rome"),
        ("a.csv", "1,2,3\n4,5,6\n", "1; 2; 3\n4; 5; 6"),
        ("a.csv", "a,b\n1,2,extra\n", "a: 1; b: 2; extra"),
        ("a.csv", "word\nalpha\nbeta\n", "word: alpha\nword: beta"),
        ("a.csv", "a|b\nx|y, z\n", "a: x; b: y, z"),
        ("a.csv", "only,names\n", "only; names"),
        ("a.tsv", "name\tcity\nAda\tLondon, UK\n", "name: Ada; city: London, UK"),
    ],
)
def test_each_row_is_a_line_of_named_values(tmp_path: Path, name: str, data: str, text: str) -> None:
    assert read(tmp_path / name, data).text == text


def test_a_huge_cell_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 3 has a cell above the limit of 131,072 characters"):
        read(tmp_path / "a.csv", f"a,b\n1,2\nx,{'y' * 200_000}\n")
    with pytest.raises(InputError, match="more than the limit of 4 cells"):
        read(tmp_path / "a.csv", "a,b\n1,2\n3,4\n", limits=Limits(cells=4))


# JSON


def test_p09_values_of_any_kind_become_lines(tmp_path: Path) -> None:
    value = '{"title":"x","meta":{"a":{"b":1}},"mix":[1,"two",null],"big":9223372036854775808,"empty":{}}'
    document = read(tmp_path / "a.json", value)
    assert document.text == "title: x\nmeta.a.b: 1\nmix: 1, two\nbig: 9223372036854775808"
    assert document.title == "x"


def test_members_of_a_list_are_paragraphs(tmp_path: Path) -> None:
    value = {"on": True, "n": float("nan"), "rows": [{"a": 1}, {"a": [2, 3]}, []], "end": float("-inf")}
    assert (
        read(tmp_path / "a.json", json.dumps(value)).text
        == "on: true\nn: NaN\n\nrows.a: 1\n\nrows.a: 2, 3\n\nend: -Infinity"
    )


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ('{"a": }', "is not JSON: Expecting value at character 7"),
        ('{\n"a": 1,\n"a": 2}', "gives the key 'a' twice in one object"),
        ("[" * 100_000, "is nested too deeply"),
        ('{"a":' * 300 + "1" + "}" * 300, "is nested more than 200 levels deep"),
        ('{"a":' + "9" * 5_000 + "}", "holds an integer of more than 4,300 digits"),
    ],
)
def test_p09_what_is_no_json_is_refused_with_the_reason(tmp_path: Path, data: str, reason: str) -> None:
    with pytest.raises(InputError, match=rf"a\.json: {reason}"):
        read(tmp_path / "a.json", data)


def test_a_passage_is_a_document_with_its_own_id(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    first, second = read_all(
        path, '{"id": "a", "title": "T", "text": "one", "x": {}}\r\n\n{"id": 2, "text": "two"}\n'
    )
    assert (first.id, first.uri, first.title, first.text) == ("a", f"{path.as_uri()}#a", "T", "one")
    assert (second.id, second.title) == ("2", "")


def test_a_passage_without_id_keeps_its_id_when_lines_move(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    before = {each.text: each.id for each in read_all(path, '{"text": "one"}\n{"text": "two"}')}
    after = {
        each.text: each.id for each in read_all(path, '{"text": "zero"}\n{"text": "two"}\n{"text": "one"}')
    }
    assert before.items() <= after.items()
    assert before["one"].startswith(f"{path.as_uri()}#")


def test_one_bad_line_is_named_and_does_not_stop_the_others(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(
        b'{"id":"1","text":"one"}\n{bad\n{"id":"1","text":"again"}\n{"id":"2","text":" "}\n\xff{}\n'
        b'{"id":true,"text":"x"}\n{"id":"3","text":5}\n{"id":"9","text":"nine"}\n{"id":"1","text":"one"}'
    )
    (source,) = find_sources([str(path)])
    assert isinstance(source, Source)
    texts: list[str] = []
    with pytest.raises(
        InputError, match=r"p\.jsonl: line 2 is not JSON: .*; lines 3, 5, 6 and 1 more cannot"
    ) as caught:
        texts.extend(document.text for document in load(source))
    assert not isinstance(caught.value, NoText)
    assert "no text in line 4" in caught.value.message
    assert texts[:2] == ["one", "nine"]


def test_lines_that_are_no_passages_are_one_document(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.json"):
        assert read(tmp_path / name, '{"a": 1}\n{"b": {"c": 2}}\n').text == "a: 1\n\nb.c: 2"


def test_a_list_of_passages_is_a_document_each(tmp_path: Path) -> None:
    texts = read_all(tmp_path / "a.json", '[{"id": "1", "text": "one"}, {"id": "2", "text": "two"}]')
    assert [each.text for each in texts] == ["one", "two"]


def test_passages_are_read_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "1", "text": "one"}\n{broken')
    (source,) = find_sources([str(path)])
    assert isinstance(source, Source)
    assert next(load(source)).text == "one"


def test_a_line_above_the_limit_is_named_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(f'{{"id": "1", "text": "{"x" * 5000}"}}\n{{"id": "2", "text": "two"}}')
    (source,) = find_sources([str(path)])
    assert isinstance(source, Source)
    documents = load(source, limits=Limits(bytes=100))
    assert next(documents).text == "two"
    with pytest.raises(InputError, match="line 1 is longer than the limit of 100 bytes"):
        next(documents)


def test_one_id_cannot_name_many_passages(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--id names one document"):
        read(tmp_path / "p.jsonl", '{"id": "1", "text": "one"}', id="mine")


def test_json_lines_in_utf16_are_read(tmp_path: Path) -> None:
    assert read(tmp_path / "p.jsonl", '{"id": "1", "text": "é"}\n'.encode("utf-16")).text == "é"


# Standard input


def give(monkeypatch: pytest.MonkeyPatch, data: bytes, **options: object) -> list[Document]:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    (source,) = find_sources(["-"])
    assert isinstance(source, Source)
    return list(load(source, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "media_type", "text"),
    [
        (b"plain words\n", "text/plain", "plain words\n"),
        (b"<!DOCTYPE html><p>page", "text/html", "page"),
        (b'{\n "a": 1\n}\n', "application/json", "a: 1"),
        (b"{not json}", "text/plain", "{not json}"),
        (b'{"id": "1", "text": "one"}\n', "application/jsonl", "one"),
    ],
)
def test_p37_standard_input_is_what_it_looks_like(
    monkeypatch: pytest.MonkeyPatch, data: bytes, media_type: str, text: str
) -> None:
    (document,) = give(monkeypatch, data)
    assert (document.media_type, document.text) == (media_type, text)
    if media_type != "application/jsonl":
        assert (document.id, document.uri, document.title) == ("stdin:", "stdin:", "")
        assert give(monkeypatch, data, id="note")[0].id == "note"


def test_p37_empty_standard_input_has_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoText, match="standard input: no text"):
        give(monkeypatch, b"")


def test_passages_from_standard_input_may_be_longer_than_one_input(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(b'{"id": "%d", "text": "words"}\n' % number for number in range(500))
    assert len(give(monkeypatch, data, limits=Limits(bytes=1000))) == 500
