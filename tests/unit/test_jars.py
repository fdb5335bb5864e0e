"""Fetching jars by a lock, from a mirror on this machine that fails in every way."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.errors import ServerError
from bamboo_neo4j.graph.server.jars import STAMP, Jar, Source, fetch, packaged_lock, read_lock
from bamboo_neo4j.graph.server.progress import by_line, silent
from bamboo_neo4j.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

CHECKOUT = Path(__file__).resolve().parents[2]
COUNT = 12
CONTENT = {f"org/example/lib{i}/1.{i}/lib{i}-1.{i}.jar": bytes([i]) * (20_000 + i) for i in range(COUNT)}
LOCK = "".join(
    f"org.example:lib{i}:1.{i} {hashlib.sha256(data).hexdigest()} {len(data)}\n"
    for i, data in enumerate(CONTENT.values())
)
JARS = read_lock(LOCK)
SIZE = sum(jar.size for jar in JARS)

FETCH = """
import sys
from pathlib import Path
from bamboo_neo4j.graph.server.jars import Source, fetch, read_lock
jars = read_lock(Path(sys.argv[1]).read_text())
fetch(jars, Path(sys.argv[2]), source=Source(mirror=sys.argv[3]), progress=lambda *_: None)
"""


class Mirror(ThreadingHTTPServer):
    """A Maven repository with faults: path -> status, "corrupt" or "truncated"; seconds before each body."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Repository)
        self.faults: dict[str, int | str] = {}
        self.delay = 0.0
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Repository(BaseHTTPRequestHandler):
    """Answers for the Mirror that it belongs to."""

    server: Mirror

    def do_GET(self) -> None:
        path = self.path.lstrip("/")
        if not path.endswith(".sha1"):
            self.server.asked.append(path)
        fault = self.server.faults.get(path)
        data = CONTENT.get(path)
        if isinstance(fault, int) or data is None:
            self.send_error(fault if isinstance(fault, int) else 404)
            return
        time.sleep(self.server.delay)
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        sent = {"corrupt": data[::-1][:-1] + b"!", "truncated": data[: len(data) // 2]}.get(str(fault), data)
        self.wfile.write(sent)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as the base class has it
        """Keep quiet."""


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror() as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def from_mirror(mirror: Mirror) -> Source:
    return Source(mirror=mirror.url, pause=0.0, timeout=5)


def is_whole(folder: Path) -> bool:
    return {file.name for file in folder.iterdir()} == {jar.name for jar in JARS} | {STAMP} and all(
        jar.matches(folder / jar.name) for jar in JARS
    )


def path_of(number: int) -> str:
    return list(CONTENT)[number]


def test_a_lock_line_names_file_path_and_coordinates() -> None:
    [jar] = read_lock("org.neo4j.procedure:apoc-core:5.26.5:core abc 7\n")
    assert jar == Jar("org.neo4j.procedure", "apoc-core", "5.26.5", "core", "abc", 7)
    assert jar.name == "apoc-core-5.26.5-core.jar"
    assert jar.path == "org/neo4j/procedure/apoc-core/5.26.5/apoc-core-5.26.5-core.jar"
    assert jar.coordinates == "org.neo4j.procedure:apoc-core:5.26.5:core"


def test_the_packaged_lock_names_225_different_jars_with_whole_checksums() -> None:
    jars = packaged_lock("neo4j-5.26.30.lock")
    assert len({jar.name for jar in jars}) == len(jars) == 225
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in jars)
    assert any(jar.artifact == "neo4j-browser" for jar in jars)


def test_a_folder_appears_whole(mirror: Mirror, tmp_path: Path) -> None:
    folder = fetch(JARS, tmp_path / "a" / "lib", source=from_mirror(mirror), progress=silent)
    assert is_whole(folder)
    assert not folder.with_name("lib.part").exists()


def test_progress_ends_with_all_bytes(mirror: Mirror, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    source = from_mirror(mirror)
    fetch(JARS, tmp_path / "lib", source=source, progress=lambda _, done, total: seen.append((done, total)))
    assert seen[0] == (0, SIZE)
    assert seen[-1] == (SIZE, SIZE)
    assert seen == sorted(seen)


def test_a_complete_folder_is_trusted_by_its_stamp(mirror: Mirror, tmp_path: Path) -> None:
    folder = fetch(JARS, tmp_path / "lib", source=from_mirror(mirror), progress=silent)
    mirror.asked.clear()
    fetch(JARS, folder, source=from_mirror(mirror), progress=silent)
    assert mirror.asked == []


def test_a_complete_folder_that_lost_a_file_gets_that_file_alone(mirror: Mirror, tmp_path: Path) -> None:
    folder = fetch(JARS, tmp_path / "lib", source=from_mirror(mirror), progress=silent)
    mirror.asked.clear()
    (folder / JARS[7].name).unlink()
    assert is_whole(fetch(JARS, folder, source=from_mirror(mirror), progress=silent))
    assert mirror.asked == [path_of(7)]


def test_another_lock_replaces_the_folder(mirror: Mirror, tmp_path: Path) -> None:
    folder = fetch(JARS[:3], tmp_path / "lib", source=from_mirror(mirror), progress=silent)
    assert is_whole(fetch(JARS, folder, source=from_mirror(mirror), progress=silent))


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("corrupt", "checksum mismatch for org.example:lib5:1.5"),
        ("truncated", "org.example:lib5:1.5"),
        (503, "did not give org.example:lib5:1.5 (it answered 503)"),
        (404, "did not give org.example:lib5:1.5 (it answered 404)"),
    ],
)
def test_a_fault_names_the_artifact_and_leaves_no_folder(
    mirror: Mirror, tmp_path: Path, fault: int | str, said: str
) -> None:
    mirror.faults[path_of(5)] = fault
    with pytest.raises(ServerError) as caught:
        fetch(JARS, tmp_path / "lib", source=from_mirror(mirror), progress=silent)
    assert said in caught.value.message
    assert caught.value.hint
    assert not (tmp_path / "lib").exists()


