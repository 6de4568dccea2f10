"""A driver for a robot cell, as a laboratory would write one: copy it and replace `Controller`.

Everything that a creep test relies on is in `LabCell`; everything that knows your robot is in `Controller`, here a
stand-in that moves at once and feels a spring. Try it, then serve it:

    dovetail rig check examples/cell_driver/driver.py:LabCell --moving
    python examples/cell_driver/driver.py                                # at tcp://localhost:7002
"""

import time

import numpy as np

from dovetail.testing import Cell, Reply
from dovetail.transfer.robot import MotionType, TripCode

FORCE_LIMIT = 500.0  # [N] at the sensor
REACH = 1.0  # [m] of the workspace about its origin
MINE = (MotionType.LINE, MotionType.JOINT_TO_POSE)  # motions that this robot can make


class Controller:
    """What talks to the robot: replace its methods with calls of your maker's interface."""

    def __init__(self):
        self.pose, self.stopped = np.zeros(6), False

    def move_linear(self, pose, seconds):
        """Start a straight move to a pose, to take so many seconds; return at once."""
        self.pose, self.stopped = np.array(pose), False

    def moving(self):
        """Whether the robot still moves."""
        return False

    def wrench(self):
        """Force and torque on the specimen's side, weight and bias taken off."""
        return -1000.0 * self.pose * [1, 1, 1, 0, 0, 0]

    def stop(self):
        """Stop as fast as the robot can."""
        self.stopped = True


class LabCell(Cell):
    """The rules of a creep test around a controller."""

    name, axes = "cell of the laboratory", 6

    def __init__(self):
        self.robot = Controller()
        self.began = time.monotonic()
        self.run, self.last, self.target = "", None, None
        self.halted = False

    def begin(self, run):
        # the run that is already known is taken up; another one starts at number 1
        if run != self.run:
            self.run, self.last, self.target = run, None, None
        self.halted = False
        return self.last

    def read(self):
        return self._reply(self.last.number if self.last else 0)

    def move(self, move):
        # a move that was made already is answered, not made again: its first answer was lost on the way
        if self.last and move.number == self.last.number and np.array_equal(move.target, self.target):
            return self.last
        if not np.all(np.isfinite(move.target)):
            return self._reply(move.number, TripCode.NOT_FINITE)
        if move.number != (self.last.number if self.last else 0) + 1 or move.kind not in MINE:
            return self._reply(move.number, TripCode.REFUSED)
        # limits are judged before anything moves ...
        far = float(np.linalg.norm(move.target[:3]))
        if far > REACH:
            return self._reply(move.number, TripCode.WORKSPACE, far, REACH)
        self.robot.move_linear(move.target, move.execution_time)
        # ... and while it moves
        while self.robot.moving():
            force = float(np.linalg.norm(self.robot.wrench()[:3]))
            if force > FORCE_LIMIT or self.halted:
                self.robot.stop()
                why = TripCode.EMERGENCY if self.halted else TripCode.FORCE
                return self._reply(move.number, why, force, FORCE_LIMIT)
            time.sleep(0.004)
        time.sleep(move.settling_time)
        self.last, self.target = self._reply(move.number), np.array(move.target)
        return self.last

    def halt(self):
        # called from another thread while `move` runs
        self.halted = True
        self.robot.stop()

    def _reply(self, number, trip=TripCode.NONE, value=0.0, limit=0.0):
        clock = time.monotonic() - self.began
        return Reply(number, self.robot.pose.copy(), self.robot.wrench(), clock, trip, value, limit)


if __name__ == "__main__":
    from dovetail.links import Address, CellServer

    CellServer(LabCell(), Address("localhost", 7002), report=print).serve()
