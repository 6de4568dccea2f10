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

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import equinox as eqx
import jax

from dovetail.compensation import Compensator, Feedback
from dovetail.core import Flow, Input, Method, count, roles
from dovetail.core.block import State, Time
from dovetail.core.flow_adapters import WithInput
from dovetail.core.signals import READING
from dovetail.core.system import Signals, System
from dovetail.testing.excitation import Excitation
from dovetail.testing.rig import AbstractRig
from dovetail.testing.schedule import Profile, apply

if TYPE_CHECKING:
    from dovetail.testing.test import Test

T = TypeVar("T")


class Driven(WithInput):
    """Numerical substructure with its excitation; the input is the interface force."""

    excitation: Any

    def input(self, t: Time, u: Input) -> Signals:
        return {"excitation": self.excitation(t), "excitation_rate": self.excitation.rate(t), "force": u}

    def adapt(self, x: State) -> tuple[Flow, State]:
        """Return the flow and the state to continue with; unchanged if the substructure does not adapt."""
        if not isinstance(self.flow, roles.Adapting):
            return self, x
        flow, adapted = self.flow.adapt(x)
        return (self if flow is self.flow else Driven(flow, self.excitation)), adapted


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
        test.require_rig()
        return cls(**{field.name: getattr(test, field.name) for field in dataclasses.fields(cls)})

    def start(self) -> tuple[HybridState, Signals]:
        driven = Driven(self.numerical, self.excitation)
        numerical, rig = driven.init(), self.rig.init()
        reading = self.rig.first_reading(rig)
        force = reading["measured_force"]
        motion = driven.output(0.0, numerical, force)
        memory, compensator, feedback = (
            self.method.init(driven, numerical),
            self.compensator.init(),
            self.feedback.init(),
        )
        state = HybridState(numerical, memory, compensator, rig, feedback, select(reading, READING), force)
        commanded = {**motion, "command": motion["displacement"]}
        return state, {"excitation": self.excitation(0.0), **commanded, **reading, "feedback_force": force}

    def step(self, t: Time, h: Time, x: HybridState) -> tuple[HybridState, Signals]:
        now = apply(self.schedule, self, t + h)
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
        first_half = control.numerical, control.memory, control.compensator
        state = HybridState(*first_half, rig, feedback, select(reading, READING), fed_back["feedback_force"])
        return state, {"excitation": control.excitation, **motion, **control.command, **reading, **fed_back}

    def compute(self, work: Callable[[], T]) -> T:
        return self.rig.compute(work)

    def settle(self, x: HybridState, code: jax.Array) -> HybridState:
        settled: HybridState = eqx.tree_at(lambda state: state.rig, x, self.rig.settle(x.rig, code))
        return settled


def select(shown: Signals, names: tuple[str, ...]) -> Signals:
    """Return the signals with these names, as far as they exist."""
    return {name: shown[name] for name in names if name in shown}
