"""`bamboo browser`: the address of Neo4j Browser with server and user filled in."""

from __future__ import annotations

import click

from bamboo_neo4j.cli.app import App, note, print_json
from bamboo_neo4j.connect.browser import address


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def browser(app: App, *, as_json: bool) -> None:
    """Print the address of Neo4j Browser for the server in use, with server and user filled in."""
    found = address(app.settings)
    if as_json:
        print_json(found)
        return
    click.echo(found.url)
    if found.password_needed:
        where = "bamboo server password prints it" if found.managed else "it is in NEO4J_PASSWORD"
        note(f"log in as {found.username!r}; the password: {where}")
    note("then try: MATCH p = (:Tag)-[:CO_OCCURS]->(:Tag) RETURN p LIMIT 50")
