"""No compensation."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import NoCompensation


def test_the_command_is_the_displacement():
    z = jnp.array([0.3, -0.2])
    state, out = NoCompensation().step(0.0, 1e-3, (), {"displacement": z})
    assert state == ()
    assert np.array_equal(out["command"], z)


def test_the_error_of_a_delay_is_twice_the_sine_of_half_its_phase(bench):
    signal = bench.sine(4.5)
    out = bench.open_loop(NoCompensation(), signal, 9.4e-3)
    loop = bench.rms_ratio(signal["displacement"] - out["x"], signal["displacement"], start=1.0)
    # straight interpolation of a 4.5 Hz sine at 1 kHz and 9.4 ms adds less than 1e-4
    assert loop == pytest.approx(2 * np.sin(np.pi * 4.5 * 9.4e-3), abs=1e-4)
