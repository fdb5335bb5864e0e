"""JSON that people give, parsed in one way: nothing in it is lost in silence, and a fault names its place."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


class NotJson(ValueError):
    """What is wrong with a text, as a clause that follows the name of the input: "is not JSON: …"."""


def parse(text: str, *, any_number: bool = False) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return the value of `text`; raise NotJson for what JSON has not, and for a key that is given twice.

    `any_number` takes NaN and Infinity as well, which other programs write.
    """
    try:
        return (_LENIENT if any_number else _STRICT).decode(text)
    except NotJson:
        raise
    except RecursionError:
        raise NotJson("is nested too deeply") from None
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text.strip() else ""
        what = error.msg.removesuffix(" at")
        raise NotJson(f"is not JSON: {what} at {line}character {error.colno}") from None
    except ValueError:  # Python's limit of the digits of a whole number
        raise NotJson("holds an integer of more than 4,300 digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise NotJson(f"gives the key {twice[:60]!r} twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"holds {name}, which is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotJson(f"holds a number out of range: {text[:40]}")
    return number


_STRICT = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant, parse_float=_finite)
_LENIENT = json.JSONDecoder(object_pairs_hook=_object)
