"""The command line: one thin module a command group; parse, call Memory, print."""

from __future__ import annotations

from bamboo_neo4j.cli.app import bamboo, main

__all__ = ["bamboo", "main"]