def test_after_a_fault_only_the_missing_jar_is_fetched(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults[path_of(COUNT - 1)] = 503
    with pytest.raises(ServerError):
        fetch(JARS, tmp_path / "lib", source=from_mirror(mirror), progress=silent)
    kept = {file.name for file in (tmp_path / "lib.part").glob("*.jar")}
    mirror.faults.clear()
    mirror.asked.clear()
    assert is_whole(fetch(JARS, tmp_path / "lib", source=from_mirror(mirror), progress=silent))
    assert len(kept) >= COUNT // 2
    assert {Path(path).name for path in mirror.asked} == {jar.name for jar in JARS} - kept


def test_a_passing_fault_is_tried_again(mirror: Mirror, tmp_path: Path) -> None:
    mirror.faults[path_of(2)] = "corrupt"
    mended = threading.Timer(0.5, mirror.faults.clear)
    mended.start()
    source = Source(mirror=mirror.url, pause=0.4, timeout=5)
    assert is_whole(fetch(JARS, tmp_path / "lib", source=source, progress=silent))
    mended.join()


def test_a_mirror_that_refuses_is_named_without_its_password(tmp_path: Path) -> None:
    with Mirror() as closed:
        port = closed.server_address[1]
    source = Source(mirror=f"http://me:hush@127.0.0.1:{port}", pause=0.0, timeout=5)
    with pytest.raises(ServerError, match="could not be reached") as caught:
        fetch(JARS, tmp_path / "lib", source=source, progress=silent)
    assert f"127.0.0.1:{port}" in caught.value.message
    assert "hush" not in str(caught.value)


def test_offline_with_an_empty_cache_names_an_artifact(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match=r"org.example:lib\d+:1.\d+ is not in the cache"):
        fetch(JARS, tmp_path / "lib", source=Source(offline=True), progress=silent)


def test_a_local_maven_repository_serves_offline_and_its_bad_jars_are_not_taken(
    mirror: Mirror, tmp_path: Path
) -> None:
    repository = tmp_path / "m2"
    for path, data in CONTENT.items():
        (repository / path).parent.mkdir(parents=True)
        (repository / path).write_bytes(data)
    offline = Source(offline=True, repository=repository)
    assert is_whole(fetch(JARS, tmp_path / "lib", source=offline, progress=silent))

    (repository / path_of(4)).write_bytes(b"x" * JARS[4].size)
    both = Source(mirror=mirror.url, repository=repository)
    assert is_whole(fetch(JARS, tmp_path / "lib2", source=both, progress=silent))
    assert mirror.asked == [path_of(4)]


def start_fetching(mirror: Mirror, folder: Path, lock: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", FETCH, str(lock), str(folder), mirror.url]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(CHECKOUT)})


def test_two_processes_at_once_fetch_each_jar_once(mirror: Mirror, tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text(LOCK)
    mirror.delay = 0.2
    running = [start_fetching(mirror, tmp_path / "lib", lock) for _ in range(2)]
    assert [process.wait(60) for process in running] == [0, 0]
    assert is_whole(tmp_path / "lib")
    assert sorted(mirror.asked) == sorted(CONTENT)


def test_a_killed_fetch_goes_on_from_there(mirror: Mirror, tmp_path: Path) -> None:
    lock, part = tmp_path / "lock", tmp_path / "lib.part"
    lock.write_text(LOCK)
    mirror.delay = 0.3
    process = start_fetching(mirror, tmp_path / "lib", lock)
    while len(list(part.glob("*.jar"))) < 3:
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait(60)
    assert not (tmp_path / "lib").exists()
    kept = {file.name for file in part.glob("*.jar")}
    mirror.delay = 0.0
    mirror.asked.clear()
    assert is_whole(fetch(JARS, tmp_path / "lib", source=from_mirror(mirror), progress=silent))
    assert {Path(path).name for path in mirror.asked} == {jar.name for jar in JARS} - kept


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Path]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no file system can be mounted here (needs root)")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_too_small_a_disk_is_refused_before_anything_is_fetched(mirror: Mirror, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", SIZE) as disk:
        with pytest.raises(ServerError, match="not enough disk space") as caught:
            fetch(JARS, disk / "lib", source=from_mirror(mirror), progress=silent)
        assert "BAMBOO_CACHE" in caught.value.hint
    assert mirror.asked == []


def test_a_cache_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ServerError, match=r"file.* cannot be written or read") as caught:
        fetch(JARS, tmp_path / "file" / "lib", source=Source(offline=True), progress=silent)
    assert "BAMBOO_CACHE" in caught.value.hint


