"""Norms of a pose's error: closed forms, and what a recording of a robot says."""

import numpy as np
import pytest
import xarray as xr

from dovetail.core.errors import AnalysisError
from dovetail.fidelity import euclidean_norm, frobenius_norm, pose_error


@pytest.mark.parametrize("angle", [1e-6, 2.6e-4, 0.3, np.pi / 2, 3.0])
def test_the_frobenius_norm_of_a_turn_is_that_of_its_half_angle(angle):
    axis = np.array([2.0, -1.0, 2.0]) / 3
    found = frobenius_norm(angle * axis, np.zeros(3))
    assert found == pytest.approx(2 * np.sqrt(2) * np.sin(angle / 2), rel=1e-9)


def test_the_rotation_error_is_the_angle_between_the_poses():
    """Two turns about the same axis differ by their angles' difference; about different ones not so."""
    z = np.array([0.0, 0.0, 1.0])
    assert frobenius_norm(0.9 * z, 0.4 * z) == pytest.approx(2 * np.sqrt(2) * np.sin(0.25))
    one, other = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    assert frobenius_norm(one, other) != pytest.approx(
        2 * np.sqrt(2) * np.sin(np.linalg.norm(one - other) / 2), rel=1e-2
    )
    assert frobenius_norm(one, other) == pytest.approx(frobenius_norm(other, one))


def test_the_euclidean_norm_is_a_length():
    assert euclidean_norm([[3.0, 0.0, 4.0]], [[0.0, 0.0, 0.0]]) == pytest.approx([5.0])


@pytest.fixture
def recorded():
    """Told to stay, 30 um aside and 0.1 mrad turned in contact; anywhere before it."""
    measured = np.tile([30e-6, 0.0, 0.0, 0.0, 1e-4, 0.0], (5, 1))
    measured[:2] = 1.0
    return xr.Dataset(
        {
            "command": (("time", "axis"), np.zeros((5, 6))),
            "measured_displacement": (("time", "axis"), measured),
            "contact_gate": ("time", [0.0, 0.0, 1.0, 1.0, 1.0]),
        },
        {"time": 0.1 * np.arange(5)},
    )


def test_a_recording_is_evaluated_in_contact(recorded):
    found = pose_error(recorded)
    assert found.sizes["time"] == 3
    assert float(found.translation.max()) == pytest.approx(30e-6)
    assert float(found.angle.max()) == pytest.approx(1e-4)
    assert float(found.rotation.max()) == pytest.approx(np.sqrt(2) * 1e-4, rel=1e-6)  # 2 sqrt 2 sin(phi/2)
    assert float(pose_error(recorded, contact=False).translation.max()) > 1


def test_a_signal_that_is_not_a_pose_is_rejected(recorded):
    with pytest.raises(AnalysisError, match="six axes"):
        pose_error(recorded.isel(axis=slice(0, 3)))
    with pytest.raises(AnalysisError, match="never open"):
        pose_error(recorded.isel(time=slice(0, 2)))
