"""The Smith predictor in the substructuring loop: 9.4 ms of delay where 1.33 ms are critical."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import NoCompensation, SmithPredictor
from dovetail.core import Flow
from dovetail.transfer import Delay

CASE = dict(c=3.0, duration=4.0)


class Spring(Flow):
    """F = -k x, without memory."""

    k: jax.Array

    def init(self):
        return ()

    def derivative(self, t, x, u):
        return ()

    def output(self, t, x, u):
        return {"force": -self.k * u["displacement"]}


def smith(k):
    return SmithPredictor(model=Spring(k), transfer=Delay(9.4e-3, interpolation="linear"))


def test_with_exact_models_the_loop_is_that_without_delay(bench):
    prompt = bench.hybrid_loop(NoCompensation(), delay=0.0, **CASE)
    late = bench.hybrid_loop(NoCompensation(), delay=9.4e-3, feedback=smith(2250.0), **CASE)
    assert np.asarray(late["z"]) == pytest.approx(np.asarray(prompt["z"]), abs=1e-12)


def test_with_a_model_a_little_wrong_the_loop_is_still_stable(bench):
    plain = bench.hybrid_loop(NoCompensation(), delay=9.4e-3, **CASE)
    wrong = bench.hybrid_loop(NoCompensation(), delay=9.4e-3, feedback=smith(0.9 * 2250.0), **CASE)
    assert np.abs(plain["z"]).max() > 1.0  # [m] without it the loop has diverged
    assert np.abs(wrong["z"]).max() < 0.01


def test_at_rest_the_measured_force_is_used_as_it_is():
    feedback = smith(2250.0).with_sample_time(1e-3)
    zero = jnp.asarray(0.0)
    u = {"displacement": zero, "velocity": zero, "acceleration": zero, "measured_force": jnp.asarray(7.0)}
    _, out = feedback.step(0.0, 1e-3, feedback.init(), u)
    assert out["feedback_force"] == 7.0


def test_it_can_be_batched_over_and_differentiated():
    u = {name: jnp.asarray(0.01) for name in ("displacement", "velocity", "acceleration", "measured_force")}

    def force(k):
        feedback = smith(k).with_sample_time(1e-3)
        return feedback.step(0.0, 1e-3, feedback.init(), u)[1]["feedback_force"]

    # the late motion is still zero
    assert jax.vmap(jax.grad(force))(jnp.array([1.0, 2.0])) == pytest.approx([-0.01, -0.01])
