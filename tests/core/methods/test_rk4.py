import jax
import jax.numpy as jnp
import numpy as np
from scipy.integrate import solve_ivp

from dovetail.core import RK4, Flow, Sampled


class Riccati(Flow):
    """x' = 1 + x^2 from 0: x = tan t."""

    def init(self):
        return jnp.asarray(0.0)

    def derivative(self, t, x, u):
        return 1 + x**2

    def output(self, t, x, u):
        return x


class Lorenz(Flow):
    def init(self):
        return jnp.array([1.0, 1.0, 1.0])

    def derivative(self, t, x, u):
        a, b, c = x[0], x[1], x[2]
        return jnp.stack([10 * (b - a), a * (28 - c) - b, a * b - 8 / 3 * c])

    def output(self, t, x, u):
        return x


def end(flow, dt, steps):
    block = Sampled(flow, RK4())

    def tick(x, i):
        return block.step(i * dt, dt, x, None)

    return jax.jit(lambda: jax.lax.scan(tick, block.init(), jnp.arange(steps))[1][-1])()


def test_a_riccati_equation_follows_the_tangent():
    # error h^4 times the fifth derivative of tan at 1 rad (about 1e3) over 5!
    np.testing.assert_allclose(end(Riccati(), 0.01, 100), np.tan(1.0), rtol=1e-7)


def test_a_lorenz_system_agrees_with_scipy():
    def rate(t, x):
        return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]

    judge = solve_ivp(rate, (0, 1), np.ones(3), method="DOP853", rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(end(Lorenz(), 1e-3, 1000), judge.y[:, -1], rtol=1e-6)
