"""Load what a worker needs, once: the fork server imports this, and its children have it from the start."""

from __future__ import annotations

from bamboo_neo4j.memorise.preparing import cut_document, tag_piece
from bamboo_neo4j.memorise.recipe import make_recipe
from bamboo_neo4j.normalise import normaliser
from bamboo_neo4j.records import Document
from bamboo_neo4j.settings import read_settings

_RECIPE = make_recipe("warm", normaliser("en"), settings=read_settings(environ={}), chunk_tokens=(5, 40))
_DOCUMENT = Document("warm", "", "", "Ada Kern met Leo Brandt in 1905.", "text/plain")
for _cut in cut_document(_DOCUMENT, _RECIPE):
    tag_piece(_cut, _DOCUMENT, _RECIPE)
