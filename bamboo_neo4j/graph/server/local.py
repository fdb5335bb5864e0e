"""The managed local server: one a home folder, started when needed and reused while it lives."""

from __future__ import annotations

import secrets
import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import MissingExtra, ServerError
from bamboo_neo4j.graph.server import conf, jars, process, state
from bamboo_neo4j.graph.server.java import find_java
from bamboo_neo4j.graph.server.login import answers, log_in

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

    from bamboo_neo4j.graph.server.jars import Progress
    from bamboo_neo4j.graph.server.state import RunningServer
    from bamboo_neo4j.settings import Settings

NEO4J = "5.26.30"
APOC = "5.26.5"


def silent(step: str, done: int, total: int) -> None:
    """Report nothing."""


class LocalServer:
    """The managed Neo4j whose data lies in `settings.home` and whose jars lie in `settings.cache`.

    `progress` is called with a step's name, the bytes done and the bytes in all (0 and 0: no size).
    """

    def __init__(self, settings: Settings, *, progress: Progress = silent) -> None:
        self.settings = settings
        self.places = conf.Places(settings.home / "neo4j")
        self._progress = progress
        self._state_file = self.places.home / "server.json"
        self._kept_file = self.places.home / "kept.json"

    def running(self) -> RunningServer | None:
        """Return the server that runs, if one does."""
        found = state.read_running(self._state_file)
        return found if found and found.alive() else None

    def start(
        self,
        *,
        apoc: Literal["core", "extended"] | None = None,
        auth: bool = True,
        http: bool = True,
        heap: str = "512m",
        fast: bool = False,
    ) -> RunningServer:
        """Return the running server, starting one if there is none.

        `fast` is for throw-away servers: quick to start, slow under load. Raises ServerError (no Java, no
        disk space, a jar that cannot be had, data in use, a server that dies or stays mute).
        """
        options = conf.Options(apoc=apoc, auth=auth, http=http, heap=heap, fast=fast)
        self.places.make()
        for _ in self._locked():
            if found := self.running():
                return self._reuse(found)
            return self._launch(options)
        raise AssertionError  # pragma: no cover

    def stop(self) -> bool:
        """Stop the server; whether there was one."""
        if not self.places.home.is_dir():
            return False
        for _ in self._locked():
            found = self.running()
            if found:
                self._progress("stopping Neo4j", 0, 0)
                process.end(found)
            self._state_file.unlink(missing_ok=True)
        return found is not None

    def reset(self) -> None:
        """Stop the server and delete its data, password and logs."""
        self.stop()
        if self.places.home.is_dir():
            shutil.rmtree(self.places.home)

    def logs(self, lines: int) -> str:
        """Return the last `lines` lines that the server printed."""
        return process.tail(self.places.console, lines)

    def _locked(self) -> Iterator[None]:
        try:
            from filelock import FileLock
        except ImportError as error:
            raise MissingExtra("filelock", extra="local", purpose="the managed Neo4j") from error
        with FileLock(self.places.home / "server.json.lock"):
            yield

    def _reuse(self, found: RunningServer) -> RunningServer:
        """Wait until the living server answers."""
        end = time.monotonic() + process.DEADLINE
        while not answers(found):
            if time.monotonic() > end or not found.alive():
                raise ServerError(
                    f"Neo4j runs as process {found.pid} but does not answer at {found.uri}",
                    hint="stop it with `bamboo server stop`, then start it again",
                )
            time.sleep(process.POLL)
        return found

    def _launch(self, options: conf.Options) -> RunningServer:
        java, version = find_java(self.settings)
        class_path = self._class_path(options)
        kept = state.read_kept(self._kept_file)
        kept = replace(
            kept,
            password=kept.password or secrets.token_urlsafe(18),
            bolt=process.free_port(kept.bolt),
            http=process.free_port(kept.http) if options.http else kept.http,
        )
        state.write_state(self._kept_file, kept)
        conf.write_conf(self.places, options, bolt=kept.bolt, http=kept.http)
        self._progress("starting Neo4j", 0, 0)
        child = process.spawn(conf.command(java, class_path, self.places, options), self.places)
        try:
            return self._welcome(child, options, kept=kept, java=version)
        except BaseException:
            child.kill()
            child.wait()
            raise

    def _welcome(
        self, child: subprocess.Popen[bytes], options: conf.Options, *, kept: state.Kept, java: str
    ) -> RunningServer:
        """Wait for the first answer, set the password, and write down what runs."""
        import psutil

        process.wait_for_port(child, kept.bolt, self.places)
        server = state.RunningServer(
            uri=f"bolt://{conf.HOST}:{kept.bolt}",
            username="neo4j",
            password=kept.password if options.auth else "",
            http=f"http://{conf.HOST}:{kept.http}" if options.http else "",
            pid=child.pid,
            create_time=psutil.Process(child.pid).create_time(),
            neo4j=NEO4J,
            java=java,
            apoc=options.apoc or "",
            data_dir=str(self.places.data),
            started=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        log_in(server, confirmed=kept.confirmed)
        if options.auth and not kept.confirmed:
            state.write_state(self._kept_file, replace(kept, confirmed=True))
        state.write_state(self._state_file, server)
        child.returncode = 0  # it is meant to outlive this process: no ResourceWarning for that
        return server

    def _class_path(self, options: conf.Options) -> list[Path]:
        """Fetch what is missing and return the jars, sorted, those of plug-ins last."""
        source = jars.Source.of(self.settings)
        base = self.settings.cache / "neo4j" / NEO4J
        lock = jars.packaged_lock(f"neo4j-{NEO4J}.lock")
        folders = [jars.fetch(lock, base / "lib", source=source, progress=self._progress)]
        if options.apoc:
            wanted = jars.packaged_lock(f"apoc-{APOC}.lock")
            chosen = wanted if options.apoc == "extended" else wanted[:1]
            plugins = base / "plugins" / f"apoc-{APOC}-{options.apoc}"
            folders.append(jars.fetch(chosen, plugins, source=source, progress=self._progress))
        return [jar for folder in folders for jar in sorted(folder.glob("*.jar"))]
