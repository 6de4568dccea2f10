"""Paths to the start and to rest: smooth at both ends, without overshoot."""

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.links.rig_paths import minimum_jerk, path_forecast, path_peaks, path_to_rest


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


@pytest.mark.parametrize(
    ("distance", "velocity", "time"), [(0.02, 0.0, 1.0), (0.02, 0.3, 1.0), (0.0, 0.3, 0.05)]
)
def test_the_stated_peaks_bound_the_path(distance, velocity, time):
    t = np.linspace(0.0, time, 100_001)
    x = np.asarray(path_to_rest(distance, velocity, 0.0, time)(jnp.asarray(t)))
    v = np.gradient(x, t[1])
    peaks = path_peaks(np.array([distance]), np.array([velocity]), time)
    found = [np.abs(x).max(), np.abs(v).max(), np.abs(np.gradient(v, t[1])).max()]
    stated = [float(peaks.displacement[0]), float(peaks.velocity[0]), float(peaks.acceleration[0])]
    assert all(f <= 1.001 * s for f, s in zip(found, stated, strict=True))
    if not (distance and velocity):  # of one path alone the bound is attained
        assert found == pytest.approx(stated, rel=0.01, abs=1e-3)


def test_an_approach_that_may_exceed_a_limit_is_remarked():
    slow = path_forecast(dv.Limits(displacement=0.05, velocity=0.5), 1)
    assert "approach  in 1 s, at most 100 mm, 188 mm/s, 0.577 m/s²" in slow
    assert "exceed" not in slow
    assert "increase limits.approach_time" in path_forecast(dv.Limits(displacement=0.5, velocity=0.5), 1)
    assert "set limits.displacement" in path_forecast(dv.Limits(), 1)
