"""Export and import: a whole memory, with all that was learned in it, as JSON lines; see docs/export.md.

An import of an export gives an equal graph: exported again, only the memory's name in the first line differs.
"""

from __future__ import annotations

from bamboo_neo4j.connect.export.exporting import Exported, export_memory
from bamboo_neo4j.connect.export.importing import Imported, import_memory

__all__ = ["Exported", "Imported", "export_memory", "import_memory"]
