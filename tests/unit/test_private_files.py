"""What is written to disk is for its user alone, whatever the umask; no path adds a line of configuration."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.connect.export.files import whole_file
from bamboo_neo4j.errors import UsageError
from bamboo_neo4j.files import private_folder
from bamboo_neo4j.graph.server.conf import Options, Places, command, write_conf
from bamboo_neo4j.graph.server.state import Kept, write_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def others_may(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) & 0o077


def test_folders_are_private_down_from_the_first_that_was_missing(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    made = private_folder(tmp_path / "a" / "b" / "c")
    assert [others_may(folder) for folder in (made, made.parent, made.parent.parent)] == [0, 0, 0]
    assert others_may(tmp_path) == 0o055


def test_the_home_of_the_managed_server_is_private(tmp_path: Path) -> None:
    places = Places(tmp_path / "home")
    places.make()
    write_conf(places, Options(), bolt=7687, http=7474)
    write_state(places.home / "kept.json", Kept(password="s3cr3t"))
    assert not any(map(others_may, [places.home, *places.folders, places.home / "kept.json"]))
    assert all("s3cr3t" not in path.read_text() for path in places.conf.iterdir())


@pytest.mark.parametrize("name", ["memory.jsonl", "memory.jsonl.gz"])
def test_an_export_is_private_while_it_is_written_and_afterwards(tmp_path: Path, name: str) -> None:
    with whole_file(tmp_path / name) as file:
        file.write(b"all that I know\n")
        assert [others_may(path) for path in tmp_path.iterdir()] == [0]
    assert others_may(tmp_path / name) == 0


def test_a_path_adds_no_line_to_the_configuration(tmp_path: Path) -> None:
    places = Places(tmp_path / "a\ndbms.security.auth_enabled=false")
    places.make()
    with pytest.raises(UsageError, match="printable"):
        write_conf(places, Options(), bolt=7687, http=7474)


def test_no_secret_is_in_the_list_of_processes(tmp_path: Path) -> None:
    words = command(tmp_path / "java", [tmp_path / "a.jar"], places=Places(tmp_path), options=Options())
    assert not [word for word in words if "password" in word.lower() or "auth" in word.lower()]
