"""Paths to the start and to rest: smooth at both ends, without overshoot."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.links.rig_paths import minimum_jerk, path_to_rest


def test_the_return_to_rest_starts_at_the_last_state_and_ends_at_rest():
    path = path_to_rest(jnp.asarray(0.02), jnp.asarray(0.3), jnp.asarray(0.0), 1.0)
    t = jnp.linspace(0.0, 1.0, 100_001)
    x = np.asarray(path(t))
    v = np.gradient(x, 1e-5)
    a = np.gradient(v, 1e-5)
    assert x[0] == 0.02
    assert x[-1] == pytest.approx(0.0, abs=1e-15)
    assert v[0] == pytest.approx(0.3, rel=1e-3)
    assert v[-1] == pytest.approx(0.0, abs=1e-6)
    assert np.max(np.abs(np.diff(a))) < 0.05  # no step: 0.3 m/s are taken away within 0.1 s
    assert np.max(x) < 0.02 + 0.2 * 0.3 * 0.1


def test_the_minimum_jerk_goes_from_rest_to_rest():
    s = np.linspace(0, 1, 1001)
    y = np.asarray(minimum_jerk(s))
    assert (y[0], y[-1]) == (0.0, 1.0)
    assert np.all(np.diff(y) >= 0)
