"""Records of a known transfer system, with noise."""

import jax
import numpy as np
import pytest

import dovetail.core  # noqa: F401  sets float64
from dovetail.transfer.identification import simulate


def _record(part, demand, dt, noise=0.0, seed=101):
    measured = np.array(jax.jit(lambda u: simulate(part, u, dt))(np.asarray(demand)))
    return measured + noise * np.random.default_rng(seed).normal(size=len(measured))


@pytest.fixture
def record():
    """The measured response of a transfer system to a demand, with noise of a given deviation."""
    return _record


@pytest.fixture
def sweep():
    """A linear sweep: `sweep(low, high, duration, dt)` in Hz and s, of unit amplitude."""

    def make(low, high, duration, dt):
        t = np.arange(0.0, duration, dt)
        return np.sin(2 * np.pi * (low * t + (high - low) * t**2 / (2 * duration)))

    return make
