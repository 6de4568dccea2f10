import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import (
    Euler,
    Flow,
    Parameter,
    Sampled,
    SemiImplicitEuler,
    parameter,
)
from dovetail.core.errors import ParameterError


class Oscillator(Flow):
    k: Parameter = parameter("1/s^2", "stiffness over mass", default=1.0)

    def init(self):
        return {"arm": jnp.array([1.0, 0.5])}, {"arm": jnp.zeros(2)}

    def derivative(self, t, x, u):
        q, v = x
        return {"arm": v["arm"]}, {"arm": -self.k * q["arm"] + u}

    def output(self, t, x, u):
        return x


class Stiff(Flow):
    """Robertson's chemical kinetics: rates of 0.04, 1e4 and 3e7 per second in one system."""

    def init(self):
        return jnp.array([1.0, 0.0, 0.0])

    def derivative(self, t, y, u):
        a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return jnp.stack([-a + b, a - b - c, c])

    def output(self, t, x, u):
        return x


def run(flow, method, dt, steps, u=None):
    block = Sampled(flow, method)

    def tick(x, i):
        return block.step(i * dt, dt, x, u)

    return jax.jit(lambda: jax.lax.scan(tick, block.init(), jnp.arange(steps))[1])()


def test_semi_implicit_euler_conserves_oscillator_energy_and_euler_does_not():
    def energy(method):
        q, v = run(Oscillator(), method, 0.1, 10_000, 0.0)
        return 0.5 * np.asarray(q["arm"][:, 0]) ** 2 + 0.5 * np.asarray(v["arm"][:, 0]) ** 2

    bounded = energy(SemiImplicitEuler())
    # its modified energy (q^2 + v^2 - h q v) / 2 is exact, so the energy stays within h/2 of itself
    assert bounded.max() / bounded.min() < (1 + 0.05) / (1 - 0.05) + 1e-9
    assert energy(Euler())[-1] > 1e10


def test_semi_implicit_euler_needs_positions_and_velocities():
    with pytest.raises(ParameterError, match=r"Stiff is a ArrayImpl; it must be a pair \(q, v\)"):
        Sampled(Stiff(), SemiImplicitEuler()).step(0.0, 0.1, (Stiff().init(), ()), None)
