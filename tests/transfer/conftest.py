import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

import dovetail.core  # noqa: F401  sets float64


def _drive(part, signal, dt):
    signal = jnp.asarray(signal, float)
    return _driven(part.with_sample_time(dt, signal.shape[1:]), signal, dt)


@eqx.filter_jit
def _driven(part, signal, dt):
    """One program for all parts of a make and signals of a length."""

    def step(carry, u):
        x, t = carry
        x, y = part.step(t, dt, x, u)
        return (x, t + dt), y

    return jax.lax.scan(step, (part.init(), 0.0), signal)[1]


@pytest.fixture
def drive():
    """Drive a transfer with samples at dt, 2 dt, ... as the loop does, and return its output there."""
    return _drive
