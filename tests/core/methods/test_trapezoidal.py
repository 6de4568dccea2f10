import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import Flow, Sampled
from dovetail.core.methods import Trapezoidal, check_step


class Pendulum(Flow):
    """q'' = -sin q, released from 2 rad."""

    def init(self):
        return jnp.array([2.0, 0.0])

    def derivative(self, t, x, u):
        return jnp.array([x[1], -jnp.sin(x[0])])

    def output(self, t, x, u):
        return x


class Driven(Flow):
    """x' = t, whose integral over a step the rule has exactly."""

    def init(self):
        return jnp.asarray(0.0)

    def derivative(self, t, x, u):
        return jnp.asarray(t, float)

    def output(self, t, x, u):
        return x


@pytest.fixture(scope="module")
def swing():
    block = Sampled(Pendulum(), Trapezoidal())

    @jax.jit
    def run(steps, duration):
        dt = duration / steps
        return jax.lax.fori_loop(0, steps, lambda i, x: block.step(i * dt, dt, x, None)[0], block.init())[0]

    return lambda steps, duration=3.0: np.asarray(run(steps, duration))


def test_half_the_step_is_a_quarter_of_the_error(swing):
    exact = swing(20_000)
    coarse, fine = (np.linalg.norm(swing(n) - exact) for n in (100, 200))
    # the next term of the error is 1e-3 of it at these steps
    assert coarse / fine == pytest.approx(4.0, rel=0.01)


def test_stages_are_at_both_ends_of_the_step():
    x, _ = Trapezoidal().step(Driven(), 1.0, 0.5, jnp.asarray(0.0), None, ())
    assert float(x) == pytest.approx(0.5 * 1.25, rel=1e-14)  # integral of t from 1 to 1.5


def test_energy_of_an_oscillation_does_not_drift(swing):
    def energy(x):
        return x[1] ** 2 / 2 - np.cos(x[0])

    start, middle, end = (energy(swing(n, n * 0.1)) for n in (1, 2000, 4000))
    # it breathes within a swing (by 3e-3 at this step) but the mean stays: no trend over 70 swings
    assert abs(middle - start) < 0.01
    assert abs(end - start) < 0.01


def test_any_step_of_a_decaying_flow_is_allowed():
    rates = np.array([-1e6, -3 + 2000j, -3 - 2000j])
    check_step(Trapezoidal(), rates, 1.0)
    assert Trapezoidal().amplification(1000j) == pytest.approx(1.0, abs=1e-14)
    assert Trapezoidal().amplification(-1e6) < 1
