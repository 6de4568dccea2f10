"""Motion of a simulated cell: its rig follows a path until the end of the rest, or until a safety limit is reached."""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from dovetail.core.advance import advance_samples, begin
from dovetail.core.block import State, Time
from dovetail.core.clock import LoopState, Stopping
from dovetail.core.keep import Keep
from dovetail.core.monitor import Monitor
from dovetail.core.system import Signals, System
from dovetail.testing.rig import AbstractRig, Rig
from dovetail.transfer.robot.arms import RobotArms
from dovetail.transfer.robot.safety import SafetyLimits

AVERAGED = ("measured_displacement", "measured_force")  # signals that are averaged
ARM_TRIP = "arm_trip"  # signal of the robot arms for the monitor, not measured


class MotionState(NamedTuple):
    """State of a moving cell."""

    rig: Any
    tick: Int[Array, ""]  # since the start of the move


class CellMotion(System):
    """Rig of a cell that follows a path, tick by tick."""

    rig: AbstractRig
    path: Any
    state: Any  # of the rig at the start of the move

    def start(self) -> tuple[MotionState, Signals]:
        shapes = jax.eval_shape(lambda: self.rig.step(0.0, 1.0, self.state, self.path.at(0.0))[1])
        blank = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), shapes)  # measured in the first tick
        return MotionState(self.state, jnp.zeros((), dtype=int)), {**blank, **self._arm_trip(self.state)}

    def step(self, t: Time, h: Time, x: MotionState) -> tuple[MotionState, Signals]:
        rig, reading = self.rig.step(t, h, x.rig, self.path.at((x.tick + 1) * h))
        return MotionState(rig, x.tick + 1), {**reading, **self._arm_trip(rig)}

    def _arm_trip(self, x: Any) -> Signals:
        """Return code, value and limit of the trip of the robot arms, if the rig has arms."""
        return {} if arms_of(self.rig) is None else {ARM_TRIP: x["actuator"]["trip"]}


class TripState(NamedTuple):
    """State of the monitor: trip code, number of ticks, value and limit."""

    code: Int[Array, ""]
    sample: Int[Array, ""]
    value: Float[Array, ""]
    limit: Float[Array, ""]


class SafetyMonitor(Monitor):
    """Ends a move at a safety limit of the cell or of its arms."""

    safety: SafetyLimits

    def start(self, shown: Signals) -> tuple[TripState, Signals]:
        none, zero = jnp.zeros((), dtype=int), jnp.zeros(())
        return TripState(none, none, zero, zero), shown

    def step(self, t: Time, h: Time, m: TripState, shown: Signals) -> tuple[TripState, Signals]:
        code, value, limit = self.safety.wrench(shown["measured_force"].reshape(-1))
        if ARM_TRIP in shown:
            arm_trip = shown[ARM_TRIP]
            code, value, limit = (
                jnp.where(arm_trip[0] > 0, a, b) for a, b in zip(arm_trip, (code, value, limit), strict=True)
            )
        return TripState(code, m.sample + 1, value, limit), shown


class Rest(NamedTuple):
    """Measurement of the last tick, and sums over the ticks at the end of the rest."""

    tick: Int[Array, ""]
    reading: Signals
    sums: Signals


class RestMeasurement(Keep):
    """Keeps no rows, but the last measurement and the sums for the average from tick `begin` on."""

    begin: Int[Array, ""]

    def start(self, shown: Signals) -> Rest:
        reading = _without_arm_trip(shown)
        return Rest(
            jnp.zeros((), dtype=int), reading, {name: jnp.zeros_like(reading[name]) for name in AVERAGED}
        )

    def row(self, kept: Rest, t: Time, h: Time, shown: Signals) -> tuple[Rest, Signals]:
        reading, counted = _without_arm_trip(shown), jnp.where(kept.tick >= self.begin, 1.0, 0.0)
        sums = {name: total + counted * reading[name] for name, total in kept.sums.items()}
        return Rest(kept.tick + 1, reading, sums), {}

    def wants(self, kept: Rest, row: Signals) -> bool:
        return False


def _without_arm_trip(shown: Signals) -> Signals:
    return {name: value for name, value in shown.items() if name != ARM_TRIP}


@eqx.filter_jit
def follow_path(
    rig: AbstractRig,
    safety: SafetyLimits,
    period: float,
    first: Any,
    path: Any,
    total: np.ndarray,
    averaged: np.ndarray,
    until: np.ndarray,
    state: State | None,
    now: LoopState | None,
) -> LoopState:
    """Follow a path until a tick, or until a limit is reached; `first` is the tick of the cell at its start.

    Give the `state` of the rig to start a move, or the state `now` of the loop to continue it; the other is None.
    """
    motion, monitor = CellMotion(rig, path, state), SafetyMonitor(safety)
    keep = RestMeasurement(total - averaged)
    if now is None:
        now = begin(motion, monitor, keep)[0]._replace(k=first)
    after, _, _ = advance_samples(motion, Stopping(period, first + until), monitor, keep, now, 1)
    return after._replace(t=now.t)  # only ticks are counted


def arms_of(rig: AbstractRig) -> RobotArms | None:
    """Return the robot arms of a rig, or None."""
    actuator = rig.actuator if isinstance(rig, Rig) else None
    return actuator if isinstance(actuator, RobotArms) else None
