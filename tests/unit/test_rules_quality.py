"""How many of the names and terms that a reader would link by the rule tagger finds.

The paragraphs and their lists were written for this test, the lists before any tag was looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bamboo_neo4j.memorise.rules import tag_chunk
from bamboo_neo4j.normalise import normaliser

if TYPE_CHECKING:
    from collections.abc import Iterator

PARAGRAPHS = """\
Lindwurm Tunnel
---
The Lindwurm Tunnel is a road tunnel under the river Aske that links Vesterby with the island of
Holm. It was built between 1961 and 1966 by the contractor Brandt & Søhne after plans by the
engineer Mathilde Krogh, who had worked on the Maas Tunnel in Rotterdam. At its deepest point the
roadway lies 31 metres below sea level. In March 1978 a tanker of the Orlow Line lost its anchor
above the tunnel, and the Holm Harbour Authority has banned anchoring there ever since. A second
tube for trains was proposed by the Ministry of Transport in 2004.
---
Aske, Vesterby, Holm, Brandt & Søhne, Mathilde Krogh, Maas Tunnel, Rotterdam, Orlow Line, Holm
Harbour Authority, Ministry of Transport, road tunnel, 1966
===
Photosynthetic efficiency
---
Photosynthetic efficiency is the share of light energy that plants turn into chemical energy. Most
crops reach one or two per cent. C4 plants such as maize concentrate carbon dioxide around the
enzyme RuBisCO and so suppress photorespiration, which costs C3 plants a quarter of their carbon. In
1971 Hal Hatch and Roger Slack described the pathway that now bears their names. A team at the
University of Illinois has since engineered tobacco with a shorter photorespiratory pathway and
raised its biomass by 40 per cent.
---
light energy, chemical energy, C4 plants, maize, carbon dioxide, RuBisCO, photorespiration, C3
plants, Hal Hatch, Roger Slack, University of Illinois, tobacco
===

---
Ilse Maria Vogt (12 May 1899 - 3 August 1973) was an Austrian cellist and teacher. Born in Graz, she
studied with Paul Grümmer at the Vienna Academy and in 1925 joined the Rosé Quartet for a tour of
South America. Her recording of the Elgar Cello Concerto with the Hallé Orchestra under John
Barbirolli won the Grand Prix du Disque. After emigrating to Buenos Aires she founded a school of
music, where Sofía Lerner was among her pupils.
---
Ilse Maria Vogt, Ilse Vogt, Graz, Paul Grümmer, Vienna Academy, Rosé Quartet, South America, Elgar
Cello Concerto, Hallé Orchestra, John Barbirolli, Grand Prix du Disque, Buenos Aires, Sofía Lerner
===
Backups of the order database
---
Nightly dumps of the order database are written by pg_dump at two in the morning and copied to the
bucket in Frankfurt. Marta Oliveira from the platform team checks the restore log every Monday. If a
dump is smaller than the one before, Grafana raises an alert and PagerDuty calls the engineer on
duty. The retention policy keeps seven daily and four weekly dumps. During the outage of 14 February
2023 the replica in Dublin was promoted by hand, which took Jonas Weber forty minutes.
---
order database, Frankfurt, Marta Oliveira, platform team, restore log, Grafana, PagerDuty, retention
policy, 14 February 2023, Dublin, Jonas Weber
===
The Glass Orchard
---
"The Glass Orchard" is a 1987 novel by the Irish writer Nuala Devane. It follows Thomas Keane, a
surveyor who returns to County Mayo to map the estate of his late uncle and finds that every tree in
its orchard has been replaced by a glass copy. The book won the Hennessy Award and was adapted for
television by RTÉ in 1991, with Gabriel Byrne as Keane. Devane called it a reply to "The Third
Policeman" by Flann O'Brien. A German translation by Harry Rowohlt appeared at Haffmans Verlag in
Zürich.
---
Nuala Devane, Thomas Keane, County Mayo, Hennessy Award, RTÉ, Gabriel Byrne, The Third Policeman,
Flann O'Brien, Harry Rowohlt, Haffmans Verlag, Zürich, 1987
"""
"""Title, text, what a reader would link by; one paragraph has no title."""


def paragraphs() -> Iterator[tuple[str, str, list[str]]]:
    """Give title, text and list of each paragraph."""
    for block in PARAGRAPHS.split("===\n"):
        title, text, listed = (part.replace("\n", " ").strip() for part in block.split("---\n"))
        yield title, text, listed.split(", ")


def found(limit: int) -> float:
    """Return the share of what a reader listed that is among the first `limit` tags, over all paragraphs."""
    english = normaliser("en")
    hits = wanted = 0
    for title, text, listed in paragraphs():
        tags = tag_chunk(text, title=title, normaliser=english, tokens=120, limit=limit)
        keys = {tag.key for tag in tags}
        names = [english.key(name) for name in listed]
        hits += sum(name in keys for name in names)
        wanted += len(names)
    return hits / wanted


@pytest.mark.parametrize(("limit", "share"), [(8, 0.5), (12, 0.7), (16, 0.8), (24, 0.85)])
def test_the_first_tags_hold_what_a_reader_would_link_by(limit: int, share: float) -> None:
    assert found(limit) >= share
