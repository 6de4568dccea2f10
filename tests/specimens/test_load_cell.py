import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow
from dovetail.core.signals import signal
from dovetail.specimens import LoadCell


class Spring(Flow):
    def init(self):
        return ()

    def derivative(self, t, x, u):
        return ()

    def output(self, t, x, u):
        return {"force": -2250.0 * u["displacement"]}


motion = {"displacement": jnp.array(0.01), "velocity": jnp.array(0.0), "acceleration": jnp.array(-3.0)}


@pytest.mark.parametrize(("compensation", "left"), [(0.0, 6.6), (2.2, 0.0), (2.0, 0.6)])
def test_the_measured_force_contains_the_uncompensated_inertia(compensation, left):
    shown = LoadCell(Spring(), 2.2, compensation).output(0.0, (), motion)
    np.testing.assert_allclose(shown["force"], -22.5 + left, rtol=1e-12)
    np.testing.assert_allclose(shown["residual_inertia_force"], left, atol=1e-12)


def test_an_uncompensated_mass_looks_like_a_softer_spring():
    # x = X sin wt: -k x - m a = -(k - m w^2) x
    w = 20.0
    swing = {"displacement": 0.01, "velocity": 0.0, "acceleration": -(w**2) * 0.01}
    assert LoadCell(Spring(), 2.2).output(0.0, (), swing)["force"] == pytest.approx(
        -(2250 - 2.2 * w**2) * 0.01
    )


def test_all_output_signals_can_be_recorded():
    assert signal("residual_inertia_force").unit == "N"
