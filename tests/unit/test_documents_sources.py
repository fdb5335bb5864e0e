"""Paths, folders, patterns and links lead to each real file once."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from bamboo_neo4j.memorise.documents import Source, canonical_uri, find_sources
from bamboo_neo4j.records import Failure


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    for name in ("b.txt", "a.md", "sub/c.txt", ".hidden", "sub/[x].txt"):
        (folder / name).write_text(name)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("no")
    monkeypatch.chdir(tmp_path)
    return folder


def found(*paths: str) -> list[str]:
    return [Path(each.uri).name if isinstance(each, Source) else each.reason for each in find_sources(paths)]


@pytest.mark.usefixtures("docs")
def test_a_folder_is_walked_in_sorted_order_without_what_is_hidden() -> None:
    assert found("docs") == ["a.md", "b.txt", "%5Bx%5D.txt", "c.txt"]


def test_p12_each_file_comes_once_however_its_path_is_spelled(docs: Path) -> None:
    (docs.parent / "link").symlink_to(docs)
    once = found("docs")
    everything = [
        "docs",
        "docs/",
        "./docs",
        str(docs),
        "link",
        ".",
        "docs/a.md",
        "docs/sub/../a.md",
        "docs/*.md",
    ]
    assert found(*everything) == once
    uris = {spelling: next(iter(find_sources([spelling]))) for spelling in everything[6:]}
    assert {each.uri for each in uris.values() if isinstance(each, Source)} == {(docs / "a.md").as_uri()}


def test_p12_the_uri_of_a_file_does_not_depend_on_its_spelling_or_the_working_folder(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = (docs / "a.md").as_uri()
    spellings = ("docs/a.md", "./docs//a.md", str(docs / "a.md"), uri)
    assert {canonical_uri(each) for each in spellings} == {uri}
    monkeypatch.chdir(docs)
    assert canonical_uri("a.md") == uri
    (docs / "a.md").unlink()
    assert canonical_uri("a.md") == uri


def test_the_uri_of_what_is_no_file_is_left_as_it_is() -> None:
    assert canonical_uri("-") == "stdin:"
    assert canonical_uri("https://example.org/a") == "https://example.org/a"
    assert canonical_uri("a\x00b") == "a\x00b"


@pytest.mark.usefixtures("docs")
def test_a_hidden_file_is_taken_when_it_is_named() -> None:
    assert found("docs/.hidden") == [".hidden"]


@pytest.mark.usefixtures("docs")
def test_a_name_with_pattern_signs_is_a_file_before_it_is_a_pattern() -> None:
    assert found("docs/sub/[x].txt") == ["%5Bx%5D.txt"]
    assert found("docs/**/*.txt") == ["b.txt", "%5Bx%5D.txt", "c.txt"]


def test_loops_of_links_end(docs: Path) -> None:
    (docs / "sub" / "up").symlink_to(docs)
    (docs / "self").symlink_to(docs / "self")
    assert found("docs") == ["a.md", "b.txt", "is a link to nothing", "%5Bx%5D.txt", "c.txt"]


def test_folders_may_nest_deeply(tmp_path: Path) -> None:
    bottom = tmp_path.joinpath(*["d"] * 200)
    bottom.mkdir(parents=True)
    (bottom / "a.txt").write_text("x")
    assert found(str(tmp_path)) == ["a.txt"]


def test_what_is_no_file_is_a_failure_and_the_rest_goes_on(docs: Path) -> None:
    os.mkfifo(docs / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(docs / "socket"))
        results = list(find_sources([str(docs / "pipe"), "/dev/null", str(docs / "socket"), "docs/a.md"]))
    reasons = [each.reason for each in results if isinstance(each, Failure)]
    assert [reason.split(":")[0] for reason in reasons] == ["is a named pipe", "is a device", "is a socket"]
    assert isinstance(results[-1], Source)


@pytest.mark.usefixtures("docs")
@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("missing.txt", "no such file or folder"),
        ("docs/*.pdf", "no file matches this pattern"),
        ("", "the path is empty"),
        ("https://example.org/a.html", "is an address, not a file: download it first"),
        ("a\x00b", "no such file or folder"),
        ("x" * 5000, "no such file or folder"),
    ],
)
def test_a_path_that_leads_nowhere_is_a_failure_not_an_exception(path: str, reason: str) -> None:
    assert list(find_sources([path])) == [Failure(path, reason)]


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    (tmp_path / ".only-hidden").write_text("x")
    assert found(str(tmp_path)) == ["the folder holds no file that is not hidden"]


def test_p37_standard_input_comes_once_with_a_stable_id() -> None:
    assert list(find_sources(["-", "-"])) == [Source(None, "stdin:", "standard input")]


def test_a_file_name_that_is_no_text_can_be_printed(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    Path(os.fsdecode(path)).write_text("x")
    (source,) = find_sources([str(tmp_path)])
    assert isinstance(source, Source)
    assert source.uri.endswith("/caf%E9.txt")
    assert source.shown.encode().endswith("caf\ufffd.txt".encode())
    assert source.title == "caf\ufffd"
    assert canonical_uri(source.uri) == source.uri


def test_folders_are_listed_when_they_are_reached(docs: Path) -> None:
    sources = find_sources(["docs/a.md", "docs/late"])
    next(sources)
    (docs / "late").mkdir()
    (docs / "late" / "z.txt").write_text("z")
    assert [each.uri for each in sources if isinstance(each, Source)] == [(docs / "late" / "z.txt").as_uri()]
