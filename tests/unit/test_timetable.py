"""When maintenance runs: cron's times on a clock that changes to and from summer time."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import islice, pairwise
from threading import Event
from zoneinfo import ZoneInfo

import pytest

from bamboo_neo4j.errors import UsageError
from bamboo_neo4j.learn.timetable import Timetable

STOCKHOLM = ZoneInfo("Europe/Stockholm")


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("*/5 * * * *", "2026-03-02T10:02:31", "2026-03-02T10:05:00"),
        ("*/5 * * * *", "2026-03-02T10:05:00", "2026-03-02T10:10:00"),
        ("30 3 * * mon", "2026-03-03T00:00:00", "2026-03-09T03:30:00"),
        ("0 0 29 2 *", "2026-01-01T00:00:00", "2028-02-29T00:00:00"),
        ("*/20 * * * * *", "2026-03-02T10:02:31", "2026-03-02T10:02:40"),
    ],
)
def test_times_are_those_of_cron(expression: str, after: str, expected: str) -> None:
    moment = datetime.fromisoformat(after).replace(tzinfo=STOCKHOLM)
    found = Timetable(expression, zone=STOCKHOLM).after(moment)
    assert found == datetime.fromisoformat(expected).replace(tzinfo=STOCKHOLM)


def test_a_time_that_summer_time_leaves_out_is_made_up_for_and_one_that_comes_twice_is_met_once() -> None:
    timetable = Timetable("30 2 * * *", zone=STOCKHOLM)
    spring = timetable.after(datetime(2026, 3, 28, 12, tzinfo=STOCKHOLM))
    assert spring.astimezone(UTC) == datetime(2026, 3, 29, 1, tzinfo=UTC)  # 02:30 is not there; 03:00 is
    autumn = timetable.after(datetime(2026, 10, 24, 12, tzinfo=STOCKHOLM))
    assert autumn.astimezone(UTC) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert timetable.after(autumn).date().isoformat() == "2026-10-26"


def test_every_five_minutes_goes_on_through_the_hour_that_comes_twice() -> None:
    timetable, moment = Timetable("*/5 * * * *", zone=STOCKHOLM), datetime(2026, 10, 25, 0, 0, tzinfo=UTC)
    found = []
    for _ in range(36):
        moment = timetable.after(moment).astimezone(UTC)
        found.append(moment.timestamp())
    assert {later - earlier for earlier, later in pairwise(found)} == {300.0}


@pytest.mark.parametrize(
    "expression", ["", "often", "* * * *", "61 * * * *", "0 0 30 2 *", "@daily", "* * * * * * *"]
)
def test_what_is_no_time_is_refused_with_an_example(expression: str) -> None:
    with pytest.raises(UsageError) as caught:
        Timetable(expression, zone=UTC)
    assert repr(expression) in caught.value.message
    assert "*/5 * * * *" in caught.value.hint


def test_each_time_is_yielded_when_it_has_come_and_what_was_missed_is_left_out() -> None:
    ended = Event()
    beats = Timetable("* * * * * *", zone=UTC).beats(ended)
    first = next(beats)
    assert 0 <= time.time() - first.timestamp() < 0.5
    time.sleep(1.2)  # longer than from one time to the next
    second, third = islice(beats, 2)
    assert [round(later.timestamp() - first.timestamp()) for later in (second, third)] == [2, 3]
    ended.set()
    assert list(beats) == []
