"""What a cell may do and what stops it: motion types, states, trips, and the limits behind them.

The supervisory controller waits for a command, enters the state of its motion type, and returns to waiting when
the motion has ended; any breach leads to the halt, from which only an operator's reset leads back. Every
breach has a code and is told with its value and limit. Source: [Bolien 2018, secs 3.3 and 3.4].
"""

from __future__ import annotations

import dataclasses
from enum import Enum, IntEnum
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, parameter


class MotionType(IntEnum):
    """How a cell gets to its target."""

    LINE = 1  # straight in space, the shortest turn: what contact needs
    JOINT_TO_POSE = 2  # straight in joint space to a pose in space: for getting near
    JOINT = 3  # straight in joint space to joint angles
    CHUNK = 4  # a piece of a path, to be kept until the path is run
    PATH = 5  # the last piece: run all that was kept as one motion


class CellState(Enum):
    """What the supervisory controller is doing."""

    AWAIT = "awaits a command"
    LINE = "moves in a straight line"
    JOINT_TO_POSE = "moves in joint space to a pose"
    JOINT = "moves in joint space to joint angles"
    PATH = "runs a buffered path"
    HALT = "halted; an operator has to see to it and reset"


class TripCode(IntEnum):
    """Why a cell stopped; 0 if it did not. See `SENTENCES` for the words."""

    NONE = 0
    JOINT_POSITION = 1
    JOINT_VELOCITY = 2
    WORKSPACE = 3
    SINGULARITY = 4
    UNREACHABLE = 5
    FORCE = 6
    TORQUE = 7
    NOT_SETTLED = 8
    NOT_FINITE = 9
    EMERGENCY = 10
    REFUSED = 11
    SENSOR = 12


SENTENCES = {
    TripCode.NONE: "The cell is well.",
    TripCode.JOINT_POSITION: "A joint would have left its range.",
    TripCode.JOINT_VELOCITY: "A joint would have been faster than it may.",
    TripCode.WORKSPACE: "The tool would have left its workspace.",
    TripCode.SINGULARITY: "The arm came too near to a singular posture.",
    TripCode.UNREACHABLE: "The arm cannot reach the pose.",
    TripCode.FORCE: "The force at the sensor reached its limit.",
    TripCode.TORQUE: "The torque at the sensor reached its limit.",
    TripCode.NOT_SETTLED: "The cell did not come to rest at its target.",
    TripCode.NOT_FINITE: "A number was not finite.",
    TripCode.EMERGENCY: "The emergency stop was pressed.",
    TripCode.REFUSED: "The cell refused the request.",
    TripCode.SENSOR: "The sensor is at the end of its range.",
}
SIGNALS = {  # what the value and the limit of a trip are, and their unit
    TripCode.JOINT_POSITION: ("joint_angle", "rad"),
    TripCode.JOINT_VELOCITY: ("joint_velocity", "rad/s"),
    TripCode.WORKSPACE: ("tool_position", "m"),
    TripCode.SINGULARITY: ("wrist_clearance", "1"),
    TripCode.FORCE: ("contact_force", "N"),
    TripCode.TORQUE: ("contact_torque", "N m"),
    TripCode.NOT_SETTLED: ("tracking_error", "m"),
}


class SafetyLimits(Part):
    """What the supervisory controller holds the cell to; infinite where nothing is said."""

    ONE_KIND: ClassVar[bool] = True

    force: jax.Array = parameter("N", "largest force at the sensor", default=jnp.inf, above=0.0)
    torque: jax.Array = parameter("N m", "largest torque at the sensor", default=jnp.inf, above=0.0)
    lowest: jax.Array = parameter("m", "corner of the workspace, in the cell", default=(-jnp.inf,) * 3)
    highest: jax.Array = parameter("m", "opposite corner", default=(jnp.inf,) * 3)
    singularity: jax.Array = parameter(
        "1", "smallest measure of how far the posture is from singular", default=0.0, at_least=0.0
    )

    def wrench(self, force: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Trip code, value and limit of a wrench (6,); for fewer axes all are forces."""
        size = jnp.sqrt(jnp.sum(jnp.square(force[..., :3])))
        turn = jnp.sqrt(jnp.sum(jnp.square(force[..., 3:])))
        finite = jnp.all(jnp.isfinite(force))
        code = jnp.where(turn > self.torque, int(TripCode.TORQUE), 0)
        code = jnp.where(size > self.force, int(TripCode.FORCE), code)
        code = jnp.where(finite, code, int(TripCode.NOT_FINITE))
        by_force = code == int(TripCode.FORCE)
        return code, jnp.where(by_force, size, turn), jnp.where(by_force, self.force, self.torque)


@dataclasses.dataclass
class Supervisor:
    """The state machine: which requests are taken in which state, and what a breach leads to."""

    state: CellState = CellState.AWAIT
    trip: TripCode = TripCode.NONE
    history: list[CellState] = dataclasses.field(default_factory=list)
    most_chunks: int = 1024  # of a buffered path
    buffer: list[np.ndarray] = dataclasses.field(default_factory=list)

    def enter(self, kind: MotionType) -> TripCode:
        """Take a request for a motion; REFUSED where it cannot be taken in this state."""
        if self.state is not CellState.AWAIT:
            return TripCode.EMERGENCY if self.trip is TripCode.EMERGENCY else TripCode.REFUSED
        if kind is MotionType.CHUNK:
            return TripCode.REFUSED if len(self.buffer) >= self.most_chunks else TripCode.NONE
        self._go(CellState[kind.name])
        return TripCode.NONE

    def leave(self, trip: TripCode = TripCode.NONE) -> None:
        """The motion ended, well or with a trip."""
        self.buffer.clear()
        if trip is TripCode.NONE:
            self._go(CellState.AWAIT)
        else:
            self.halt(trip)

    def halt(self, why: TripCode) -> None:
        """To the halt; the first reason is kept."""
        if self.state is not CellState.HALT:
            self.trip = why
        self._go(CellState.HALT)

    def reset(self) -> None:
        """The operator has seen to it."""
        self.trip = TripCode.NONE
        self.buffer.clear()
        self._go(CellState.AWAIT)

    def _go(self, state: CellState) -> None:
        self.history.append(state)
        self.state = state
