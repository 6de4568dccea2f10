"""Rig on a path: the signals of its motion."""

import jax.numpy as jnp
import pytest

from dovetail.testing.path_loop import PathLoop, PathState


def test_a_rig_on_a_path_shows_the_motion_of_its_command(make_cs1):
    """At a constant acceleration the differences of three commands are exact."""
    test, a = make_cs1(delay=0.0).prepare(), 3.0  # [m/s^2]
    x, h = test.rig.init(), test.dt
    path = lambda t: 0.5 * a * t**2  # noqa: E731
    last = (path(5 * h), path(4 * h))
    loop = PathLoop(test.rig, path, PathState(x, *map(jnp.asarray, last), test.rig.first_reading(x)))
    _, shown = loop.step(5 * h, h, loop.initial)
    assert float(shown["displacement"]) == float(shown["command"]) == pytest.approx(path(6 * h))
    assert float(shown["velocity"]) == pytest.approx(a * 5.5 * h)
    assert float(shown["acceleration"]) == pytest.approx(a, rel=1e-9)
