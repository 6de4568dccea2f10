"""Frames by name."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.mechanics.spatial import Frames, Pose, rotation
from dovetail.mechanics.spatial.frames import chain

A = Pose(rotation.exponential(jnp.array([0.3, -0.8, 0.2])), jnp.array([1.0, 2.0, 3.0]))
B = Pose(rotation.exponential(jnp.array([-0.5, 0.1, 0.9])), jnp.array([-0.4, 0.7, 0.1]))
C = Pose(rotation.exponential(jnp.array([0.2, 0.2, -0.6])), jnp.array([0.5, 0.0, -1.0]))
TREE = Frames({"body": ("world", A), "tip": ("body", B), "base": ("world", C)})


def test_a_frame_seen_from_its_ancestor_is_the_product_of_the_poses_between():
    np.testing.assert_allclose(TREE.pose("world", "tip").matrix, (A @ B).matrix, atol=1e-15)


def test_two_branches_meet_in_their_common_parent():
    np.testing.assert_allclose(TREE.pose("base", "tip").matrix, (C.inverse() @ A @ B).matrix, atol=1e-15)


def test_there_and_back_is_the_identity():
    there, back = TREE.pose("base", "tip"), TREE.pose("tip", "base")
    np.testing.assert_allclose((there @ back).matrix, np.eye(4), atol=1e-15)


def test_a_frame_can_be_moved():
    moved = TREE.with_frame("body", "world", B)
    np.testing.assert_allclose(moved.pose("world", "tip").matrix, (B @ B).matrix, atol=1e-15)


def test_a_chain_hangs_each_on_the_one_before():
    frames = chain({"one": A, "two": B}, "root")
    np.testing.assert_allclose(frames.pose("root", "two").matrix, (A @ B).matrix, atol=1e-15)


def test_an_unknown_frame_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match='no frame "tipp"; did you mean "tip"'):
        TREE.pose("world", "tipp")


def test_unconnected_frames_are_reported():
    with pytest.raises(ParameterError, match="have no common parent"):
        Frames({"a": ("one", A), "b": ("two", B)}).pose("a", "b")


def test_a_frame_cannot_hang_on_itself():
    with pytest.raises(ParameterError, match="is its own parent"):
        Frames({"a": ("b", A), "b": ("a", B)})
