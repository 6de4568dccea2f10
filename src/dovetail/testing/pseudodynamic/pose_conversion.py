r"""Conversion between displacements of a test and poses of a cell.

.. math:: p = p_0 + \Delta p, \qquad R = R_0 \exp(\phi)

Displacements of a test are measured from its start, so that a rig starts from rest. A robot cell has its own
frame; `PseudodynamicSettings.home_pose` is the start of the test in that frame.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation


@dataclasses.dataclass(frozen=True)
class PoseConversion:
    """Start of a test in the frame of the cell: six values for a pose, or one for each axis."""

    home_pose: np.ndarray

    def from_start(self, displacement: Float[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
        """Return the pose in the frame of the cell of a displacement from the start."""
        displacement = np.array(displacement, dtype=float)
        if displacement.shape != (6,):
            return np.asarray(self.home_pose + displacement)
        rotation = self._rotation * self._rotation.from_rotvec(displacement[3:])
        return np.concatenate([self.home_pose[:3] + displacement[:3], rotation.as_rotvec()])

    def to_start(self, pose: Float[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
        """Return the displacement from the start of a pose in the frame of the cell."""
        pose = np.array(pose, dtype=float)
        if pose.shape != (6,):
            return np.asarray(pose - self.home_pose)
        rotation = self._rotation.inv() * self._rotation.from_rotvec(pose[3:])
        return np.concatenate([pose[:3] - self.home_pose[:3], rotation.as_rotvec()])

    @functools.cached_property
    def _rotation(self) -> Rotation:
        from scipy.spatial.transform import Rotation

        return Rotation.from_rotvec(self.home_pose[3:])
