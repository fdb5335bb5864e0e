"""What a shell may do to a command: closed and full streams, odd bytes, numbers beyond reason."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.plugin import CHECKOUT

if TYPE_CHECKING:
    from bamboo_neo4j.settings import Settings


def shell(settings: Settings, line: str) -> subprocess.CompletedProcess[bytes]:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "BAMBOO_"))},
        "NEO4J_URI": settings["uri"],
        "BAMBOO_MEMORY": settings["memory"],
        "PYTHONPATH": str(CHECKOUT),
        "TABLE": str(CHECKOUT / "examples/apollo/rates.csv"),
        "B": f"{sys.executable} -m bamboo_neo4j",
    }
    return subprocess.run(
        ["bash", "-c", line], env=environment, capture_output=True, check=False, timeout=120
    )


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("$B stats >&-", 0),
        ("$B stats > /dev/full", 1),
        ("$B recall - <&-", 3),
        ('$B ask ""', 2),
        ('$B --uri bolt://127.0.0.1:1 reason "?!"', 2),
        ("head -c 2000000 /dev/zero | $B ask -", 2),
        ("printf '\\377 zzqq' | $B recall -", 3),
        ("$B forget --all <&-", 2),
        ("$B forget --all </dev/null", 2),
        ("echo Ada | $B ingest - --language xx", 2),
        ("P=$(mktemp -u); mkfifo $P; echo Ada | $B ingest - --vocabulary $P", 1),
        ("P=$(mktemp -u); mkfifo $P; $B import $P", 1),
        ("$B recall x --first 9223372036854775808", 2),
        ("$B tags --limit 9223372036854775808", 2),
        ("$B forget $'bad\\xff.txt' --yes", 7),
        ("$B --uri http://127.0.0.1:80 stats", 4),
        ('$B --uri "" stats', 2),
        ("echo Ada | $B ingest - --id $(printf L%.0s {1..9000})", 1),
        ("echo Ada | $B ingest - --id $'\\xff'", 1),
        ("$B episodes show $'\\xff'", 2),
        ("echo Ada | $B ingest -; $B reason $'\\xff what rises?' --table $TABLE", 0),
    ],
)
def test_a_hostile_shell_gets_an_exit_code_and_no_traceback(settings: Settings, line: str, code: int) -> None:
    done = shell(settings, line)
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 4
