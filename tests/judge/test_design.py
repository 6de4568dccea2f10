"""Designs with a GO: the stated delay margin holds in a rehearsal with that much more delay, and afterwards."""

import dataclasses
import shutil

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.assess import design
from dovetail.assess.margins import later
from dovetail.core.errors import DovetailError
from dovetail.testing.rehearsed_margin import Released

from .draws import draw

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
SEED, PARTS = 5, 20
TOLERANCE = (0.02, 1e-4)  # of a margin: relative, and [s]
LARGEST = 0.1  # [s] of additional delay that is rehearsed


def fault(test, margin):
    """Return what is wrong with a stated margin [s]; empty if nothing is."""
    extra = min((1 - TOLERANCE[0]) * margin - TOLERANCE[1], LARGEST)
    late = later(test, max(extra, 0.0), LARGEST)
    ideal = test.reference().data.displacement.values
    excitation = Released(late.excitation, jnp.asarray(test.duration))
    z = dataclasses.replace(late, excitation=excitation, duration=5 * test.duration).rehearse().data
    z = z.displacement.values
    if len(z) < 5 * test.tick_count:
        return "stops before the end"
    peak = np.abs(ideal).max()
    if not np.abs(z[: len(ideal)]).max() <= 3 * peak:
        return "leaves the reference"
    before, last = (np.ptp(z[len(z) - (k + 1) * test.tick_count :][: test.tick_count]) / 2 for k in (1, 0))
    return "grows" if last > 0.05 * peak and last > 0.99 * before else ""


def judge_designs(numbers):
    """Return the faults of the designs with a GO, and how many there are."""
    faults, count = [], 0
    for number in numbers:
        test = draw(SEED, number).test()
        try:
            made = design(test)
        except DovetailError:  # no compensator stabilises the loop
            continue
        if made.go:
            count += 1
            if text := fault(made.test, made.assessment.margin):
                faults.append(f"{number}: {text} with {made.assessment.margin_text}")
    return faults, count


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_the_margins_of_hundreds_of_designs_hold(part):
    faults, count = judge_designs(range(part, 200, PARTS))
    assert not faults
    assert count
