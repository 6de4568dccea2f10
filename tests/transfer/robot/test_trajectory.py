"""Paths: they end where they should, at the speed they should, by the shortest way."""

import itertools

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.spatial import quaternion
from dovetail.transfer.robot import MotionProfile, Polyline, Segment, interpolate_pose, pose_distance, slerp

COURSES = [
    MotionProfile(),
    MotionProfile(ramp_fraction=0.3),
    MotionProfile(profile="cubic"),
    MotionProfile(profile="linear"),
]


@pytest.mark.parametrize("course", COURSES, ids=lambda c: f"{c.profile}-{float(c.ramp_fraction)}")
def test_a_motion_profile_is_monotonic_from_zero_to_one(course):
    s = np.asarray(course(jnp.linspace(-0.2, 1.3, 601)))
    assert s[0] == 0.0
    assert s[-1] == 1.0
    assert np.all(np.diff(s) >= 0)
    # continuous: no step larger than the fastest speed (1.5 for the cubic) times the spacing
    assert np.max(np.diff(s)) < 1.6 * 1.5 / 600


def test_the_blended_line_runs_at_one_over_nine_tenths_between_its_ramps():
    # 10 % + 80 % + 10 %: v_c = 1.1111 of the mean speed
    tau = jnp.array([0.15, 0.5, 0.85])
    speeds = [float(MotionProfile().speed(t)) for t in tau]
    assert speeds == pytest.approx([1 / 0.9] * 3, rel=1e-12)
    assert float(MotionProfile().speed(jnp.array(0.05))) == pytest.approx(0.5 / 0.9)


def test_the_cubic_starts_and_ends_at_rest():
    course = MotionProfile(profile="cubic")
    assert float(course.speed(jnp.array(0.0))) == 0.0
    assert float(course.speed(jnp.array(1.0 - 1e-12))) == pytest.approx(0.0, abs=1e-10)
    assert float(course(jnp.array(0.5))) == 0.5


def test_slerp_turns_at_constant_speed_along_the_shorter_arc():
    q0 = quaternion.from_vector(jnp.array([0.2, -0.1, 0.4]))
    q1 = -quaternion.from_vector(jnp.array([-0.7, 0.3, 1.1]))  # the far sign of the same rotation
    way = [slerp(q0, q1, s) for s in np.linspace(0, 1, 9)]
    turns = [
        quaternion.to_vector(quaternion.multiply(quaternion.conjugate(a), b))
        for a, b in itertools.pairwise(way)
    ]
    angles = [float(jnp.linalg.norm(turn)) for turn in turns]
    whole = quaternion.to_vector(quaternion.multiply(quaternion.conjugate(q0), q1))
    assert angles == pytest.approx([float(jnp.linalg.norm(whole)) / 8] * 8, rel=1e-9)
    assert sum(angles) < np.pi


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9, 1e-7, 1e-5])
def test_slerp_of_nearly_the_same_is_a_straight_line(angle):
    q1 = quaternion.from_vector(jnp.array([0.0, angle, 0.0]))
    half = quaternion.to_vector(slerp(quaternion.identity(), q1, 0.5))
    assert np.asarray(half) == pytest.approx([0.0, angle / 2, 0.0], rel=1e-9, abs=1e-30)


def test_a_pose_moves_along_a_line_while_rotating():
    a, b = jnp.array([0.0, 1.0, 2.0, 0.0, 0.0, 0.0]), jnp.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
    middle = interpolate_pose(a, b, 0.25)
    assert np.asarray(middle) == pytest.approx([0.25, 1.0, 1.5, 0.0, 0.0, 0.25], abs=1e-12)
    assert np.array_equal(interpolate_pose(a, b, 1.0), b)


def test_axes_that_are_not_a_pose_move_linearly():
    assert np.asarray(interpolate_pose(jnp.array([0.0, 1.0]), jnp.array([2.0, 5.0]), 0.5)).tolist() == [
        1.0,
        3.0,
    ]
    assert float(interpolate_pose(jnp.array(0.0), jnp.array(2.0), 0.5)) == 1.0


def test_the_distance_of_poses_is_a_length_and_an_angle():
    a, b = jnp.zeros(6), jnp.array([3.0, 0.0, 4.0, 0.0, 0.2, 0.0])
    far, turned = pose_distance(a, b)
    assert (float(far), float(turned)) == pytest.approx((5.0, 0.2))


def test_a_segment_rests_at_its_target():
    segment = Segment(jnp.zeros(()), jnp.array(2.0), jnp.array(0.5), MotionProfile())
    assert float(segment.at(0.25)) == 1.0
    assert float(segment.at(0.5)) == 2.0
    assert float(segment.at(7.0)) == 2.0
    at_once = Segment(jnp.zeros(()), jnp.array(2.0), jnp.array(0.0), MotionProfile())
    assert float(at_once.at(0.0)) == 2.0


def test_a_path_of_pieces_passes_their_ends_without_stopping():
    points = jnp.array(
        [[0.0, 0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0, 0], [1.0, 2.0, 0, 0, 0, 0], [1.0, 2.0, 0, 0, 0, 0.5]]
    )
    path = Polyline(points, jnp.array(3.15), MotionProfile(profile="linear"), radius=0.3)
    assert np.array_equal(path.target, points[-1])
    # lengths 1, 2 and 0.3 * 0.5 at one metre a second
    assert np.asarray(path.at(0.5)) == pytest.approx([0.5, 0, 0, 0, 0, 0])
    assert np.asarray(path.at(1.0)) == pytest.approx([1.0, 0, 0, 0, 0, 0])
    assert np.asarray(path.at(2.0)) == pytest.approx([1.0, 1.0, 0, 0, 0, 0])
    assert np.asarray(path.at(3.075))[5] == pytest.approx(0.25)
    assert np.asarray(path.at(9.0)) == pytest.approx(np.asarray(points[-1]))
