"""Motion of a simulated cell: equal to the steps of its rig, in parts or as a whole, up to a safety limit."""

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.testing.pseudodynamic.cell_motion import follow_path
from dovetail.testing.pseudodynamic.virtual_cell import rig_at_rest
from dovetail.transfer.robot import SafetyLimits, TripCode
from dovetail.transfer.robot.trajectory import MotionProfile, Segment

PERIOD, TOTAL, AVERAGED = 4e-3, 60, 10


@pytest.fixture(scope="module")
def at_rest():
    rig = dv.Rig(dv.transfer.FirstOrderLag(0.05), dv.specimens.Spring(k=1000.0)).with_sample_time(PERIOD, ())
    return rig_at_rest(rig, jnp.asarray(0.0))


@pytest.fixture(scope="module")
def path():
    return Segment(jnp.asarray(0.0), jnp.asarray(0.01), jnp.asarray(0.1), MotionProfile())


def follow(at_rest, path, until=(TOTAL,), safety=None):
    rig, state = at_rest
    now = None
    for end in until:
        numbers = (np.asarray(value) for value in (TOTAL, AVERAGED, end))
        start = state if now is None else None
        now = follow_path(rig, safety or SafetyLimits(), PERIOD, np.asarray(7), path, *numbers, start, now)
    return now


def test_the_move_uses_rig_steps_and_averages_at_the_end_of_rest(at_rest, path):
    rig, state = at_rest
    forces = []
    for tick in range(TOTAL):
        state, reading = rig.step(0.0, PERIOD, state, path.at((tick + 1) * PERIOD))
        forces.append(float(reading["measured_force"]))
    now = follow(at_rest, path)
    assert int(now.k) == 7 + TOTAL
    assert float(now.kept.reading["measured_force"]) == pytest.approx(forces[-1], rel=1e-12)
    assert float(now.kept.sums["measured_force"]) / AVERAGED == pytest.approx(
        np.mean(forces[-AVERAGED:]), rel=1e-12
    )


def test_a_move_computed_in_parts_is_equal(at_rest, path):
    whole, parts = follow(at_rest, path), follow(at_rest, path, (25, 50, TOTAL))
    assert int(parts.k) == int(whole.k)
    np.testing.assert_array_equal(parts.kept.sums["measured_force"], whole.kept.sums["measured_force"])


def test_it_ends_in_the_tick_that_reaches_a_limit(at_rest, path):
    limit = 5.0
    now = follow(at_rest, path, safety=SafetyLimits(force=limit))
    assert TripCode(int(now.monitor.code)) is not TripCode.NONE
    assert int(now.k) < 7 + TOTAL
    assert abs(float(now.kept.reading["measured_force"])) > limit
