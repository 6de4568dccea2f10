import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.transfer import Hexapod, HexapodRobot, TotalDelayLag

DT = 1e-4
ROBOT = HexapodRobot(initial_angles=(0.0, -0.13, np.pi)).with_sample_time(DT, (6,))


@jax.jit
def follow(demands):
    def one(x, u):
        x, y = ROBOT.step(0.0, DT, x, u)
        return x, (y, x[0][0])

    return jax.lax.scan(one, ROBOT.init(), demands)[1]


def test_the_tip_follows_the_platform_pose():
    for motion in np.random.default_rng(1).uniform(-0.1, 0.1, (5, 6)):
        np.testing.assert_allclose(ROBOT.motion(ROBOT.platform(jnp.asarray(motion))), motion, atol=1e-12)


def test_the_robot_reaches_into_the_drogue_along_its_own_axis():
    inward = ROBOT.platform(jnp.array([-0.1, 0, 0, 0, 0, 0]))
    np.testing.assert_allclose(inward.p - ROBOT.hexapod.home.p, [0, 0, 0.1], atol=1e-12)


def test_rotation_about_the_tip_keeps_its_position():
    platform = ROBOT.platform(jnp.array([0, 0, 0, 0.1, -0.05, 0.2]))
    tip = platform.p + platform.R @ jnp.array([0, 0, 0.3])
    np.testing.assert_allclose(tip, [0, 0, 0.9 + 0.3], atol=1e-12)


def test_small_motions_are_those_of_six_equal_lags():
    t = DT * np.arange(1, 401)
    size = np.array([1e-4, 2e-4, 1e-4, 1e-4, 2e-4, 1e-4])  # [m], [rad]
    demands = size * np.sin(60 * t)[:, None] * np.array([1, -1, 0.5, 1, 0.5, -1])
    lag = TotalDelayLag(1e-3).with_sample_time(DT, (6,))
    _, expected = jax.lax.scan(lambda x, u: lag.step(0.0, DT, x, u), lag.init(), jnp.asarray(demands))
    found, _ = follow(jnp.asarray(demands))
    # what is left is second order in the motion over the size of the machine: 2e-4 / 0.3
    np.testing.assert_allclose(found, expected, atol=2e-4 * 2e-3)


def test_a_leg_has_a_top_speed_and_stops():
    demands = jnp.zeros((6000, 6)).at[:, 0].set(-1.0)  # far beyond what the machine reaches
    _, legs = follow(demands)
    steps = np.abs(np.diff(np.asarray(legs), axis=0))
    assert steps.max() <= float(ROBOT.hexapod.max_leg_speed) * DT * (1 + 1e-9)
    rest = float(ROBOT.hexapod.lengths(ROBOT.hexapod.home)[0])
    np.testing.assert_allclose(rest + legs[-1], 1.35, rtol=1e-12)


def test_the_linear_model_is_the_lag_with_remarks():
    linear = ROBOT.linear()
    assert float(linear.low_frequency_delay) == pytest.approx(0.35e-3)
    assert "leg limits" in linear.remarks[0]


def test_a_run_is_evaluated_by_leg_motion_and_force():
    n = 200
    motion = np.zeros((n, 6))
    motion[:, 0] = -0.1 * DT * np.arange(n)  # in at 0.1 m/s
    force = np.zeros((n, 6))
    force[100, 0] = 2000.0  # pushed back, along the robot's axis
    asked = ROBOT.demands(motion, force, DT)
    steepness = 0.9 / 1.0347  # of the legs at home
    assert float(asked.speed) == pytest.approx(0.1 * steepness / 0.8, rel=0.01)
    assert float(asked.force) == pytest.approx(2000 / 6 / steepness / 6000, rel=0.01)
    assert asked.feasible
    assert "feasible" in str(asked)
    weak = HexapodRobot(Hexapod(max_leg_force=300.0)).demands(motion, force, DT)
    assert not weak.feasible
    assert "exceeded: force" in str(weak)


def test_it_moves_six_axes_only():
    with pytest.raises(ParameterError, match="expected six axes"):
        HexapodRobot().with_sample_time(DT, ())
