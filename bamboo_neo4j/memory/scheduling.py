"""Scheduling: maintenance that Neo4j runs by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bamboo_neo4j.learn import jobs
from bamboo_neo4j.memory.opened import Opened

if TYPE_CHECKING:
    from bamboo_neo4j.learn.jobs import Job


class Scheduling(Opened):
    """What runs the maintenance of a memory inside Neo4j; it gives the same graph as `maintain`."""

    def schedule(self, *, seconds: int = jobs.SECONDS) -> tuple[Job, ...]:
        """Let Neo4j maintain this memory by itself, a batch a procedure each `seconds`; return the jobs.

        Doing so again changes what differs and brings back what is dead. Raises NotFound when there is no
        such memory, DatabaseError where the server has no APOC.
        """
        jobs.install(self._client, self.name, seconds=seconds)
        return self.scheduled()

    def scheduled(self) -> tuple[Job, ...]:
        """Return the jobs that are wanted for this memory, and whether each runs."""
        return jobs.read_jobs(self._client, self.name)

    def unschedule(self) -> tuple[str, ...]:
        """Stop the jobs of this memory and return their names; raises NotFound when it has none."""
        return jobs.remove(self._client, self.name)

    def line_for_apoc_conf(self) -> str:
        """Return the line that a server of your own needs in apoc.conf, so that jobs outlive its restart."""
        return jobs.line_for_conf(self._client)
