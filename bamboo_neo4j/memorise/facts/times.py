"""Days and times of facts: what is read, and how two of them compare."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time

Moment = date | datetime
"""A day, or a time in UTC; a `datetime` is one, a plain `date` the other."""

_DAY = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)


def read_moment(value: object, *, last: bool = False) -> Moment:
    """Return the day or the time that `value` says; a year or a month is its first day, or its `last`.

    Text is ISO 8601: 2026, 2026-03, 2026-03-31 or 2026-03-31T14:30:00+02:00; a time without an offset is
    taken as UTC. Raises ValueError for anything else.
    """
    if isinstance(value, datetime):
        return _utc(value)
    if isinstance(value, date):
        return value
    text = value.strip() if isinstance(value, str) else ""
    if day := _DAY.fullmatch(text):
        return _day(*day.groups(), last=last)
    if _TIME.fullmatch(text):
        return _utc(datetime.fromisoformat(text))
    raise ValueError("no day or time in ISO 8601")


def as_of(value: object) -> datetime:
    """Return the moment that a question about a day or a time means: of a day its beginning in UTC."""
    moment = read_moment(value)
    return moment if isinstance(moment, datetime) else _midnight(moment)


def is_period(first: Moment, last: Moment) -> bool:
    """Whether something may be valid from `first` to `last`: a day is included, a time is the end."""
    if isinstance(first, datetime):
        return first < last if isinstance(last, datetime) else first.date() <= last
    return _midnight(first) < last if isinstance(last, datetime) else first <= last


def _day(year: str, month: str | None, day: str | None, *, last: bool) -> date:
    number = int(month) if month else 12 if last else 1
    if day is None:
        return date(int(year), number, monthrange(int(year), number)[1] if last else 1)
    return date(int(year), number, int(day))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _utc(moment: datetime) -> datetime:
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("out of range") from None
