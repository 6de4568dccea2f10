import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.spatial import Pose, Twist, Wrench
from dovetail.transfer import Hexapod

HEXAPOD = Hexapod()
MOTIONS = jnp.asarray(np.random.default_rng(0).uniform(-1, 1, (20, 6)) * [0.1, 0.1, 0.1, 0.2, 0.2, 0.3])
travel = jax.jit(lambda direction: HEXAPOD.travel(direction))


def test_legs_at_home_have_the_length_of_the_drawing():
    # joints of a leg lie 60 degrees less both spreads apart, seen from above
    between = np.pi / 3 - 0.14 - 0.20
    plan = 0.75**2 + 0.45**2 - 2 * 0.75 * 0.45 * np.cos(between)
    np.testing.assert_allclose(HEXAPOD.lengths(HEXAPOD.home), np.sqrt(plan + 0.9**2), rtol=1e-12)


def test_forward_kinematics_undo_the_inverse():
    @jax.jit
    @jax.vmap
    def found(motion):
        pose = HEXAPOD.displaced_pose(motion)
        again = HEXAPOD.pose(HEXAPOD.lengths(pose))
        return again.p - pose.p, again.R - pose.R

    for difference in found(MOTIONS):
        np.testing.assert_allclose(difference, 0.0, atol=1e-12)


def test_leg_rates_are_the_rates_of_the_lengths():
    twist = Twist(jnp.array([0.2, -0.1, 0.3]), jnp.array([0.5, 0.4, -0.6]))

    @jax.jit
    @jax.vmap
    def both(motion):
        pose = HEXAPOD.displaced_pose(motion)
        skew = jnp.cross(twist.w, pose.R, axisb=0, axisc=0)  # rate of the rotation matrix
        _, rates = jax.jvp(lambda R, p: HEXAPOD.lengths(Pose(R, p)), (pose.R, pose.p), (skew, twist.v))
        return HEXAPOD.rates(pose, twist), rates

    np.testing.assert_allclose(*both(MOTIONS), rtol=1e-12)


def test_legs_do_the_work_that_the_platform_does():
    wrench, twist = Wrench(jnp.array([100.0, -50, 900]), jnp.array([30.0, -20, 10])), Twist(*jnp.eye(3)[:2])
    pose = HEXAPOD.displaced_pose(MOTIONS[0])
    legs = HEXAPOD.forces(pose, wrench)
    assert float(legs @ HEXAPOD.rates(pose, twist)) == pytest.approx(float(wrench.power(twist)), rel=1e-12)
    # together they exert the force
    along = HEXAPOD.legs(pose) / HEXAPOD.lengths(pose)[:, None]
    np.testing.assert_allclose(legs @ along, wrench.f, atol=1e-9)


def test_a_vertical_load_is_shared_by_six():
    legs = HEXAPOD.forces(HEXAPOD.home, Wrench(jnp.array([0.0, 0.0, 6000.0]), jnp.zeros(3)))
    steepness = 0.9 / float(HEXAPOD.lengths(HEXAPOD.home)[0])
    np.testing.assert_allclose(legs, 1000.0 / steepness, rtol=1e-12)


def test_travel_ends_at_a_leg_stop_or_a_joint_limit():
    up = float(travel(jnp.eye(6)[2]))
    lengths = HEXAPOD.lengths(HEXAPOD.displaced_pose(up * jnp.eye(6)[2]))
    np.testing.assert_allclose(lengths, 1.35, rtol=1e-9)  # heave moves all legs alike
    for axis in jnp.eye(6):
        far = float(travel(axis))
        assert bool(HEXAPOD.reaches(HEXAPOD.displaced_pose(0.999 * far * axis)))
        assert not bool(HEXAPOD.reaches(HEXAPOD.displaced_pose(1.001 * far * axis)))


def test_the_machine_is_symmetric_about_its_middle_plane():
    left, right = float(travel(jnp.eye(6)[1])), float(travel(-jnp.eye(6)[1]))
    assert left == pytest.approx(right, rel=1e-9)
    assert float(travel(jnp.eye(6)[0])) != pytest.approx(float(travel(-jnp.eye(6)[0])), rel=1e-3)


def test_impossible_legs_are_rejected_with_their_length():
    with pytest.raises(ParameterError, match=r"leg lengths are 1.0\d+ m to 1.0\d+ m; .* 0.75 m and 1 m"):
        Hexapod(max_leg_length=1.0)
