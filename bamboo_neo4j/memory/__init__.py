"""Memory: the façade that wires the rooms; no Cypher and no prompts here."""

from __future__ import annotations

from bamboo_neo4j.memory.asking import Asking
from bamboo_neo4j.memory.learning import Learning
from bamboo_neo4j.memory.memorising import Memorising
from bamboo_neo4j.memory.questions import Questions
from bamboo_neo4j.memory.reasoning import Reasoning
from bamboo_neo4j.memory.recalling import Recalling
from bamboo_neo4j.memory.scheduling import Scheduling
from bamboo_neo4j.memory.stating import Stating

__all__ = ["Memory"]


class Memory(Memorising, Reasoning, Asking, Recalling, Questions, Scheduling, Stating, Learning):
    """One memory in one database; get it with `Memory.open`, close it or use it in a `with` block.

    Safe to use from several threads. Methods raise `BambooError`s, each with an exit code and a next step.
    """
