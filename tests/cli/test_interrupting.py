"""Ctrl-C and a request to stop end a command in one line, whenever they come."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time

import pytest

from tests.plugin import CHECKOUT

STARTED = (
    "import os, sys\nimport bamboo_neo4j.cli\nsys.argv = ['bamboo', '--uri', sys.argv[1], 'stats']\n"
    "os.write(1, b'.')\nbamboo_neo4j.cli.main()"
)


def stopped_after(seconds: float, stop: signal.Signals) -> tuple[int, str]:
    """Stop a command that waits for a server which never answers; return its exit code and what it said."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        uri = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        process = subprocess.Popen(
            [sys.executable, "-c", STARTED, uri],
            cwd=CHECKOUT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdout.read(1) == b"."
        time.sleep(seconds)
        process.send_signal(stop)
        _, errors = process.communicate(timeout=60)
    return process.returncode, errors.decode().strip()


@pytest.mark.parametrize("seconds", [0.01, 0.03, 0.06, 0.1, 0.2, 0.4])
def test_ctrl_c_prints_one_line_while_modules_are_still_imported(seconds: float) -> None:
    assert stopped_after(seconds, signal.SIGINT) == (130, "bamboo: interrupted")


def test_a_request_to_stop_ends_a_command_with_its_own_exit_code() -> None:
    assert stopped_after(1, signal.SIGTERM) == (143, "")
