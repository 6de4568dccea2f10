"""Between displacements and poses: there and back, and turns in the right order."""

import numpy as np
import pytest

from dovetail.testing.pseudodynamic.pose_conversion import PoseConversion


def test_a_conversion_and_its_inverse_cancel():
    placed = PoseConversion(np.array([-0.75, 0.0, -0.05, 0.1, -0.4, 0.2]))
    displacement = np.array([0.3, 0.01, -0.2, 0.05, 0.3, -0.1])
    assert placed.to_start(placed.from_start(displacement)) == pytest.approx(displacement, abs=1e-14)


def test_rotations_use_the_axes_of_the_initial_pose():
    placed = PoseConversion(np.array([0.0, 0.0, 0.0, 0.0, 0.0, np.pi / 2]))  # x now points along y
    turned = placed.from_start(np.array([1.0, 0.0, 0.0, 0.2, 0.0, 0.0]))
    assert turned[:3].tolist() == [1.0, 0.0, 0.0]  # lengths are in the cell's axes
    about_x_after = PoseConversion(np.zeros(6)).to_start(turned)[3:]
    # a small turn about the start's x is one about the cell's y
    from scipy.spatial.transform import Rotation

    expected = Rotation.from_rotvec([0.0, 0.2, 0.0]) * Rotation.from_rotvec([0.0, 0.0, np.pi / 2])
    assert about_x_after == pytest.approx(expected.as_rotvec(), abs=1e-14)


def test_axes_that_are_not_a_pose_are_shifted():
    assert PoseConversion(np.array([1.0, 2.0])).from_start(np.array([0.5, 0.5])).tolist() == [1.5, 2.5]
