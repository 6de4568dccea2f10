"""What a creep test knows of a robot cell: it is sent to a pose, and answers when it rests there.

A laboratory's driver is a subclass of `Cell`: six short methods. `dovetail.links.CellServer` puts any cell
behind a port, `dovetail.links.RemoteCell` is a cell behind one; the test cannot tell which it has.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod

import numpy as np

from dovetail.transfer.robot.safety import MotionType, TripCode


@dataclasses.dataclass(frozen=True)
class Move:
    """A request to go somewhere, rest, and read.

    `number` counts the moves of a run from 1. A cell that is asked for the move it has just made answers with
    the reading it took, and does not move: so a question may be repeated when its answer was lost.
    """

    number: int
    target: np.ndarray  # six values: position [m], rotation vector [rad]; else one a joint or axis
    execution_time: float  # [s]
    settling_time: float  # [s]
    kind: MotionType = MotionType.LINE


@dataclasses.dataclass(frozen=True)
class Reply:
    """What a cell answers once it rests, or why it stopped."""

    number: int
    position: np.ndarray  # measured, as the target of the move is given
    force: np.ndarray  # on the numerical substructure [N], [N m]
    clock: float  # [s] of the cell, from its start
    trip: TripCode = TripCode.NONE
    value: float = 0.0  # what tripped, and the limit it met
    limit: float = 0.0
    extras: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if the cell rests where it was sent."""
        return self.trip is TripCode.NONE


class Cell(ABC):
    """A robot cell, real or virtual."""

    name: str = "robot cell"
    axes: int = 6

    @abstractmethod
    def begin(self, run: str) -> Reply | None:
        """Get ready for the moves of a run, which has a name of its own.

        A run that this cell knows is taken up where it was: the answer is that to its last move. Another run
        starts at number 1, and the answer is None.
        """

    @abstractmethod
    def read(self) -> Reply:
        """Where the cell is and what it feels, without moving."""

    @abstractmethod
    def move(self, move: Move) -> Reply:
        """Go there, rest, read; or stop at a limit and say so. Does not return before the cell rests."""

    def prepare(self) -> None:
        """Get ready for the first move without making one, so that it is as quick as the others: by default nothing."""

    def halt(self) -> None:
        """Stop at once and stay, until an operator has seen to it: by default nothing more than not moving."""

    def close(self) -> None:
        """Let go of what the cell holds on this machine."""

    def __enter__(self) -> Cell:
        return self

    def __exit__(self, *_) -> None:
        self.close()
