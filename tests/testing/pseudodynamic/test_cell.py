"""The driver's base class: what it leaves to a laboratory and what it does itself."""

import numpy as np
import pytest

from dovetail.testing.pseudodynamic import Cell, MoveReply, MoveRequest
from dovetail.transfer.robot import MotionType, TripCode


class Bench(Cell):
    """A driver as a laboratory would write it: one axis, a spring."""

    name, axes = "bench", 1

    def __init__(self):
        self.where, self.closed = np.zeros(()), False

    def begin(self, run):
        return None

    def read(self):
        return MoveReply(0, self.where, -2.0 * self.where, 0.0)

    def move(self, move):
        self.where = move.target
        return MoveReply(move.number, self.where, -2.0 * self.where, 3.0 * move.number)

    def close(self):
        self.closed = True


def test_a_driver_needs_three_methods():
    with pytest.raises(TypeError, match="abstract"):
        Cell()
    assert Bench().move(MoveRequest(1, np.array(0.1), 2.0, 1.0)).force == -0.2


def test_a_cell_is_closed_at_the_end_of_its_context():
    with Bench() as bench:
        bench.halt()
    assert bench.closed


def test_a_reply_is_well_unless_it_tripped():
    assert MoveReply(1, np.zeros(6), np.zeros(6), 0.0).ok
    assert not MoveReply(1, np.zeros(6), np.zeros(6), 0.0, TripCode.TORQUE).ok


def test_a_move_is_linear_by_default():
    assert MoveRequest(1, np.zeros(6), 1.0, 1.0).kind is MotionType.LINE
