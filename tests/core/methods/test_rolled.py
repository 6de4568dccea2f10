"""Stages in a loop give the numbers of stages side by side."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import BDF2, RK4, DormandPrince8, Flow
from dovetail.core.methods.rolled import with_stage_loop


class Pendulum(Flow):
    def init(self):
        return {"angle": jnp.array(1.0), "rate": jnp.array([0.2])}

    def derivative(self, t, x, u):
        return {"angle": x["rate"][0], "rate": -jnp.sin(x["angle"])[None] + jnp.cos(3 * t)}

    def output(self, t, x, u):
        return x


@pytest.mark.parametrize("method", [RK4(), DormandPrince8()])
def test_stages_in_a_loop_give_equal_results(method):
    flow = Pendulum()
    a, _ = method.step(flow, 0.3, 0.1, flow.init(), None, ())
    b, _ = with_stage_loop(method).step(flow, 0.3, 0.1, flow.init(), None, ())
    np.testing.assert_allclose(a["angle"], b["angle"], rtol=1e-15)
    np.testing.assert_allclose(a["rate"], b["rate"], rtol=1e-14)
    assert with_stage_loop(method).order == method.order
    assert with_stage_loop(method).amplification(-1.0) == method.amplification(-1.0)


def test_methods_without_stages_are_unchanged():
    method = BDF2()
    assert with_stage_loop(method) is method
