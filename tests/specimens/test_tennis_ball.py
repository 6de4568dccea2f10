import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.specimens.tennis_ball import TennisBall

BALL = TennisBall(initial_position=0.067)


def imposed(depth, rate=0.0):
    return {
        "displacement": jnp.asarray(-depth),
        "velocity": jnp.asarray(-rate),
        "acceleration": jnp.zeros(()),
    }


def cycle(ball, speed, steps=400, depth=0.05, number=1):
    """Force over squeeze while the ball is pressed to a depth and let go, at a speed."""
    way = np.concatenate([np.linspace(0, depth, steps), np.linspace(depth, 0, steps)] * number)
    dt = depth / (steps - 1) / speed

    def step(x, pair):
        a, b = pair
        u = imposed(0.5 * (a + b), (b - a) / dt)
        x, _ = RK4().step(ball, 0.0, dt, x, u, ())
        return x, ball.output(0.0, x, imposed(b, (b - a) / dt))["force"]

    pairs = (jnp.asarray(way[:-1]), jnp.asarray(way[1:]))
    return way[1:], np.asarray(jax.jit(lambda: jax.lax.scan(step, ball.init(), pairs)[1])())


def test_it_is_linear_up_to_the_soft_range_and_hardens_beyond():
    squeeze, force = cycle(BALL, 0.01)
    loading = slice(0, 399)
    soft = squeeze[loading] < 0.035
    np.testing.assert_allclose(force[loading][soft], 5000 * squeeze[loading][soft], rtol=1e-9)
    assert force[398] == pytest.approx(5000 * 0.05 + 5.2e5 * 0.015**2)


def test_unloading_dissipates_its_fraction_at_any_rate():
    squeeze, slow = cycle(BALL, 1e-4)
    _, fast = cycle(BALL, 1.0)
    np.testing.assert_allclose(slow, fast, rtol=1e-9, atol=1e-9)
    i, j = np.argmin(np.abs(squeeze[:399] - 0.03)), 399 + np.argmin(np.abs(squeeze[399:] - 0.03))
    assert slow[j] / slow[i] == pytest.approx(0.8, abs=0.01)


def test_it_remembers_its_direction_at_rest():
    state = {**BALL.init(), "direction": -jnp.ones(())}
    assert BALL.output(0.0, state, imposed(0.03))["force"] == pytest.approx(0.8 * 150.0)


def test_relaxation_makes_the_first_loading_the_stiffest():
    soft = TennisBall(initial_position=0.067, creep=0.1, creep_time=100.0)
    _, force = cycle(soft, 1e-3, number=2)  # 100 s under load
    first, second = force[:399].max(), force[798:1198].max()
    assert 0.9 * first < second < 0.98 * first
    _, force = cycle(soft, 1.0, number=2)
    assert force[798:1198].max() == pytest.approx(
        force[:399].max(), rel=0.01
    )  # it turns over half a millimetre


def test_speed_raises_the_peak_and_the_loss():
    fast = TennisBall(initial_position=0.067, fast_hardening=1e6, fast_loss=0.2)
    _, slow_force = cycle(fast, 3e-3)
    _, fast_force = cycle(fast, 1.0)
    assert fast_force.max() > 1.3 * slow_force.max()

    def returned(force):
        return force[399:].sum() / force[:399].sum()

    assert returned(fast_force) < returned(slow_force)


def test_there_is_no_force_above_the_ball():
    assert BALL.output(0.0, BALL.init(), imposed(-0.01))["force"] == 0.0


def test_a_ball_on_a_cell_of_one_axis_remembers_for_that_axis():
    on_axis = BALL.with_sample_time(1e-3, (1,))
    assert {value.shape for value in on_axis.init().values()} == {(1,)}
    assert {value.shape for value in BALL.init().values()} == {()}
