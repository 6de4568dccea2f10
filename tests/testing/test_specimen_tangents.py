"""Tangents of a specimen: a spring has one, others have those of their law, and memory counts."""

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.specimens import Specimen
from dovetail.specimens.base import Memoryless
from dovetail.testing.linearised import is_linear
from dovetail.testing.specimen_tangents import sine, tangent_family

K, X0 = 2250.0, 2e-3  # [N/m], [m]


class Hardening(Memoryless):
    """Cubic spring."""

    def output(self, t, x, u):
        z = u["displacement"]
        return {"force": -K * z * (1.0 + (z / X0) ** 2)}


class Yielding(Specimen):
    """Bouc-Wen spring of exponent two, without a stiffness after yield."""

    def init(self):
        return jnp.zeros(())

    def derivative(self, t, x, u):
        v = u["velocity"]
        return v * (1.0 - (x / X0) ** 2 * (0.5 + 0.5 * jnp.sign(v * x)))

    def output(self, t, x, u):
        return {"force": -K * x}


@pytest.mark.parametrize(
    ("specimen", "linear"),
    [
        (dv.specimens.Spring(k=K, c=3.0), True),
        (dv.specimens.StandardLinearSolid(k=K, relaxing_fraction=0.5, tau=0.1), True),
        (Hardening(), False),
        (Yielding(), False),
    ],
)
def test_a_specimen_is_linear_if_its_tangent_is_the_same_everywhere(specimen, linear):
    assert is_linear(specimen, ()) is linear


def test_a_cubic_spring_has_the_tangents_of_its_law(make_cs1):
    test = make_cs1()
    motion, _ = sine(X0, 20.0)
    family = tangent_family(test.with_values(rig=dv.Rig(dv.transfer.Delay(3e-3), Hardening())), motion)
    assert family.stiffness == pytest.approx((K, 4 * K), rel=1e-3)  # 1 + 3 (z/x0)^2
    assert family.damping == (0.0, 0.0)
    softest = test.stability().margin  # of the spring alone
    assert family.margin < softest


def test_the_immediate_stiffness_of_a_yielding_spring_falls_to_zero(make_cs1):
    test = make_cs1().with_values(rig=dv.Rig(dv.transfer.Delay(3e-3), Yielding()))
    motion, _ = sine(10 * X0, 20.0)
    low, high = tangent_family(test, motion).stiffness
    assert high == pytest.approx(K, rel=1e-6)
    assert abs(low) < 0.05 * K
    assert np.isfinite(low)
