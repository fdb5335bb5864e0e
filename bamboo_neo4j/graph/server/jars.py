"""Fetch exactly the jars that a lock file names: checked by sha256, resumable, safe for several processes.

A lock file has one jar a line: `group:artifact:version[:classifier] sha256 size`.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import ServerError
from bamboo_neo4j.files import private_folder
from bamboo_neo4j.graph.server.lock import locked
from bamboo_neo4j.graph.server.progress import MEGABYTE
from bamboo_neo4j.graph.server.trouble import told
from bamboo_neo4j.settings import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bamboo_neo4j.graph.server.progress import Progress
    from bamboo_neo4j.settings import Settings

STAMP = ".complete"
SPARE = 1.2  # free space wanted, as a multiple of what is to be fetched
DOWNLOADS = 6  # at once; more was not faster
TRIES = 3
ROOM = "free some space, or set BAMBOO_CACHE to a folder on another disk"


@dataclass(frozen=True, slots=True)
class Jar:
    """One line of a lock file."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int

    @property
    def name(self) -> str:
        """The file's name, as Maven writes it."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{classifier}.jar"

    @property
    def path(self) -> str:
        """Where the file lies inside a Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.name}"

    @property
    def coordinates(self) -> str:
        """`group:artifact:version[:classifier]`."""
        return ":".join(filter(None, (self.group, self.artifact, self.version, self.classifier)))

    def matches(self, file: Path) -> bool:
        """Whether `file` holds exactly this jar."""
        if not file.is_file() or file.stat().st_size != self.size:
            return False
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == self.sha256


@dataclass(frozen=True, slots=True)
class Source:
    """Where jars may come from: a local Maven repository first, then a mirror or Maven Central."""

    mirror: str = ""
    offline: bool = False
    repository: Path | None = None
    timeout: int = 30  # seconds without a byte
    pause: float = 1.0  # seconds before the second try; twice that before the third

    @classmethod
    def of(cls, settings: Settings) -> Source:
        """Read `maven_mirror`, `offline` and `maven_local`."""
        repository = Path(settings["maven_local"] or "~/.m2/repository").expanduser()
        return cls(settings["maven_mirror"], settings.offline, repository)

    @property
    def shown(self) -> str:
        """The remote repository's name for messages."""
        return redact(self.mirror) if self.mirror else "Maven Central"


