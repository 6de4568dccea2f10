"""Poses form a group; homogeneous matrices are another picture of it."""

import jax.numpy as jnp
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.mechanics.spatial import Pose, rotation

laws = settings(max_examples=15, deadline=None, derandomize=True)
EXACT = 2e-14  # a few roundings of numbers of order one

numbers = st.floats(-1.0, 1.0, allow_nan=False)
vectors = st.tuples(numbers, numbers, numbers).map(np.array)
poses = st.tuples(vectors, vectors).map(
    lambda pair: Pose(rotation.exponential(jnp.asarray(3 * pair[0])), pair[1])
)


def same(a: Pose, b: Pose):
    np.testing.assert_allclose(a.matrix, b.matrix, atol=EXACT)


@laws
@given(poses, poses, poses)
def test_composition_is_associative(a, b, c):
    same((a @ b) @ c, a @ (b @ c))


@laws
@given(poses)
def test_identity_and_inverse(a):
    same(a @ Pose(), a)
    same(Pose() @ a, a)
    same(a @ a.inverse(), Pose())
    same(a.inverse() @ a, Pose())


@laws
@given(poses, poses, vectors)
def test_a_product_of_poses_transforms_points_in_sequence(a, b, p):
    np.testing.assert_allclose((a @ b).point(p), a.point(b.point(p)), atol=EXACT)
    np.testing.assert_allclose((a @ b).vector(p), a.vector(b.vector(p)), atol=EXACT)


@laws
@given(poses, poses)
def test_homogeneous_matrices_multiply_as_poses_do(a, b):
    np.testing.assert_allclose((a @ b).matrix, a.matrix @ b.matrix, atol=EXACT)
    same(Pose.from_matrix(a.matrix), a)
    np.testing.assert_array_equal(a.matrix[3], [0, 0, 0, 1])  # the scale is one


@laws
@given(poses)
def test_a_pose_is_read_and_built_by_quaternion_and_euler_angles(a):
    same(Pose.from_quaternion(a.quaternion, a.p), a)
    np.testing.assert_allclose(Pose.from_euler(a.euler, a.p).matrix, a.matrix, atol=1e-12)
