"""Robot cell of a pseudo-dynamic test: moves to a pose, rests, and returns position and force.

The driver of a laboratory is a subclass of `Cell` with six short methods. `dovetail.links.CellServer` serves a cell at
a port, `dovetail.links.RemoteCell` is a cell at an address; the interface is the same.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod

import numpy as np

from dovetail.transfer.robot.safety import MotionType, TripCode


@dataclasses.dataclass(frozen=True)
class MoveRequest:
    """Request to move to a target, rest, and measure.

    `number` counts the moves of a run from 1. If the number is that of the last move, the cell returns the reply to
    that move again and does not move, so a request can be repeated if its reply was lost.
    """

    number: int
    target: np.ndarray  # six values: position [m], rotation vector [rad]; or one value per joint or axis
    execution_time: float  # [s]
    settling_time: float  # [s]
    kind: MotionType = MotionType.LINE


@dataclasses.dataclass(frozen=True)
class MoveReply:
    """Reply of a cell at rest, or the reason of a stop."""

    number: int
    position: np.ndarray  # measured, in the form of the target
    force: np.ndarray  # on the numerical substructure [N], [N m]
    clock: float  # [s] of the cell, from its start
    trip: TripCode = TripCode.NONE
    value: float = 0.0  # value that reached the limit
    limit: float = 0.0
    extras: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True if the cell rests at the target."""
        return self.trip is TripCode.NONE


class Cell(ABC):
    """Robot cell, real or simulated."""

    name: str = "robot cell"
    axes: int = 6

    @abstractmethod
    def begin(self, run: str) -> MoveReply | None:
        """Prepare for the moves of a run with a unique name.

        The same run is continued: the method returns the reply to its last move. Any other run starts at move 1, and
        the method returns None.
        """

    @abstractmethod
    def read(self) -> MoveReply:
        """Return position and force without moving."""

    @abstractmethod
    def move(self, move: MoveRequest) -> MoveReply:
        """Move, rest and measure, or stop at a limit; return when the cell rests."""

    def prepare(self) -> None:
        """Prepare for the first move without moving, so that it takes no longer than later moves."""

    def halt(self) -> None:
        """Stop at once and stay until an operator continues."""

    def close(self) -> None:
        """Release the resources of the cell on this machine."""

    def __enter__(self) -> Cell:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
