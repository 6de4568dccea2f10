"""Collective and cyclic pitch, and their schedule."""

import jax
import numpy as np
import pytest

from dovetail.air.rotor import Controls, RotorSchedule
from dovetail.core.errors import ParameterError


def test_cyclic_pitch_is_one_cycle_a_turn_and_largest_at_its_azimuth():
    controls = Controls(135.0, 0.145, 0.005, np.pi / 2)
    pitch = controls.pitch(np.array([0.0, np.pi / 2, np.pi, 3 * np.pi / 2]))
    np.testing.assert_allclose(
        pitch, [0.145, 0.15, 0.145, 0.14], atol=1e-15
    )  # retreating 0.15, advancing 0.14


@pytest.mark.parametrize("interpolation", ["linear", "smooth"])
def test_a_schedule_passes_through_its_table_without_overshoot(interpolation):
    plan = RotorSchedule(
        times=[0.0, 2.0, 6.0], speed=[0.0, 0.0, 135.0], collective=0.14, interpolation=interpolation
    )
    t = np.linspace(0.0, 8.0, 161)
    found = jax.jit(jax.vmap(jax.value_and_grad(lambda t: plan(t).speed)))
    speed = np.asarray(found(t)[0])
    assert dict(zip(t[[120, 40, 80]], speed[[120, 40, 80]], strict=True)) == {6.0: 135.0, 2.0: 0.0, 4.0: 67.5}
    assert np.all(np.diff(speed) >= 0)
    assert plan.valid_until == 6.0
    slope = float(found(np.full(161, 6.0 - 1e-9))[1][0])
    assert slope == pytest.approx(135 / 4 if interpolation == "linear" else 0.0, abs=1e-6)


def test_a_schedule_that_is_not_a_table_is_rejected():
    with pytest.raises(ParameterError, match="increasing times"):
        RotorSchedule(times=[0.0, 0.0])
    with pytest.raises(ParameterError, match="3 values for 2 times"):
        RotorSchedule(times=[0.0, 1.0], cyclic=[0.0, 0.0, 0.1])