def test_a_copy_that_finds_no_room_names_its_file(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk; it has to hold in a process of its own."""
    for path, data in CONTENT.items():
        (tmp_path / "m2" / path).parent.mkdir(parents=True)
        (tmp_path / "m2" / path).write_bytes(data)
    (tmp_path / "lock").write_text(LOCK)
    program = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from bamboo_neo4j.graph.server.jars import Source, fetch, read_lock\n"
        "folder = Path(sys.argv[1])\n"
        "jars = read_lock((folder / 'lock').read_text())\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "source = Source(offline=True, repository=folder / 'm2')\n"
        "fetch(jars, folder / 'lib', source=source, progress=lambda *_: None)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env={"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "ServerError" in done.stderr.splitlines()[-2]
    assert "cannot be written or read (File too large)" in done.stderr.splitlines()[-2]


def test_the_local_repository_is_a_setting_like_any_other() -> None:
    assert Source.of(read_settings({}, {"M2_REPO": "/m2"})).repository == Path("/m2")
    assert Source.of(read_settings({}, {})).repository == Path.home() / ".m2" / "repository"


def test_lines_of_progress_come_at_intervals_not_at_every_jar() -> None:
    told: list[str] = []
    report = by_line(told.append)
    for done in range(100):
        report("fetching", done * 1_000_000, 100_000_000)
    report("starting Neo4j", 0, 0)
    assert told == ["fetching: 0 of 100 MB", "starting Neo4j …"]
