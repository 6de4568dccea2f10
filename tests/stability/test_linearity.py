"""Linear or not at a size: springs are, gaps and yielding ones are not."""

import math

import jax.numpy as jnp
import pytest

from dovetail.specimens import Spring
from dovetail.specimens.base import Memoryless
from dovetail.stability.linearity import MAX_LINEARITY_ERROR, linearity_error, sine


class Hardening(Memoryless):
    """F = -k z (1 + (z/z0)^2)."""

    def output(self, t, x, u):
        z = u["displacement"]
        return {"force": -2250.0 * z * (1.0 + (z / 1e-2) ** 2)}


class Gap(Memoryless):
    """Nothing up to a millimetre, a spring beyond."""

    def output(self, t, x, u):
        return {"force": -1e4 * jnp.maximum(u["displacement"] - 1e-3, 0.0)}


def test_a_spring_is_linear_at_any_size():
    motion, dt = sine(0.5, 30.0)
    assert linearity_error(Spring(k=2250.0), motion, dt) < 1e-9


def test_the_departure_of_a_cubic_spring_is_that_of_its_cube():
    """In units of z0 the force is s + s^3 with s a unit sine; what departs is s^3. Rms values by its even moments."""
    motion, dt = sine(1e-2, 30.0)
    second, fourth, sixth = 1 / 2, 3 / 8, 5 / 16  # means of the even powers of a sine
    expected = math.sqrt(sixth / (second + 2 * fourth + sixth))
    assert linearity_error(Hardening(), motion, dt) == pytest.approx(expected, rel=1e-3)


def test_a_gap_is_linear_below_it_and_not_beyond():
    below, dt = sine(0.9e-3, 30.0)
    assert linearity_error(Gap(), below, dt) == 0.0
    beyond, dt = sine(5e-3, 30.0)
    assert linearity_error(Gap(), beyond, dt) == pytest.approx(1.0)
    assert linearity_error(Gap(), beyond, dt) > MAX_LINEARITY_ERROR


def test_a_specimen_whose_force_vanishes_at_large_motion_is_nonlinear():
    class Fuse(Memoryless):
        def output(self, t, x, u):
            z = u["displacement"]
            return {"force": jnp.where(jnp.abs(z) < 1e-6, -1e4 * z, 0.0 * z)}

    motion, dt = sine(1e-2, 30.0)
    motion["displacement"] = motion["displacement"][1:50] + 1e-5  # never within the fuse's range, as it is
    motion = {name: values[:49] for name, values in motion.items()}
    assert linearity_error(Fuse(), motion, dt) == math.inf


def test_all_axes_of_a_sine_have_equal_motion():
    motion, dt = sine(2e-3, 10.0, (2,))
    assert motion["velocity"].shape == (200, 2)
    assert float(motion["displacement"].max()) == pytest.approx(2e-3)
    assert float(motion["velocity"][0, 1]) == pytest.approx(2e-2)
    assert dt == pytest.approx(2 * math.pi / 10.0 / 100)
