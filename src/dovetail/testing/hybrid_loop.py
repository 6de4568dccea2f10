"""Hybrid loop: the steps of one tick.

One tick advances the test from t to t + dt:

1. the numerical substructure advances under the force of time t, held constant, and the excitation at the stage times;
2. the compensator computes the command from the motion at t + dt;
3. the rig moves to that command and is measured at t + dt;
4. the feedback computes the force for the next tick from the measurement.

The monitor then checks demand and measurement, and the tick is recorded (`core.advance`). A rig without delay returns
the force of the same tick. Holding it over the next tick adds a delay of half a tick.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import equinox as eqx
import jax

from dovetail.compensation import Compensator, Feedback
from dovetail.core import Flow, Input, Method, Output, count, roles
from dovetail.core.block import State, Time
from dovetail.core.signals import READING
from dovetail.core.system import Signals, System
from dovetail.testing import paths
from dovetail.testing.excitation import Excitation
from dovetail.testing.rig import AbstractRig
from dovetail.testing.schedule import Profile

if TYPE_CHECKING:
    from dovetail.testing.test import Test

T = TypeVar("T")


class Driven(Flow):
    """Numerical substructure with its excitation; the input is the interface force."""

    flow: Flow
    excitation: Any

    @property
    def large(self) -> bool:  # type: ignore[override]  # a class attribute elsewhere
        """True if the substructure is large."""
        return self.flow.large

    def init(self) -> State:
        return self.flow.init()

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.flow.derivative(t, x, self._input(t, u))

    def output(self, t: Time, x: State, u: Input) -> Output:
        return self.flow.output(t, x, self._input(t, u))

    @property
    def jumps(self) -> bool:
        """True if the substructure has jumps."""
        return self.flow.jumps

    def jump(self, t: Time, x: State, u: Input) -> State:
        return self.flow.jump(t, x, self._input(t, u))

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return self.flow.guards(t, x, self._input(t, u))

    def adapt(self, x):
        """Return the flow and the state to continue with; unchanged if the substructure does not adapt."""
        if not isinstance(self.flow, roles.Adapting):
            return self, x
        flow, adapted = self.flow.adapt(x)
        return (self if flow is self.flow else Driven(flow, self.excitation)), adapted

    def _input(self, t, force):
        return {"excitation": self.excitation(t), "excitation_rate": self.excitation.rate(t), "force": force}


class HybridState(eqx.Module):
    """State of the hybrid loop at a tick."""

    numerical: State
    memory: Any  # of the integration method
    compensator: State
    rig: State
    feedback: State
    reading: Signals  # last measurement, as the compensator uses it
    force: jax.Array  # [N] held over the next tick


class Control(eqx.Module):
    """First half of a tick."""

    numerical: State
    memory: Any  # of the integration method
    compensator: State
    excitation: jax.Array
    motion: Signals
    command: Signals


class HybridLoop(System):
    """Excite, advance the numerical substructure, compensate, command, measure, feed back: one tick.

    The fields have the names of the fields of a test, so that the paths of scheduled parameters are valid in both.
    """

    numerical: Flow
    excitation: Excitation
    compensator: Compensator
    rig: AbstractRig
    feedback: Feedback
    method: Method
    substeps: int = count("integration steps in a tick", default=1, at_least=1)
    schedule: dict[str, Profile] = eqx.field(default_factory=dict)

    @classmethod
    def from_test(cls, test: Test) -> HybridLoop:
        """Return the loop of a prepared test."""
        return cls(
            test.numerical,
            test.excitation,
            test.compensator,
            test.require_rig(),
            test.feedback,
            test.method,
            test.substeps,
            test.schedule,
        )

    def start(self) -> tuple[HybridState, Signals]:
        driven = Driven(self.numerical, self.excitation)
        numerical, rig = driven.init(), self.rig.init()
        reading = self.rig.first_reading(rig)
        force = reading["measured_force"]
        motion = driven.output(0.0, numerical, force)
        state = HybridState(
            numerical,
            self.method.init(driven, numerical),
            self.compensator.init(),
            rig,
            self.feedback.init(),
            select(reading, READING),
            force,
        )
        shown = {
            "excitation": self.excitation(0.0),
            **motion,
            "command": motion["displacement"],
            **reading,
            "feedback_force": force,
        }
        return state, shown

    def at(self, t: Time) -> HybridLoop:
        """Return the loop with its scheduled values at t [s]."""
        return self.with_values({path: profile(t) for path, profile in self.schedule.items()})

    def with_values(self, values: dict[str, Any]) -> HybridLoop:
        """Return the loop with other values at parameter paths."""
        loop = self
        for path, value in values.items():
            loop = paths.replace_all(loop, path, value)
        return loop

    def step(self, t: Time, h: Time, x: HybridState) -> tuple[HybridState, Signals]:
        now = self.at(t + h)
        control = self.rig.compute(lambda: now.control(t, h, x))
        rig, reading = now.rig.step(t, h, x.rig, control.command["command"])
        return self.rig.compute(lambda: now.feed_back(t, h, x, control, rig, reading))

    def control(self, t: Time, h: Time, x: HybridState) -> Control:
        """Return the first half of a tick: the numerical substructure and the compensator, up to the command."""
        driven, numerical, memory = Driven(self.numerical, self.excitation), x.numerical, x.memory
        part = h / self.substeps
        for i in range(self.substeps):
            numerical, memory = self.method.advance(
                driven, t + i * part if i else t, part, numerical, x.force, memory
            )
        motion = driven.output(t + h, numerical, x.force)
        compensator, command = self.compensator.step(t, h, x.compensator, {**motion, **x.reading})
        return Control(numerical, memory, compensator, self.excitation(t + h), motion, command)

    def feed_back(
        self, t: Time, h: Time, x: HybridState, control: Control, rig: State, reading: Signals
    ) -> tuple[HybridState, Signals]:
        """Return the second half of a tick: the force for the next tick from the measurement, and the signals."""
        motion = control.motion
        feedback, fed_back = self.feedback.step(t, h, x.feedback, {**motion, **reading})
        state = HybridState(
            control.numerical,
            control.memory,
            control.compensator,
            rig,
            feedback,
            select(reading, READING),
            fed_back["feedback_force"],
        )
        return state, {"excitation": control.excitation, **motion, **control.command, **reading, **fed_back}

    def compute(self, work: Callable[[], T]) -> T:
        return self.rig.compute(work)

    def settle(self, x: HybridState, code: jax.Array) -> HybridState:
        return eqx.tree_at(lambda state: state.rig, x, self.rig.settle(x.rig, code))


def select(shown: Signals, names: tuple[str, ...]) -> Signals:
    """Return the signals with these names, as far as they exist."""
    return {name: shown[name] for name in names if name in shown}


class PathState(eqx.Module):
    """State of a rig on a path."""

    rig: State
    last: jax.Array  # [m] last command
    before: jax.Array  # [m] command before it
    reading: Signals  # last measurement


class PathLoop(System):
    """Rig that follows a path in place of a numerical substructure: its approach to a test, and its return to rest."""

    rig: AbstractRig
    path: Callable[[Time], jax.Array]  # command [m] at a time [s]
    initial: PathState

    def start(self) -> tuple[PathState, Signals]:
        x = self.initial
        return x, self._signals(1.0, x.last, x, x.reading)

    def step(self, t: Time, h: Time, x: PathState) -> tuple[PathState, Signals]:
        command = self.rig.compute(lambda: self.path(t + h))
        rig, reading = self.rig.step(t, h, x.rig, command)
        shown = self.rig.compute(lambda: self._signals(h, command, x, reading))
        last = {name: reading[name] for name in x.reading}
        return PathState(rig, command, x.last, last), shown

    def _signals(self, h: Time, command: jax.Array, x: PathState, reading: Signals) -> Signals:
        motion = {
            "displacement": command,
            "velocity": (command - x.last) / h,
            "acceleration": (command - 2 * x.last + x.before) / h**2,
        }
        return {**motion, "command": command, **reading}

    def compute(self, work: Callable[[], T]) -> T:
        return self.rig.compute(work)

    def settle(self, x: PathState, code: jax.Array) -> PathState:
        return PathState(self.rig.settle(x.rig, code), x.last, x.before, x.reading)
