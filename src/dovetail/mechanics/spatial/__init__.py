"""Rotations, poses, frames, twists and wrenches in space.

Depends on: core.

Notation: `R_WB` and `p_WB` are the rotation and position of B in W; `v_WP_B` is the velocity of P in W, expressed in
B. Quaternions are `wxyz`; `q` and `-q` are the same rotation. Euler angles are roll, pitch, yaw about x, y, z,
applied as yaw, then pitch, then roll (intrinsic 3-2-1).
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.spatial import euler, quaternion, rotation
    from dovetail.mechanics.spatial.frames import Frames
    from dovetail.mechanics.spatial.motion import FrameState, MovingFrame, Twist, Wrench, relative_twist
    from dovetail.mechanics.spatial.pose import Pose

lazily(__name__)


__all__ = [
    "FrameState",
    "Frames",
    "MovingFrame",
    "Pose",
    "Twist",
    "Wrench",
    "euler",
    "quaternion",
    "relative_twist",
    "rotation",
]
