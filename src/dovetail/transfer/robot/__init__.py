"""Robot arms and robot cells: kinematics, paths, controller, force sensor, safety.

Depends on: core, mechanics (spatial).
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.transfer.robot.arm import Arm, Postures
    from dovetail.transfer.robot.arms import JointSegment, RobotArms
    from dovetail.transfer.robot.force_sensor import ForceTorqueSensor
    from dovetail.transfer.robot.safety import (
        TRIP_MESSAGES,
        CellState,
        CellSupervisor,
        MotionType,
        SafetyLimits,
        TripCode,
    )
    from dovetail.transfer.robot.trajectory import (
        MotionProfile,
        Polyline,
        Segment,
        interpolate_pose,
        pose_distance,
        slerp,
    )
    from dovetail.transfer.robot.velocity_interface import VelocityInterface

lazily(__name__)


__all__ = [
    "TRIP_MESSAGES",
    "Arm",
    "CellState",
    "CellSupervisor",
    "ForceTorqueSensor",
    "JointSegment",
    "MotionProfile",
    "MotionType",
    "Polyline",
    "Postures",
    "RobotArms",
    "SafetyLimits",
    "Segment",
    "TripCode",
    "VelocityInterface",
    "interpolate_pose",
    "pose_distance",
    "slerp",
]
