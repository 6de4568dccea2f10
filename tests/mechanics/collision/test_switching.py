"""Explicit where it will do: rates of random flows against their eigenvalues, and a ball that flies and is caught."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow
from dovetail.mechanics.collision import ContactRosenbrock
from dovetail.mechanics.collision.switching import choose_method, explicit_step, initial_choice

K, C, M, G = 1e7, 1e5, 1.0, 9.81  # a plate that catches: 1e5 and 100 1/s


class Ball(Flow):
    """A mass that falls onto a plate of spring and heavy damper."""

    held = ("on",)

    def init(self):
        return {"z": jnp.asarray(0.2), "v": jnp.zeros(()), "on": jnp.zeros(())}

    def derivative(self, t, x, u):
        force = x["on"] * (-K * x["z"] - C * x["v"]) - 0.3 * x["v"]
        return {"z": x["v"], "v": force / M - G, "on": jnp.zeros(())}

    def output(self, t, x, u):
        return x

    def shifted_solver(self, t, x, g):
        on = x["on"]
        inverse = jnp.linalg.inv(jnp.eye(2) - g * jnp.array([[0.0, 1.0], [-K * on, -C * on - 0.3]]) / M)

        def solve(b):
            z, v = inverse @ jnp.stack([b["z"], b["v"]])
            return {"z": z, "v": v}

        return solve

    def time_rate(self, t, x):
        return {"z": 0.0 * x["z"], "v": 0.0 * x["v"]}

    def scales(self):
        return {"z": jnp.asarray(1e-2), "v": jnp.asarray(1e-1)}

    def guards(self, t, x, u):
        return x["z"][None]

    def jump(self, t, x, u):
        return {**x, "on": (x["z"] <= 0).astype(float)}


def caught(**options):
    """Records of 0.4 s, every 10 ms; the ball reaches the plate at 0.2 s."""
    ball, method = Ball(), ContactRosenbrock(rtol=1e-6, atol=1e-6, **options)

    @jax.jit
    def run(x):
        def one(carry, k):
            carry = method.step(ball, k * 1e-2, 1e-2, carry[0], None, carry[1])
            return carry, carry

        return jax.lax.scan(one, (x, method.init(ball, x)), jnp.arange(40))[1]

    return run(ball.init())


@pytest.fixture(scope="module")
def switched():
    return caught(switching="automatic")


def test_flight_is_explicit_and_the_catch_implicit(switched):
    choice = switched[1].inner
    stiff, steps = np.asarray(choice.stiff), np.asarray(choice.steps)
    assert not stiff[2:20].any()
    assert stiff[21:].all()
    assert steps[19, 0] > 3 * steps[19, 1]  # up to the touch
    assert np.all(np.diff(steps[22:, 0]) == 0)  # after it


def test_switching_changes_the_motion_by_no_more_than_the_tolerance(switched):
    always, switched = caught()[0], switched[0]
    for name, scale in (("z", 1e-2), ("v", 1e-1)):
        apart = np.abs(np.asarray(always[name] - switched[name])).max()
        assert apart < 1e-3 * scale  # a thousand steps of a millionth each


def test_the_maximum_step_of_the_user_is_respected():
    shortest = caught(switching="automatic", max_step=1e-3)[1].inner.steps[-1].sum()
    assert shortest >= 400  # 0.4 s in steps of a millisecond


def damped(seed):
    """A random linear system of three masses, its matrix, and a state of it."""
    rng = np.random.default_rng(seed)
    w, d = 10 ** rng.uniform(0, 5, 3), rng.uniform(0, 1.5, 3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    stiffness, damping = (turn @ np.diag(a) @ turn.T for a in (w**2, 2 * d * w))
    return np.block([[np.zeros((3, 3)), np.eye(3)], [-stiffness, -damping]]), rng.normal(size=6)


def test_the_rate_is_that_of_the_largest_eigenvalue():
    scale = jnp.array([1e-2] * 3 + [1e-1] * 3)

    @jax.jit
    @jax.vmap
    def growth(J, y):
        def once(choice, _):
            choice = choose_method(choice, lambda y: J @ y, y, J @ y, scale, jnp.asarray(1.0))
            return choice, choice.growth

        return jax.lax.scan(once, initial_choice(6), length=30)[1]

    J, y = map(np.array, zip(*(damped(seed) for seed in range(20)), strict=True))
    fastest = np.abs(np.linalg.eigvals(J)).max(axis=1)
    last = np.asarray(growth(J, y))[:, -2:]
    # a damped pair turns as it is multiplied: growth swings about the eigenvalue, and a factor of four is what counts
    assert np.all(0.25 * fastest < np.sqrt(last.prod(axis=1)))
    assert np.all(np.sqrt(last.prod(axis=1)) < 4 * fastest)


def test_the_explicit_step_is_of_order_three():
    def f(t, y):
        return jnp.array([y[1], -y[0] * (1 + y[0] ** 2)])

    @jax.jit
    def end(n):
        def once(_, y):
            return explicit_step(lambda share, y: f(0.0, y), y, f(0.0, y), 1.0 / n)[0]

        return jax.lax.fori_loop(0, n, once, jnp.array([1.0, 0.0]))

    errors = [float(np.abs(end(n) - end(160)).max()) for n in (10, 20)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(3.0, abs=0.3)
