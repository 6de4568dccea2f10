"""The Rosenbrock method on a small flow of its own: a ball on a plate, with what a flow must bring."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow
from dovetail.mechanics.collision import ContactRosenbrock
from dovetail.mechanics.collision.rosenbrock import single

K, C, M, G = 1e5, 50.0, 1.0, 9.81


class Ball(Flow):
    """A mass above a spring and damper; `inexact` hands the method a wrong matrix for what is slow."""

    inexact: bool = False

    held = ("on",)

    def init(self):
        return {"z": jnp.asarray(0.2), "v": jnp.zeros(()), "on": jnp.zeros(())}

    def _force(self, x):
        return x["on"] * (-K * x["z"] - C * x["v"])

    def derivative(self, t, x, u):
        drag = -0.3 * x["v"] * jnp.cos(3 * t)
        return {
            "z": x["v"],
            "v": (self._force(x) + drag) / M - G,
            "on": jnp.zeros(()),
        }

    def output(self, t, x, u):
        return x

    def shifted_solver(self, t, x, g):
        on = x["on"]
        slow = 0.0 if self.inexact else -0.3 * jnp.cos(3 * t)
        J = jnp.array([[0.0, 1.0], [-K * on / M, (-C * on + slow) / M]])
        inverse = jnp.linalg.inv(jnp.eye(2) - g * J)

        def solve(b):
            k = inverse @ jnp.stack([b["z"], b["v"]])
            return {"z": k[0], "v": k[1]}

        return solve

    def time_rate(self, t, x):
        return {"z": 0.0 * x["z"], "v": 0.0 * x["v"]}

    def scales(self):
        return {"z": jnp.asarray(1e-2), "v": jnp.asarray(1e-1)}

    def guards(self, t, x, u):
        return x["z"][None]

    def jump(self, t, x, u):
        return {**x, "on": (x["z"] <= 0).astype(float)}


@pytest.mark.parametrize("inexact", [False, True])
def test_it_is_of_order_three_also_with_an_inexact_matrix(inexact):
    ball = Ball(inexact=inexact)

    @jax.jit
    def end(h):
        def one(k, x):
            return single(ball, k * h, h, x, None)[0]

        return jax.lax.fori_loop(0, jnp.round(0.19 / h).astype(int), one, ball.init())["v"]

    truth = end(0.19 / 640)
    errors = [abs(float(end(0.19 / n) - truth)) for n in (10, 20)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.25)


@pytest.fixture(scope="module")
def bounce():
    ball, method = Ball(), ContactRosenbrock(rtol=1e-7, atol=1e-7, event_tolerance=1e-9)

    @jax.jit
    def run(x):
        def one(carry, k):
            carry = method.step(ball, k * 1e-2, 1e-2, carry[0], None, carry[1])
            return carry, carry[0]

        return jax.lax.scan(one, (x, method.init(ball, x)), jnp.arange(200))

    (x, memory), path = run(ball.init())
    return x, path, memory


def test_a_bouncing_ball_comes_to_rest_on_its_spring(bounce):
    x, _, _ = bounce
    assert float(x["z"]) == pytest.approx(-M * G / K, abs=1e-5)
    assert float(x["on"]) == 1.0


def test_rebound_heights_equal_those_of_the_damped_spring(bounce):
    _, path, _ = bounce
    z = np.asarray(path["z"])
    first = z[int(0.21 / 1e-2) : int(0.58 / 1e-2)].max()
    # a spring and damper give back exp(-zeta pi) of the speed; the pull of this law takes a little more
    zeta = C / (2 * np.sqrt(K * M))
    assert first == pytest.approx(0.2 * np.exp(-2 * zeta * np.pi), rel=0.15)


def test_events_are_few_and_the_step_does_not_vanish(bounce):
    _, _, memory = bounce
    steps, rejected, events = (float(v) for v in memory.steps)
    assert 5 < events < 100
    assert steps < 20_000
