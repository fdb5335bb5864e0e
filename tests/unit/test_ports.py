"""Which ports the managed server takes."""

from __future__ import annotations

import socket

import pytest

from bamboo_neo4j.errors import ServerError
from bamboo_neo4j.graph.server.process import choose_ports, is_free


def test_new_ports_differ_and_lie_below_those_of_outgoing_connections() -> None:
    bolt, http = choose_ports((0, 0), fixed=(False, False))
    assert bolt != http
    assert all(1024 < port < 32_768 and is_free(port) for port in (bolt, http))


def test_the_last_port_is_taken_again_while_it_is_free() -> None:
    first = choose_ports((0, 0), fixed=(False, False))
    assert choose_ports(first, fixed=(False, False)) == first


def test_a_taken_port_is_replaced_unless_it_was_asked_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert not is_free(port)
        assert port not in choose_ports((port, 0), fixed=(False, False))
        with pytest.raises(ServerError, match=f"port {port} "):
            choose_ports((port, 0), fixed=(True, False))


@pytest.mark.parametrize("port", [-1, 65_536])
def test_a_port_that_no_machine_has_is_an_error(port: int) -> None:
    with pytest.raises(ServerError, match=f"port {port} "):
        choose_ports((port, 0), fixed=(True, False))
