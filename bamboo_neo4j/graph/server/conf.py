"""Write neo4j.conf and apoc.conf, and build the command line of the managed server."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bamboo_neo4j.errors import UsageError
from bamboo_neo4j.files import private_folder
from bamboo_neo4j.graph.apoc import apoc_conf
from bamboo_neo4j.graph.server.state import home_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

HOST = "127.0.0.1"
MAIN_CLASS = "org.neo4j.server.CommunityEntryPoint"
OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")

# Small, quiet and quick to stop. Without the three internal waits every stop takes ten seconds.
FIXED = {
    "server.https.enabled": "false",
    "server.memory.pagecache.size": "64m",
    "dbms.usage_report.enabled": "false",
    "client.allow_telemetry": "false",
    "db.tx_log.preallocate": "false",
    "db.store.files.preallocate": "false",
    "db.tx_log.rotation.size": "32MiB",
    "db.tx_log.rotation.retention_policy": "keep_none",
    "db.shutdown_transaction_end_timeout": "2s",
    "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
    "internal.dbms.bolt.netty_server_shutdown_timeout": "1",
    "internal.server.bolt.thread_pool_shutdown_wait_time": "1s",
}


@dataclass(frozen=True, slots=True)
class Options:
    """How the server is to run."""

    apoc: Literal["core", "extended"] | None = None
    auth: bool = True
    http: bool = True
    heap: str = "512m"
    fast: bool = False
    attached: bool = False
    config: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of one managed server."""

    home: Path

    @property
    def data(self) -> Path:
        """Stores and transaction logs."""
        return self.home / "data"

    @property
    def logs(self) -> Path:
        """The server's logs, and what it printed (console.log)."""
        return self.home / "logs"

    @property
    def conf(self) -> Path:
        """neo4j.conf and apoc.conf."""
        return self.home / "conf"

    @property
    def console(self) -> Path:
        """What the server's process printed since its last start."""
        return self.logs / "console.log"

    @property
    def folders(self) -> tuple[Path, ...]:
        """Every folder that the server uses."""
        return (self.data, self.logs, self.conf, self.home / "run", self.home / "import")

    def make(self) -> None:
        """Create every folder, for this user only."""
        private_folder(self.home)
        for folder in self.folders:
            folder.mkdir(exist_ok=True, mode=0o700)


def write_conf(
    places: Places, options: Options, *, bolt: int, http: int, plugins: Path | None = None
) -> None:
    """Write neo4j.conf for the two ports; procedures are looked for in the jars of the folder `plugins`.

    apoc.conf is written beside it; only APOC reads that.
    """
    lines = FIXED | _directories(places) | _connectors(options, bolt, http)
    lines["dbms.security.auth_enabled"] = str(options.auth).lower()
    if plugins:
        lines["server.directories.plugins"] = str(plugins)
        lines["dbms.security.procedures.unrestricted"] = "apoc.*"
    lines |= dict(options.config)
    for name, value in lines.items():
        if not value.isprintable():
            raise UsageError(f"{name} cannot be {value!r}", hint="BAMBOO_HOME takes printable characters")
    text = "".join(f"{name}={value}\n" for name, value in lines.items())
    (places.conf / "neo4j.conf").write_text(text, encoding="utf-8")
    # APOC reads a file of its own: without this line in it, a restart would end every job for good
    (places.conf / "apoc.conf").write_text(apoc_conf(), encoding="utf-8")


def checked(config: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return settings as `Options` takes them; raises UsageError for what is no line of neo4j.conf."""
    for name, value in config.items():
        if not re.fullmatch(r"[a-z][\w.]*", name) or not value.isprintable():
            raise UsageError(
                f"{f'{name}={value}'!r} is no setting of Neo4j",
                hint="write it as NAME=VALUE, as in neo4j.conf",
            )
    return tuple(config.items())


def _directories(places: Places) -> dict[str, str]:
    names = ("data", "logs", "run", "import")
    return {f"server.directories.{name}": str((places.home / name).resolve()) for name in names}


def _connectors(options: Options, bolt: int, http: int) -> dict[str, str]:
    """Listen on loopback alone; only pages of this server's own Browser may call its HTTP interface."""
    lines = {
        "server.bolt.listen_address": f"{HOST}:{bolt}",
        "server.bolt.advertised_address": f"{HOST}:{bolt}",
        "server.http.enabled": str(options.http).lower(),
    }
    if options.http:
        lines |= {
            "server.http.listen_address": f"{HOST}:{http}",
            "server.http.advertised_address": f"{HOST}:{http}",
            "dbms.security.http_access_control_allow_origin": f"http://{HOST}:{http}",
        }
    return lines


def command(java: Path, jars: Sequence[Path], *, places: Places, options: Options) -> list[str]:
    """Build the command line that runs the server with `jars` as its class path, in that order."""
    # C1 alone starts in half the CPU time and runs hot queries four times slower: for throw-away servers.
    compiler = ["-XX:TieredStopAtLevel=1"] if options.fast else []
    return [
        str(java),
        "-cp",
        os.pathsep.join(str(jar) for jar in jars),
        "-Xms64m",
        f"-Xmx{options.heap}",
        "-XX:+UseSerialGC",
        *compiler,
        "--enable-native-access=ALL-UNNAMED",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED),
        "-Dfile.encoding=UTF-8",
        "-Dlog4j2.disable.jmx=true",
        MAIN_CLASS,
        home_option(places.home),
        f"--config-dir={places.conf}",
        "--console-mode",
    ]
