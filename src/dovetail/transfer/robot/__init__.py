"""Robot arms and the cell they stand in: kinematics, paths, controller, force sensor, safety.

Depends on: core, mechanics (spatial).
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.transfer.robot.arm import Arm, Postures
    from dovetail.transfer.robot.arms import JointSegment, RobotArms
    from dovetail.transfer.robot.force_sensor import ForceTorqueSensor
    from dovetail.transfer.robot.safety import (
        SENTENCES,
        CellState,
        MotionType,
        SafetyLimits,
        Supervisor,
        TripCode,
    )
    from dovetail.transfer.robot.trajectory import Course, Polyline, Segment, between, distance, slerp
    from dovetail.transfer.robot.velocity_interface import VelocityInterface

lazily(__name__)


__all__ = [
    "SENTENCES",
    "Arm",
    "CellState",
    "Course",
    "ForceTorqueSensor",
    "JointSegment",
    "MotionType",
    "Polyline",
    "Postures",
    "RobotArms",
    "SafetyLimits",
    "Segment",
    "Supervisor",
    "TripCode",
    "VelocityInterface",
    "between",
    "distance",
    "slerp",
]
