"""A flow as a block, and a flow under an input that is linear between two samples."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4, Flow, Parameter, Sampled, parameter
from dovetail.core.flow_adapters import LinearInput


class Decay(Flow):
    """x' = -rate x + u."""

    rate: Parameter = parameter("1/s", "decay rate", above=0.0)

    def init(self):
        return jnp.ones(())

    def derivative(self, t, x, u):
        return -self.rate * x + u

    def output(self, t, x, u):
        return {"x": x, "time": t}


def test_sampled_flow_follows_its_equation():
    block = Sampled(Decay(rate=2.0), RK4(), substeps=4)
    _x, y = block.step(0.0, 0.1, block.init(), 0.0)
    assert float(y["x"]) == pytest.approx(
        np.exp(-0.2), rel=1.2e-8
    )  # four steps of (rate h)^5/120 = 2.6e-9 each
    assert float(y["time"]) == pytest.approx(0.1)


def test_substeps_equal_the_same_number_of_steps():
    coarse = Sampled(Decay(rate=2.0), RK4(), substeps=3)
    fine = Sampled(Decay(rate=2.0), RK4())
    _x, y = coarse.step(0.0, 0.3, coarse.init(), 1.0)
    state = fine.init()
    for i in range(3):
        state, z = fine.step(i * 0.1, 0.1, state, 1.0)
    assert float(y["x"]) == pytest.approx(float(z["x"]), rel=1e-14)


class Hop(Decay):
    """Adds its input at the end of a step; its event is where the input is zero."""

    def jump(self, t, x, u):
        return x + u

    def guards(self, t, x, u):
        return jnp.array([u])


def test_a_flow_under_a_linear_input_follows_its_closed_form():
    """x' = -2 x + 3 t from x(0) = 1: x = 1.75 exp(-2 t) + 1.5 t - 0.75; RK4 errs by 1.75 (2 t)^5/120."""
    flow = LinearInput(Decay(rate=2.0), 0.0, 0.1, 0.0, 0.3)
    x, _ = RK4().advance(flow, 0.0, 0.1, flow.init(), None, ())
    assert float(x) == pytest.approx(1.75 * np.exp(-0.2) + 0.15 - 0.75, abs=5e-6)


def test_jumps_and_events_receive_the_computed_input():
    plain, hop = (LinearInput(kind(rate=2.0), 1.0, 0.5, 2.0, 4.0) for kind in (Decay, Hop))
    assert (plain.jumps, hop.jumps) == (False, True)
    assert float(hop.jump(1.25, 10.0, None)) == 13.0
    assert hop.guards(1.5, 0.0, None).tolist() == [4.0]
