"""Every integration method converges at its order, on problems whose answers are known in closed form."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import ellipj

from dovetail.core import (
    BDF2,
    RK4,
    DormandPrince5,
    DormandPrince8,
    Euler,
    Flow,
    GeneralisedAlpha,
    ImplicitEuler,
    Rosenbrock3,
    Sampled,
    SemiImplicitEuler,
)

# method, its order, numbers of steps: large enough to be in the asymptotic range, small enough that
# rounding (1e-15) is far below the error
METHODS = [
    (Euler(), 1, (800, 1600)),
    (SemiImplicitEuler(), 1, (800, 1600)),
    (ImplicitEuler(), 1, (800, 1600)),
    (BDF2(), 2, (200, 400)),
    (GeneralisedAlpha(), 2, (200, 400)),
    (Rosenbrock3(), 3, (100, 200)),
    (RK4(), 4, (80, 160)),
    (DormandPrince5(), 5, (40, 80)),
    (DormandPrince8(), 8, (12, 16)),
]
IDS = [type(m).__name__ for m, _, _ in METHODS]


class Oscillator(Flow):
    """q'' + 2 z q' + q = 0 with z = 0.1, from q = 1 at rest."""

    end = 3.0

    def init(self):
        return jnp.asarray(1.0), jnp.asarray(0.0)

    def derivative(self, t, x, u):
        q, v = x
        return v, -q - 0.2 * v

    def output(self, t, x, u):
        return x[0]

    def exact(self, t):
        w = np.sqrt(1 - 0.1**2)
        return np.exp(-0.1 * t) * (np.cos(w * t) + 0.1 / w * np.sin(w * t))


class Pendulum(Flow):
    """q'' = -sin q released from 2 rad: the angle is a Jacobi elliptic function."""

    end = 3.0

    def init(self):
        return jnp.asarray(2.0), jnp.asarray(0.0)

    def derivative(self, t, x, u):
        q, v = x
        return v, -jnp.sin(q)

    def output(self, t, x, u):
        return x[0]

    def exact(self, t):
        k2 = np.sin(1.0) ** 2
        _, cn, dn, _ = ellipj(t, k2)
        return 2 * np.arcsin(np.sin(1.0) * cn / dn)


class Forced(Flow):
    """q'' + q = cos 2t from rest: wrong times of the stages would show here."""

    end = 3.0

    def init(self):
        return jnp.asarray(0.0), jnp.asarray(0.0)

    def derivative(self, t, x, u):
        q, v = x
        return v, -q + jnp.cos(2 * t)

    def output(self, t, x, u):
        return x[0]

    def exact(self, t):
        return (np.cos(t) - np.cos(2 * t)) / 3


def errors(flow, method, steps):
    """Norms of the errors at four times, so that no zero crossing of the error falls on the only one."""
    block = Sampled(flow, method)

    @jax.jit
    def run(quarter, dt):
        def tick(i, x):
            return block.step(i * dt, dt, x, None)[0]

        def shown(x, n):
            x = jax.lax.fori_loop(n * quarter, (n + 1) * quarter, tick, x)
            return x, flow.output(0.0, x[0], None)

        return jax.lax.scan(shown, block.init(), jnp.arange(4))[1]

    exact = flow.exact(np.arange(1, 5) * flow.end / 4)
    return [np.linalg.norm(np.asarray(run(n // 4, flow.end / n)) - exact) for n in steps]


@pytest.mark.parametrize("flow", [Oscillator(), Pendulum(), Forced()], ids=lambda f: type(f).__name__)
@pytest.mark.parametrize(("method", "order", "steps"), METHODS, ids=IDS)
def test_error_falls_with_the_order_of_the_method(method, order, steps, flow):
    found = errors(flow, method, steps)
    slope = -np.diff(np.log(found))[0] / np.diff(np.log(steps))[0]
    # a quarter of an order is the distance from the asymptote at these steps
    assert slope == pytest.approx(order, abs=0.25), found


def test_declared_orders_equal_measured_orders():
    assert [m.order for m, _, _ in METHODS] == [order for _, order, _ in METHODS]
