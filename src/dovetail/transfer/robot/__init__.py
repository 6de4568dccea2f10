"""Robot arms and the cell they stand in: kinematics, paths, controller, force sensor, safety.

Depends on: core, mechanics (spatial).
"""

from dovetail.transfer.robot.safety import (
    SENTENCES,
    CellState,
    MotionType,
    SafetyLimits,
    Supervisor,
    TripCode,
)
from dovetail.transfer.robot.trajectory import Course, Segment, between, distance, slerp

__all__ = [
    "SENTENCES",
    "CellState",
    "Course",
    "MotionType",
    "SafetyLimits",
    "Segment",
    "Supervisor",
    "TripCode",
    "between",
    "distance",
    "slerp",
]
