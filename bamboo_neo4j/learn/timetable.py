"""When maintenance runs in the foreground: times written as for cron, on the clock of this machine."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING

from bamboo_neo4j.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from threading import Event

LONGEST_NAP = 30.0
"""Seconds between two looks at the clock: it may be set, and a machine may sleep."""

_HINT = "five fields as in a crontab, such as '*/5 * * * *', or six with the seconds first"


def local_zone() -> tzinfo:
    """Return the time zone of this machine (TZ, where it is set); raises UsageError for an unknown one."""
    try:
        from tzlocal import get_localzone
    except ImportError as error:
        raise MissingExtra("tzlocal", extra="schedule", purpose="bamboo schedule run") from error
    try:
        return get_localzone()
    except (LookupError, ValueError) as error:
        raise UsageError(
            f"the time zone of this machine is unknown: {error}", hint="set TZ, as TZ=UTC"
        ) from None


class Timetable:
    """The times of a cron expression in `zone`: five fields, or six with the seconds first.

    Changes to and from summer time are met as Debian's cron meets them. Raises UsageError for what is no
    expression, or never comes, MissingExtra without the package that reads it.
    """

    def __init__(self, expression: str, *, zone: tzinfo) -> None:
        try:
            from cronsim import CronSim, CronSimError
        except ImportError as error:
            raise MissingExtra("cronsim", extra="schedule", purpose="bamboo schedule run") from error
        self._read, self.expression, self.zone = CronSim, expression, zone
        try:
            self.after(datetime.now(zone))
        except CronSimError as error:
            raise UsageError(f"{expression!r} is no time: {error}", hint=_HINT) from None

    def after(self, moment: datetime) -> datetime:
        """Return the first time after `moment`, which has a zone; raises UsageError if none ever comes."""
        found = next(self._read(self.expression, moment.astimezone(self.zone)), None)
        if found is None:
            raise UsageError(f"{self.expression!r} never comes", hint=_HINT)
        return found

    def beats(self, ended: Event) -> Iterator[datetime]:
        """Yield each time when it has come, until `ended` is set; what is missed meanwhile is left out."""
        while not ended.is_set():
            due = self.after(datetime.now(self.zone))
            # as timestamps: two times of one zone are subtracted as the clock on the wall shows them
            while (left := due.timestamp() - time.time()) > 0:
                if ended.wait(min(left, LONGEST_NAP)):
                    return
            yield due
