"""A process that does what its standard input says, one JSON object a line: ingest, forget or recall."""

from __future__ import annotations

import json
import sys

from bamboo_neo4j import Memory
from bamboo_neo4j.errors import BambooError, NotFound, NothingRecalled
from bamboo_neo4j.records import Document


def main() -> None:
    """Open the memory of the arguments and serve."""
    uri, name = sys.argv[1:3]
    memory: Memory | None = None
    print("ready", flush=True)
    for line in sys.stdin:
        step = json.loads(line)
        try:
            memory = memory or Memory.open(name, uri=uri, auth=("neo4j", "none"))
            _do(memory, step)
            print("done", flush=True)
        except (NothingRecalled, NotFound):
            print("done", flush=True)
        except BambooError as error:
            print(f"failed {error.message}", flush=True)


def _do(memory: Memory, step: dict[str, str]) -> None:
    if step["do"] == "ingest":
        memory.remember(Document(step["document"], "", "", step["text"], "text/plain"), chunk_tokens=(5, 40))
    elif step["do"] == "forget":
        memory.forget(step["document"])
    else:
        memory.recall(step["text"])


if __name__ == "__main__":
    main()
