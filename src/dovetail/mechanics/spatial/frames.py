"""Frames by name: each fixed to a parent, any seen from any other.

The fixed frames of a machine are data; the moving ones are put in for a moment:

>>> import jax.numpy as jnp
>>> frames = Frames({"tip": ("body", Pose(p=jnp.array([2.0, 0.0, 0.0])))})
>>> moving = frames.placed("body", "world", Pose(p=jnp.array([0.0, 1.0, 0.0])))
>>> moving.pose("world", "tip").p.tolist()
[2.0, 1.0, 0.0]
"""

from __future__ import annotations

from collections.abc import Mapping

import equinox as eqx

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.mechanics.spatial.pose import Pose


class Frames(eqx.Module):
    """A forest of frames: `fixed[name] = (parent, X_parent_name)`."""

    fixed: dict[str, tuple[str, Pose]] = eqx.field(converter=dict)

    def __check_init__(self):
        for name in self.fixed:
            self._way(name)

    def placed(self, name: str, parent: str, pose: Pose) -> Frames:
        """The same frames with `name` put at a pose from `parent`."""
        return Frames({**self.fixed, name: (parent, pose)})

    def pose(self, seen_from: str, of: str) -> Pose:
        """The pose of one frame seen from another."""
        known = {*self.fixed, *(parent for parent, _ in self.fixed.values())}
        for name in (seen_from, of):
            if name not in known:
                raise UnknownNameError("frame", name, known)
        way_from, way_of = self._way(seen_from), self._way(of)
        common = next((name for name in way_of if name in way_from), None)
        if common is None:
            raise ParameterError(
                f'frames "{seen_from}" and "{of}" have no common parent: {way_from[-1]} and {way_of[-1]} '
                "are not placed; put them with placed(name, parent, pose)"
            )
        return self._up(seen_from, common).inverse() @ self._up(of, common)

    def _way(self, name: str) -> list[str]:
        """The frame and its parents, up to the root."""
        way = [name]
        while way[-1] in self.fixed:
            parent = self.fixed[way[-1]][0]
            if parent in way:
                raise ParameterError(f'frame "{name}" hangs on itself: {" on ".join([*way, parent])}')
            way.append(parent)
        return way

    def _up(self, name: str, ancestor: str) -> Pose:
        pose = Pose()
        while name != ancestor:
            name, step = self.fixed[name]
            pose = step @ pose
        return pose


def chain(poses: Mapping[str, Pose], root: str) -> Frames:
    """Frames one after another: each entry hangs on the one before, the first on `root`."""
    fixed, parent = {}, root
    for name, pose in poses.items():
        fixed[name] = (parent, pose)
        parent = name
    return Frames(fixed)
