"""Safety of a robot cell: motion types, states, trips and limits.

The supervisory controller waits for a command, enters the state of its motion type, and returns to the waiting state
when the motion has ended. A violation leads to the halt state, which only a reset by the operator ends. Each violation
has a code and is reported with value and limit. Source: [Bolien 2018, secs 3.3 and 3.4].
"""

from __future__ import annotations

import dataclasses
from enum import Enum, IntEnum
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, parameter


class MotionType(IntEnum):
    """Type of motion of a cell to its target."""

    LINE = 1  # straight line in space with the shortest rotation, as needed in contact
    JOINT_TO_POSE = 2  # straight line in joint space to a pose, for an approach
    JOINT = 3  # straight line in joint space to joint angles
    CHUNK = 4  # section of a path, stored until the path is run
    PATH = 5  # last section: run all stored sections as one motion


class CellState(Enum):
    """State of the supervisory controller."""

    AWAIT = "waiting for a command"
    LINE = "moving in a straight line"
    JOINT_TO_POSE = "moving in joint space to a pose"
    JOINT = "moving in joint space to joint angles"
    PATH = "running a stored path"
    HALT = "halted; waiting for a reset by the operator"


class TripCode(IntEnum):
    """Reason of a stop of the cell; 0 without a stop. Messages: `TRIP_MESSAGES`."""

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


TRIP_MESSAGES = {
    TripCode.NONE: "No trip.",
    TripCode.JOINT_POSITION: "A joint reference is outside its range.",
    TripCode.JOINT_VELOCITY: "A joint reference exceeds the joint speed limit.",
    TripCode.WORKSPACE: "The tool reference is outside the workspace.",
    TripCode.SINGULARITY: "The posture of the arm is too close to a singularity.",
    TripCode.UNREACHABLE: "The pose is not reachable.",
    TripCode.FORCE: "The measured force exceeds its limit.",
    TripCode.TORQUE: "The measured torque exceeds its limit.",
    TripCode.NOT_SETTLED: "The cell did not settle at its target.",
    TripCode.NOT_FINITE: "A value is NaN or infinite.",
    TripCode.EMERGENCY: "The emergency stop was pressed.",
    TripCode.REFUSED: "The cell refused the request.",
    TripCode.SENSOR: "The sensor reading is at the end of its range.",
}
SIGNALS = {  # quantity and unit of the value and limit of a trip
    TripCode.JOINT_POSITION: ("joint_angle", "rad"),
    TripCode.JOINT_VELOCITY: ("joint_velocity", "rad/s"),
    TripCode.WORKSPACE: ("tool_position", "m"),
    TripCode.SINGULARITY: ("manipulability", "1"),
    TripCode.FORCE: ("contact_force", "N"),
    TripCode.TORQUE: ("contact_torque", "N m"),
    TripCode.NOT_SETTLED: ("tracking_error", "m"),
}


class SafetyLimits(Part):
    """Limits of the supervisory controller; infinite by default."""

    ONE_KIND: ClassVar[bool] = True

    force: Parameter = parameter("N", "largest force at the sensor", default=jnp.inf, above=0.0)
    torque: Parameter = parameter("N m", "largest torque at the sensor", default=jnp.inf, above=0.0)
    workspace_min: Parameter = parameter(
        "m", "lower corner of the workspace, in the cell", default=(-jnp.inf,) * 3
    )
    workspace_max: Parameter = parameter(
        "m", "upper corner of the workspace, in the cell", default=(jnp.inf,) * 3
    )
    min_manipulability: Parameter = parameter(
        "1",
        "smallest distance of the posture from a singularity, see Arm.manipulability",
        default=0.0,
        at_least=0.0,
    )

    def wrench(self, force: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Return trip code, value and limit for a wrench (6,); fewer axes are forces."""
        size = jnp.sqrt(jnp.sum(jnp.square(force[..., :3])))
        turn = jnp.sqrt(jnp.sum(jnp.square(force[..., 3:])))
        finite = jnp.all(jnp.isfinite(force))
        code = jnp.where(turn > self.torque, int(TripCode.TORQUE), 0)
        code = jnp.where(size > self.force, int(TripCode.FORCE), code)
        code = jnp.where(finite, code, int(TripCode.NOT_FINITE))
        by_force = code == int(TripCode.FORCE)
        return code, jnp.where(by_force, size, turn), jnp.where(by_force, self.force, self.torque)


@dataclasses.dataclass
class CellSupervisor:
    """State machine of the cell: accepted requests in each state, and transitions on a violation."""

    state: CellState = CellState.AWAIT
    trip: TripCode = TripCode.NONE
    history: list[CellState] = dataclasses.field(default_factory=list)
    max_chunks: int = 1024  # sections of a stored path
    buffer: list[np.ndarray] = dataclasses.field(default_factory=list)

    def enter(self, kind: MotionType) -> TripCode:
        """Accept a motion request; return REFUSED if this state does not accept it."""
        if self.state is not CellState.AWAIT:
            return TripCode.EMERGENCY if self.trip is TripCode.EMERGENCY else TripCode.REFUSED
        if kind is MotionType.CHUNK:
            return TripCode.REFUSED if len(self.buffer) >= self.max_chunks else TripCode.NONE
        self._go(CellState[kind.name])
        return TripCode.NONE

    def leave(self, trip: TripCode = TripCode.NONE) -> None:
        """Process the end of a motion, with or without a trip."""
        self.buffer.clear()
        if trip is TripCode.NONE:
            self._go(CellState.AWAIT)
        else:
            self.halt(trip)

    def halt(self, trip: TripCode) -> None:
        """Enter the halt state; only the first reason is stored."""
        if self.state is not CellState.HALT:
            self.trip = trip
        self._go(CellState.HALT)

    def reset(self) -> None:
        """Reset by the operator: leave the halt state."""
        self.trip = TripCode.NONE
        self.buffer.clear()
        self._go(CellState.AWAIT)

    def _go(self, state: CellState) -> None:
        self.history.append(state)
        self.state = state
