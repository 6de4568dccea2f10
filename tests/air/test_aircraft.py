"""The support's acceleration: prescribed, recorded, by thrust."""

import jax
import numpy as np
import pytest

from dovetail.air import Accelerating, RecordedAcceleration, SineSquaredPulse, Tug
from dovetail.mechanics.motion import FixedFrame


def test_pulse_is_the_second_derivative_of_its_motion():
    pulse = SineSquaredPulse(amplitude=(0.5, 0.0, 0.0), frequency=1.0)

    def motion(t):
        return 0.5 * jax.numpy.sin(np.pi * t) ** 2

    for t in (0.1, 0.4, 0.9):
        assert float(pulse.acceleration(t)[0]) == pytest.approx(
            float(jax.grad(jax.grad(motion))(t)), rel=1e-9
        )
    assert float(pulse.acceleration(1.1)[0]) == 0


def test_steady_recorded_and_ramped_accelerations():
    np.testing.assert_array_equal(FixedFrame().acceleration(3.0), np.zeros(3))
    table = RecordedAcceleration(time=[0.0, 2.0], value=[[0.0, 0.0, 0.0], [-2.0, 1.0, 0.0]])
    np.testing.assert_allclose(table.acceleration(1.0), [-1.0, 0.5, 0.0])
    ramp = Accelerating(value=(-1.0, 0.0, 0.0), start=1.0, ramp=2.0)
    np.testing.assert_allclose([float(ramp.acceleration(t)[0]) for t in (0.5, 2.0, 4.0)], [0.0, -0.5, -1.0])
    assert float(Accelerating(value=(-1.0, 0.0, 0.0)).acceleration(0.0)[0]) == -1.0


def test_tug_accelerates_by_its_excess_thrust_and_pulls_up():
    tug = Tug(
        mass=250e3,
        towed_mass=80e3,
        thrust=1.04e6,
        drag=400e3,
        towed_drag=50e3,
        load_factor=0.2,
        pull_up=(5.0, 2.0),
    )
    assert float(tug.forward_acceleration()) == pytest.approx((1.04e6 - 450e3) / 330e3)
    np.testing.assert_allclose(tug.acceleration(6.0), [float(tug.forward_acceleration()), 0.0, 0.2 * 9.81])
    assert float(tug.acceleration(8.0)[2]) == 0