def packaged_lock(name: str) -> tuple[Jar, ...]:
    """Read a lock file that comes with this package."""
    return read_lock(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def read_lock(text: str) -> tuple[Jar, ...]:
    """Read the jars of a lock file's text, in its order."""
    return tuple(_read_line(line) for line in text.splitlines() if line.strip())


def _read_line(line: str) -> Jar:
    coordinates, sha256, size = line.split()
    group, artifact, version, *classifier = coordinates.split(":")
    return Jar(group, artifact, version, classifier[0] if classifier else "", sha256, int(size))


def fetch(
    jars: Sequence[Jar], folder: Path, *, source: Source, progress: Progress, title: str = "fetching jars"
) -> Path:
    """Make `folder` hold exactly `jars`; it appears whole or not at all.

    Raises ServerError with the artifact's name when one cannot be had, and with the path of a file or folder
    that cannot be used. What was fetched before a failure is
    kept beside the folder, so the next run goes on from there.
    """
    with told(BAMBOO_CACHE=folder.parent):
        if _is_complete(folder, jars):
            return folder
        private_folder(folder.parent)  # who may write there may put another program among the jars
        waiting = "waiting for another process that fetches the same jars"
        with locked(folder.with_name(folder.name + ".lock"), progress, waiting=waiting):
            if not _is_complete(folder, jars):
                _fill(jars, folder, source=source, report=lambda done, total: progress(title, done, total))
                _place(folder, _digest(jars))
    return folder


def _digest(jars: Sequence[Jar]) -> str:
    lines = "".join(f"{jar.coordinates} {jar.sha256} {jar.size}\n" for jar in jars)
    return hashlib.sha256(lines.encode()).hexdigest()


def _is_complete(folder: Path, jars: Sequence[Jar]) -> bool:
    """Whether the folder was finished for this lock and has lost no file since (caches get tidied)."""
    stamp = folder / STAMP
    if not stamp.is_file() or stamp.read_text(encoding="utf-8") != _digest(jars):
        return False
    return all((folder / jar.name).is_file() for jar in jars)


def _part_of(folder: Path) -> Path:
    return folder.with_name(folder.name + ".part")


def _fill(jars: Sequence[Jar], folder: Path, *, source: Source, report: Callable[[int, int], None]) -> None:
    """Gather every jar beside the folder, keeping those that an earlier run left whole."""
    part = _part_of(folder)
    part.mkdir(exist_ok=True, mode=0o700)
    for stale in part.glob(".dl-*"):
        shutil.rmtree(stale, ignore_errors=True)
    missing = [jar for jar in jars if not jar.matches(part / jar.name)]
    total = sum(jar.size for jar in jars)
    done = total - sum(jar.size for jar in missing)
    _check_space(part, total - done)
    report(done, total)
    pool = ThreadPoolExecutor(DOWNLOADS, thread_name_prefix="jars")
    try:
        for obtained in as_completed([pool.submit(_obtain, jar, folder, source) for jar in missing]):
            done += obtained.result()
            report(done, total)
    finally:
        pool.shutdown(cancel_futures=True)


def _check_space(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < SPARE * needed:
        raise ServerError(
            f"not enough disk space in {str(folder.parent)!r}: "
            f"{SPARE * needed / MEGABYTE:.0f} MB needed, {free / MEGABYTE:.0f} MB free",
            hint=ROOM,
        )


def _obtain(jar: Jar, folder: Path, source: Source) -> int:
    """Put `jar` beside the folder, from the nearest place that has it; return its size."""
    part = _part_of(folder)
    with tempfile.TemporaryDirectory(prefix=".dl-", dir=part, ignore_cleanup_errors=True) as scratch:
        near = [folder / jar.name]
        if source.repository:
            near.append(source.repository / jar.path)
        found = next((file for file in near if jar.matches(file)), None)
        if found:
            file = Path(shutil.copyfile(found, Path(scratch) / jar.name))
        elif source.offline:
            raise ServerError(
                f"{jar.coordinates} is not in the cache and BAMBOO_OFFLINE is set",
                hint="run it once without BAMBOO_OFFLINE, or set M2_REPO to a Maven repository that has it",
            )
        else:
            file = _download(jar, Path(scratch), source)
        file.replace(part / jar.name)
    return jar.size


def _download(jar: Jar, scratch: Path, source: Source) -> Path:
    """Try three times; a file that differs from the lock is never kept."""
    fault = ""
    for attempt in range(TRIES):
        time.sleep(attempt * source.pause)
        try:
            file = _resolve(jar, scratch / str(attempt), source)
        except (OSError, RuntimeError, AssertionError) as error:
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise ServerError(f"the disk is full while fetching {jar.coordinates}", hint=ROOM) from error
            fault = _explain(error, jar, source)
            continue
        if jar.matches(file):
            return file
        fault = f"checksum mismatch for {jar.coordinates} from {source.shown}"
    raise ServerError(
        fault, hint="run it again, it goes on from here; BAMBOO_MAVEN_MIRROR names another Maven repository"
    )


def _resolve(jar: Jar, cache: Path, source: Source) -> Path:
    from jgo.maven import MavenContext

    # Its warnings and errors come back as exceptions or as a wrong checksum, and are told from there.
    logging.getLogger("jgo").setLevel(logging.CRITICAL)
    # A cache of its own for each jar: jgo writes downloads in place and asserts when two of them race.
    context = MavenContext(
        repo_cache=cache,
        remote_repos={"mirror": source.mirror.rstrip("/")} if source.mirror else None,
        timeout=source.timeout,
    )
    component = context.project(jar.group, jar.artifact).at_version(jar.version)
    return component.artifact(jar.classifier, "jar").resolve()


def _explain(error: Exception, jar: Jar, source: Source) -> str:
    """Say why a download failed; jgo calls every answer but 200 "not found"."""
    from requests import ConnectionError as NoConnection
    from requests import Timeout

    if isinstance(error, NoConnection | Timeout):
        return f"{source.shown} could not be reached for {jar.coordinates} ({type(error).__name__})"
    if isinstance(error, OSError):
        return f"the download of {jar.coordinates} from {source.shown} broke off ({type(error).__name__})"
    return f"{source.shown} did not give {jar.coordinates} ({_status(jar, source)})"


def _status(jar: Jar, source: Source) -> str:
    from jgo.maven import MavenContext
    from requests import RequestException, get

    base = source.mirror.rstrip("/") or next(iter(MavenContext().remote_repos.values()))
    try:
        with get(f"{base}/{jar.path}", stream=True, timeout=source.timeout) as response:
            return f"it answered {response.status_code}"
    except RequestException as error:
        return type(error).__name__


def _place(folder: Path, digest: str) -> None:
    """Make the finished folder appear in one step."""
    part = _part_of(folder)
    (part / STAMP).write_text(digest, encoding="utf-8")
    if folder.exists():
        shutil.rmtree(folder)
    part.replace(folder)
