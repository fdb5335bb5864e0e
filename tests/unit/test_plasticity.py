"""Strengths by hand-worked values, and as properties: what the formulas of learning promise."""

from __future__ import annotations

from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bamboo_neo4j.learn.plasticity import current, decay, emerged, fact_floor, floor_of, rank, strengthened

strengths = st.floats(0.0, 1.0)
cycles = st.integers(0, 2_000)


def test_twelve_activations_lift_0919_to_0977_as_in_the_papers_table() -> None:
    strength = 0.919
    for _ in range(12):
        strength = strengthened(strength)
    assert strength == pytest.approx(0.977, abs=5e-4)


def test_an_edge_at_half_passes_095_with_its_22nd_activation() -> None:
    strength, uses = 0.5, 0
    while strength <= 0.95:
        strength = strengthened(strength)
        uses += 1
    assert uses == 22


def test_five_idle_cycles_leave_0893_of_full_strength() -> None:
    assert current(1.0, 5, floor=0.1) == pytest.approx(0.893, abs=5e-4)


def test_one_use_of_half_a_share_closes_a_twentieth_of_the_gap() -> None:
    assert strengthened(0.5, 0.5) == pytest.approx(0.525)
    assert strengthened(0.5) == pytest.approx(0.55)


def test_one_idle_cycle_takes_what_is_worked_out_by_hand() -> None:
    assert decay(1) == pytest.approx(0.05 * (1 - 0.818730753), abs=1e-9)
    assert decay(2) == pytest.approx(0.05 * (1 - 0.818730753) + 0.05 * (1 - 0.670320046), abs=1e-9)


@given(strengths, st.integers(0, 300), st.sampled_from([0.1, 0.5]))
def test_the_closed_form_of_decay_is_the_loop(strength: float, idle: int, floor: float) -> None:
    looped = strength
    for cycle in range(1, idle + 1):
        looped -= 0.05 * (1 - exp(-cycle / 5))
    assert current(strength, idle, floor) == pytest.approx(max(floor, looped), abs=1e-9)


@given(cycles, cycles)
def test_decay_begins_at_nothing_and_never_gives_back(one: int, other: int) -> None:
    assert decay(0) == decay(-one) == 0
    assert decay(min(one, other)) <= decay(max(one, other))


@given(strengths, st.floats(0.001, 1.0))
def test_use_never_weakens_and_never_passes_one(strength: float, share: float) -> None:
    assert strength <= strengthened(strength, share) <= 1


@given(strengths, cycles, st.sampled_from([0.1, 0.5]))
def test_decay_never_goes_below_the_floor(strength: float, idle: int, floor: float) -> None:
    assert floor <= current(strength, idle, floor) <= max(strength, floor)


@given(strengths, cycles)
def test_a_fact_is_never_stronger_for_not_being_used(strength: float, idle: int) -> None:
    assert fact_floor(0.05) == current(0.05, idle, fact_floor(0.05)) == 0.05
    assert min(strength, 0.1) <= current(strength, idle, fact_floor(strength)) <= strength
    assert fact_floor(0.9) == fact_floor(None) == 0.1


def test_p28_decaying_often_seldom_or_twice_gives_one_strength() -> None:
    last_use, strength = 10, 0.9
    often = [current(strength, now - last_use, 0.5) for now in range(10, 41)]
    seldom = current(strength, 40 - last_use, 0.5)
    assert often[-1] == seldom == current(strength, 40 - last_use, 0.5)
    assert current(strength, 9 - last_use, 0.5) == strength  # a clock that was set back changes nothing
    assert often == sorted(often, reverse=True)


def test_an_emergent_edge_begins_at_03_and_never_above_half() -> None:
    assert emerged(3) == 0.3
    assert emerged(5) == emerged(50) == 0.5


def test_evidence_has_the_higher_floor_and_rank_is_weight_until_something_is_learned() -> None:
    assert (floor_of(3), floor_of(0), floor_of(None), floor_of(3, evidence=0.1)) == (0.5, 0.1, 0.1, 0.1)
    assert (rank(7, 0.5), rank(7, 1.0)) == (7, 14)
    assert rank(0, 0.3) == pytest.approx(0.6)
