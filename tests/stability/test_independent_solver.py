"""Verdicts on random tests, each against a judge that shares no code with them."""

import os
from collections import Counter

import numpy as np
import pytest

from .independent_solver import Case, draw
from .random_tests import KINDS, faults

PARTS = 16  # of many cases, so that processes can share them


def judged(seed: int, sizes, numbers: range, at: int | None = None) -> Counter:
    """How many cases of each kind; fails with all that were wrong."""
    wrong, seen = [], Counter()
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        case = draw(rng, int(rng.choice(sizes)), KINDS[number % 3], at)
        found, kind = faults(case)
        wrong += [f"{seed}, {number}: {text}" for text in found]
        seen.update(kind)
    assert not wrong, "\n".join(wrong)
    return seen


def test_no_crossing_is_false_or_missed_in_random_tests():
    seen = judged(2026, [3, 12], range(60), at=1)
    assert seen["finite"] > 40
    assert seen["islands"] > 3


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_no_crossing_is_false_or_missed_in_thousands_of_random_tests(part):
    """DOVETAIL_VERIFY_TESTS says how many; 10,000 take a quarter of an hour of one core."""
    count = int(os.environ.get("DOVETAIL_VERIFY_TESTS", "2000"))
    seen = judged(7, np.arange(1, 13), range(part, count, PARTS))
    assert seen["finite"] > 0.1 * count / PARTS


def test_a_mode_barely_observable_at_the_interface_has_no_crossing():
    """Three equal masses, interface in the middle: the second mode has its node there."""
    K = 1e4 * (2 * np.eye(3) - np.eye(3, k=1) - np.eye(3, k=-1))
    case = Case(np.ones(3), K, np.array([0.1, 0.005, 0.1]), 1, "spring", 1e3)
    wrong, kind = faults(case)
    assert not wrong
    assert not kind["finite"]  # no delay destabilises it


def test_a_narrow_resonance_of_a_specimen_with_mass_is_not_stepped_over():
    rng = np.random.default_rng(3)
    for _ in range(8):  # damping so light that a grid of thousands of frequencies would miss the peak
        case = draw(rng, 2, "storey")
        case = Case(
            case.mass, case.stiffness, np.array([1e-5, 1e-5]), case.at, "storey", case.k, 0.0, 0.3 * case.m
        )
        wrong, kind = faults(case, simulate=False)
        assert not wrong
