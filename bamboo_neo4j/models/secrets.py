"""Keep secrets out of what is shown: keys, passwords and the user information of addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from bamboo_neo4j.settings import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

HIDDEN = "***"
_SHORTEST = 4
_KEY_SHAPES = re.compile(
    r"\b(?:sk|pk|gsk|xai|hf)[-_][\w*.-]{6,}|\b(Bearer|Basic)\s+[\w+/=.~-]+", re.IGNORECASE
)


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """Return `text` without `secrets`, as they are or percent-encoded, and without what looks like a key.

    Secrets shorter than four characters are left, as they would tear ordinary words apart.
    """
    known = [secret for secret in secrets if len(secret) >= _SHORTEST]
    for secret in sorted(known, key=len, reverse=True):
        for spelling in (secret, quote(secret, safe=""), quote(secret)):
            text = text.replace(spelling, HIDDEN)
    return redact(_KEY_SHAPES.sub(HIDDEN, text))
