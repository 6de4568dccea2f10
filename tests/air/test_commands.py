"""Commands in time, and holding a position."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import Doublet, HoldPosition, NoCommand, RampCommand, StepCommand

R, V = jnp.array([-240.0, -3.0, -50.0]), jnp.array([0.0, 0.5, -1.0])


def test_ramps_add_up():
    ramp = RampCommand(angle=[[0.1, 0.0], [0.0, 0.2]], start=[50.0, 70.0], ramp=10.0)
    for t, expected in ((49.0, [0, 0]), (55.0, [0.05, 0]), (75.0, [0.1, 0.1]), (99.0, [0.1, 0.2])):
        np.testing.assert_allclose(ramp(t, R, V), expected, atol=1e-12)


def test_steps_and_doublets_switch_when_they_should():
    step, doublet = StepCommand(angle=[0.1, -0.1], start=5.0), Doublet(angle=[0.1, 0.0], start=5.0, width=4.0)
    np.testing.assert_allclose([step(4.9, R, V)[0], step(5.1, R, V)[1]], [0.0, -0.1])
    np.testing.assert_allclose([float(doublet(t, R, V)[0]) for t in (4.9, 5.5, 7.5, 9.5)], [0, 0.1, -0.1, 0])
    np.testing.assert_array_equal(NoCommand()(1.0, R, V), [0, 0])


def test_position_control_pitches_up_when_too_deep_and_respects_its_limit():
    hold = HoldPosition(target=[0.0, -40.0], gain=0.01, rate_gain=0.02, limit=0.2)
    pitch, yaw = (float(a) for a in hold(0.0, R, V))
    assert pitch == pytest.approx(0.01 * 10 + 0.02 * 1.0)
    assert yaw == pytest.approx(-0.01 * 3 + 0.02 * 0.5)
    assert float(hold(0.0, R - jnp.array([0.0, 0.0, 100.0]), V)[0]) == pytest.approx(0.2)
