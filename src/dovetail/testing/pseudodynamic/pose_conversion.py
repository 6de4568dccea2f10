r"""Displacements of a test and poses of a cell: the one counts from the start, the other from the cell's frame.

.. math:: p = p_0 + \Delta p, \qquad R = R_0 \exp(\phi)

A test counts its interface from where it begins, so that a rig starts from rest. A robot cell serves many tests
and takes poses in a frame of its own; `Stepping.home` says where a test begins in it.
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
class Placed:
    """A start in the cell's frame: six values for a pose, or one for each axis."""

    home: np.ndarray

    def from_start(self, displacement: Float[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
        """The pose in the cell's frame of a displacement from the start."""
        displacement = np.array(displacement, dtype=float)
        if displacement.shape != (6,):
            return self.home + displacement
        turned = self._turn * self._turn.from_rotvec(displacement[3:])
        return np.concatenate([self.home[:3] + displacement[:3], turned.as_rotvec()])

    def to_start(self, pose: Float[np.ndarray, "*axes"]) -> Float[np.ndarray, "*axes"]:
        """The displacement from the start of a pose in the cell's frame."""
        pose = np.array(pose, dtype=float)
        if pose.shape != (6,):
            return pose - self.home
        turned = self._turn.inv() * self._turn.from_rotvec(pose[3:])
        return np.concatenate([pose[:3] - self.home[:3], turned.as_rotvec()])

    @functools.cached_property
    def _turn(self) -> Rotation:
        from scipy.spatial.transform import Rotation

        return Rotation.from_rotvec(self.home[3:])
