"""Documents: files, folders, patterns and standard input to text, one module a family of formats."""

from __future__ import annotations

from bamboo_neo4j.memorise.documents.loading import load
from bamboo_neo4j.memorise.documents.source import Limits, NoText, Source
from bamboo_neo4j.memorise.documents.sources import canonical_uri, find_sources, is_missing

__all__ = ["Limits", "NoText", "Source", "canonical_uri", "find_sources", "is_missing", "load"]
