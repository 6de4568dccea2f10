"""Named frames: each frame is fixed to a parent, and poses are available between any two of them.

The fixed frames of a machine are data; moving frames are added with their current pose:

>>> import jax.numpy as jnp
>>> frames = Frames({"tip": ("body", Pose(p=jnp.array([2.0, 0.0, 0.0])))})
>>> moving = frames.with_frame("body", "world", Pose(p=jnp.array([0.0, 1.0, 0.0])))
>>> moving.pose("world", "tip").p.tolist()
[2.0, 1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Mapping

import equinox as eqx

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.mechanics.spatial.pose import Pose


class Frames(eqx.Module):
    """Trees of frames: `fixed[name] = (parent, X_parent_name)`."""

    fixed: dict[str, tuple[str, Pose]] = eqx.field(converter=dict)

    def __check_init__(self) -> None:
        for name in self.fixed:
            self._path_to_root(name)

    def with_frame(self, name: str, parent: str, pose: Pose) -> Frames:
        """Return the frames with `name` at a pose relative to `parent`."""
        return Frames({**self.fixed, name: (parent, pose)})

    def pose(self, base: str, frame: str) -> Pose:
        """Return the pose of one frame relative to another."""
        names = {*self.fixed, *(parent for parent, _ in self.fixed.values())}
        for name in (base, frame):
            if name not in names:
                raise UnknownNameError("frame", name, names)
        base_path, frame_path = self._path_to_root(base), self._path_to_root(frame)
        common = next((name for name in frame_path if name in base_path), None)
        if common is None:
            raise ParameterError(
                f'frames "{base}" and "{frame}" have no common parent: {base_path[-1]} and {frame_path[-1]} '
                "have no pose. Add it with with_frame(name, parent, pose)."
            )
        return self._pose_in(base, common).inverse() @ self._pose_in(frame, common)

    def _path_to_root(self, name: str) -> list[str]:
        """Return the frame and its parents, up to the root."""
        path = [name]
        while path[-1] in self.fixed:
            parent = self.fixed[path[-1]][0]
            if parent in path:
                raise ParameterError(f'frame "{name}" is its own parent: {" in ".join([*path, parent])}')
            path.append(parent)
        return path

    def _pose_in(self, name: str, ancestor: str) -> Pose:
        pose = Pose()
        while name != ancestor:
            name, step = self.fixed[name]
            pose = step @ pose
        return pose


def chain(poses: Mapping[str, Pose], root: str) -> Frames:
    """Return frames in series: each frame is fixed to the previous one, the first to `root`."""
    fixed, parent = {}, root
    for name, pose in poses.items():
        fixed[name] = (parent, pose)
        parent = name
    return Frames(fixed)
