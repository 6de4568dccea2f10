"""Template of a driver for a robot cell: copy it and replace `Controller`.

`LabCell` implements the rules of a pseudo-dynamic test. `Controller` is the interface to your robot, here a
placeholder that moves at once and measures the force of a spring. Check it, then serve it:

    dovetail rig check examples/cell_driver/driver.py:LabCell --allow-motion
    python examples/cell_driver/driver.py                                # at tcp://localhost:7002
"""

import time

import numpy as np

from dovetail.testing import Cell, MoveReply, MoveRequest
from dovetail.transfer.robot import MotionType, TripCode

FORCE_LIMIT = 500.0  # [N] at the sensor
REACH = 1.0  # [m] of the workspace about its origin
SUPPORTED = (MotionType.LINE, MotionType.JOINT_TO_POSE)  # motions of this robot


class Controller:
    """Interface to the robot: replace its methods with calls of the manufacturer's interface."""

    def __init__(self) -> None:
        self.pose, self.stopped = np.zeros(6), False

    def move_linear(self, pose: np.ndarray, seconds: float) -> None:
        """Start a straight move to a pose that takes `seconds`; return at once."""
        self.pose, self.stopped = np.array(pose), False

    def moving(self) -> bool:
        """Return True while the robot moves."""
        return False

    def wrench(self) -> np.ndarray:
        """Return force and torque of the specimen, without weight and bias."""
        force: np.ndarray = -1000.0 * self.pose * np.array([1, 1, 1, 0, 0, 0])
        return force

    def stop(self) -> None:
        """Stop as fast as the robot can."""
        self.stopped = True


class LabCell(Cell):
    """Robot cell for pseudo-dynamic tests."""

    name, axes = "cell of the laboratory", 6

    def __init__(self) -> None:
        self.robot = Controller()
        self.began = time.monotonic()
        self.run, self.target = "", np.zeros(6)
        self.last: MoveReply | None = None
        self.halted = False

    def begin(self, run: str) -> MoveReply | None:
        # a known run continues; a new one starts at number 1
        if run != self.run:
            self.run, self.last = run, None
        self.halted = False
        return self.last

    def read(self) -> MoveReply:
        return self._reply(self.last.number if self.last else 0)

    def move(self, move: MoveRequest) -> MoveReply:
        # a repeated request is answered but not repeated: its first reply was lost
        if self.last and move.number == self.last.number and np.array_equal(move.target, self.target):
            return self.last
        if not np.all(np.isfinite(move.target)):
            return self._reply(move.number, TripCode.NOT_FINITE)
        if move.number != (self.last.number if self.last else 0) + 1 or move.kind not in SUPPORTED:
            return self._reply(move.number, TripCode.REFUSED)
        # check limits before the motion ...
        distance = float(np.linalg.norm(move.target[:3]))
        if distance > REACH:
            return self._reply(move.number, TripCode.WORKSPACE, distance, REACH)
        self.robot.move_linear(move.target, move.execution_time)
        # ... and during the motion
        while self.robot.moving():
            force = float(np.linalg.norm(self.robot.wrench()[:3]))
            if force > FORCE_LIMIT or self.halted:
                self.robot.stop()
                trip = TripCode.EMERGENCY if self.halted else TripCode.FORCE
                return self._reply(move.number, trip, force, FORCE_LIMIT)
            time.sleep(0.004)
        time.sleep(move.settling_time)
        self.last, self.target = self._reply(move.number), np.array(move.target)
        return self.last

    def halt(self) -> None:
        # called by another thread during `move`
        self.halted = True
        self.robot.stop()

    def _reply(
        self, number: int, trip: TripCode = TripCode.NONE, value: float = 0.0, limit: float = 0.0
    ) -> MoveReply:
        clock = time.monotonic() - self.began
        return MoveReply(number, self.robot.pose.copy(), self.robot.wrench(), clock, trip, value, limit)


if __name__ == "__main__":
    from dovetail.links import Address, CellServer

    CellServer(LabCell(), Address("localhost", 7002), report=print).serve()
