"""Targets of the towed rope that need no run."""

import numpy as np
import pytest

from dovetail.air import VortexPair
from dovetail.studies.capture import reproduce_capture

OFF_AND_ON = ((1e-9, 0.0), (250e3, 0.1))  # mass of the aircraft [kg], share by which the stream is slowed


def test_four_times_the_steady_tension_leaves_three_ropes():
    assert reproduce_capture.strength_choice() == ["steel-32", "uhmwpe-24", "uhmwpe-32"]


def test_every_rope_of_the_table_is_in_the_catalogue():
    assert {name for name, _ in reproduce_capture.ROPES} <= set(reproduce_capture.catalogue())


@pytest.mark.slow
def test_the_wake_changes_a_swing_that_crosses_it_and_not_one_that_stays_below():
    """Off and on, side by side: let go from the horizontal, and from 0.4 rad below it, 100 m deep."""
    found = {}
    for angle, watched in ((np.pi / 2, 600), (np.pi / 2 - 0.4, 250)):  # the second for as long as it is below
        chain = reproduce_capture.rope(length=250.0, n=3)
        systems = [
            reproduce_capture.capture_system(chain, wake=wake, initial_angles=(angle, 0.0))
            for wake in (VortexPair(aircraft_mass=mass, deficit=deficit) for mass, deficit in OFF_AND_ON)
        ]
        still, wake = (tip[:watched] for tip in reproduce_capture.fleet(systems, duration=6.0))
        found[angle] = np.abs(still - wake).max(), -still[:, 2].max()
    crossing, below = found.values()
    assert crossing[0] > 0.3
    assert below[1] > 50.0
    assert below[0] == 0.0
