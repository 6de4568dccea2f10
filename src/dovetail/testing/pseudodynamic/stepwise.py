"""Stepwise time: the simulation of a pseudo-dynamic test, whose time waits while the cell moves.

While the contact gate is closed, the simulation uses the free step and zero force. While it is open, it uses the
contact step and the last measured force. If the pose differs from the last command by more than the repeatability of
the robot, the simulation asks for a move: the simulated time waits until the cell rests there. The next step uses the
measured force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from dovetail.core import Flow, Method
from dovetail.core.block import Time
from dovetail.core.clock import HostOnly, LoopState, ProposedSteps, as_array
from dovetail.core.keep import Keep
from dovetail.core.parameter import Parameter
from dovetail.core.signals import READING
from dovetail.core.system import Signals, System
from dovetail.testing import paths
from dovetail.testing.excitation import Excitation
from dovetail.testing.hybrid_loop import Driven
from dovetail.testing.limit_monitor import LimitChecks, LimitState
from dovetail.testing.pseudodynamic.settings import PseudodynamicSettings
from dovetail.testing.schedule import Profile

if TYPE_CHECKING:
    from dovetail.testing.pseudodynamic.session import CellSession
    from dovetail.testing.test import Test

EPSILON = 1e-9  # tolerance of the end time, as a fraction of a step
NOT_RECORDED = (
    "asks",
    "breach",
    "correction",
    *READING,
)  # for monitor and rows; the recorder adds the measurement


class SteppedState(NamedTuple):
    """State of the simulation, its motion, and the last measurement."""

    simulation: Any  # state of the scheme
    motion: Signals  # output of the numerical substructure
    step: Float[Array, ""]  # [s] length of the step to this motion
    asks: Bool[Array, ""]  # whether the cell must move to this motion before the next step
    command: Float[Array, "*n"]  # last command to the cell, in its scale
    position: Float[Array, "*n"]  # [m] last measured displacement
    force: Float[Array, "*n"]  # [N] last measured force


class SteppedLoop(System):
    """Numerical substructure under the force that is measured at rest.

    The fields have the names of the fields of a test, so that the paths of scheduled parameters are valid in both.
    """

    numerical: Flow
    excitation: Excitation
    method: Method
    pseudodynamic: PseudodynamicSettings
    schedule: dict[str, Profile] = eqx.field(default_factory=dict)

    @classmethod
    def from_test(cls, test: Test) -> SteppedLoop:
        """Return the loop of a prepared test."""
        assert test.pseudodynamic is not None
        return cls(test.numerical, test.excitation, test.method, test.pseudodynamic, test.schedule)

    def start(self) -> tuple[SteppedState, Signals]:
        driven = Driven(self.numerical, self.excitation)
        numerical = driven.init()
        shape = jax.eval_shape(lambda: driven.output(0.0, numerical, jnp.zeros(())))["displacement"].shape
        zero = jnp.zeros(shape)
        motion = driven.output(0.0, numerical, zero)
        state = SteppedState(
            (numerical, self.method.init(driven, numerical)),
            jax.tree.map(jnp.asarray, motion),
            jnp.zeros(()),
            self.pseudodynamic.gate.is_open(motion),  # a first measurement at any pose
            self.pseudodynamic.command(motion["displacement"]),
            zero,
            zero,
        )
        return state, self._shown(jnp.zeros(()), state)

    def proposed_step(self, t: Time, x: SteppedState) -> Time:
        """Return the length of the next step [s]."""
        settings = self.pseudodynamic
        return jnp.where(settings.gate.is_open(x.motion), settings.contact_step, settings.free_step)

    def at(self, t: Time) -> SteppedLoop:
        """Return the loop with its scheduled values at t [s]."""
        return self.with_values({path: profile(t) for path, profile in self.schedule.items()})

    def with_values(self, values: dict[str, Any]) -> SteppedLoop:
        """Return the loop with other values at parameter paths; other parts of the test do not matter here."""
        own = {path: v for path, v in values.items() if paths.steps(path)[0] in ("numerical", "excitation")}
        return paths.replace_all(self, own)

    def step(self, t: Time, h: Time, x: SteppedState) -> tuple[SteppedState, Signals]:
        """Advance with the measured force if the gate is open, otherwise without force."""
        now, settings = self.at(t + h), self.pseudodynamic
        driven = Driven(now.numerical, now.excitation)
        held_force = jnp.where(settings.gate.is_open(x.motion), x.force, 0.0)
        numerical, memory = x.simulation
        numerical, memory = self.method.advance(driven, t, h, numerical, held_force, memory)
        motion = driven.output(t + h, numerical, held_force)
        asks = settings.gate.is_open(motion)
        asks &= settings.exceeds_repeatability(motion["displacement"], x.command)
        after = x._replace(simulation=(numerical, memory), motion=motion, step=h, asks=asks)
        return after, now._shown(t + h, after)

    def measured(
        self, monitor: LimitChecks, x: SteppedState, m: LimitState
    ) -> tuple[SteppedState, LimitState]:
        """Return the states with the measurement that the simulation asked for; it is checked before the next step."""
        checked = monitor.check_measurement(x.step, m, {**x.motion, **reading_of(x)})
        return x._replace(asks=jnp.zeros_like(x.asks)), where(x.asks, checked, m)

    def _shown(self, t: Time, x: SteppedState) -> Signals:
        gate = self.pseudodynamic.gate.is_open(x.motion)
        return {
            "t": t,
            "gate": gate,
            "excitation": jnp.asarray(self.excitation(t)),
            **x.motion,
            "measured_force": jnp.where(gate, x.force, 0.0),  # without a move unchanged, or zero
            "asks": x.asks,
        }


def reading_of(x: SteppedState) -> Signals:
    """Return the last measurement."""
    return dict(zip(READING, (x.position, x.force), strict=True))


class SteppedMonitor(LimitChecks):
    """Limit monitor of a pseudo-dynamic test in steps.

    A demand that needs a move is checked before the cell is sent there, its measurement after the move. A step without
    a move is checked with the old force; it has no reading, so none can be frozen.
    """

    def step(self, t: Time, h: Time, m: LimitState, shown: Signals) -> tuple[LimitState, Signals]:
        demand = self.check_demand(t, h, m, shown)
        m = where(shown["asks"], demand, self.check_measurement(h, demand, shown))
        return m, {**shown, "breach": m.code > 0}


def where(condition: Bool[Array, ""], a: LimitState, b: LimitState) -> LimitState:
    """Return one of two states of the monitor."""
    state: LimitState = jax.tree.map(lambda x, y: jnp.where(condition, x, y), a, b)
    return state


class FreeFlight(NamedTuple):
    """Steps since the last measurement, and whether the last one is next to contact, asked for a move, is recorded."""

    steps: Int[Array, ""]
    gate: Bool[Array, ""]
    asked: Bool[Array, ""]
    wanted: Bool[Array, ""]


class SteppedRows(Keep):
    """Rows of the steps: next to contact all, in free flight every n-th, also the last one and that of a breach."""

    every: Parameter = eqx.field(converter=as_array)
    end: Parameter = eqx.field(converter=as_array)  # [s]

    def start(self, shown: Signals) -> FreeFlight:
        return FreeFlight(jnp.zeros((), dtype=int), shown["gate"], shown["asks"], jnp.array(True))

    def row(self, kept: FreeFlight, t: Time, h: Time, shown: Signals) -> tuple[FreeFlight, Signals]:
        gate, steps = shown["gate"], jnp.where(kept.asked, 0, kept.steps) + 1
        wanted = kept.gate | gate | (steps % self.every == 0) | (t >= self.end) | shown["breach"]
        return FreeFlight(steps, gate, shown["asks"], wanted), recorded_signals(shown)

    def wants(self, kept: FreeFlight, row: Signals) -> Bool[Array, ""]:
        return kept.wanted


def recorded_signals(shown: Signals) -> Signals:
    """Return the signals of a row."""
    return {name: value for name, value in shown.items() if name not in NOT_RECORDED}


class Stepwise(ProposedSteps):
    """Steps of the scheme; the simulated time waits while the cell moves."""

    optimised: ClassVar[bool] = False  # a move takes longer than its computation

    tolerance: Parameter = eqx.field(converter=as_array)  # [s] of the end time
    session: HostOnly[CellSession]

    def finished(self, now: LoopState) -> Bool[Array, ""]:
        return now.t >= self.end - self.tolerance

    def waits(self, system: Any, now: LoopState) -> Bool[Array, ""]:
        asks: jax.Array = now.x.asks
        return asks

    def between(self, system: Any, monitor: Any, now: LoopState) -> tuple[Any, LoopState]:
        return self.session.value.between(system, now)

    def resume(self, system: Any, monitor: Any, now: LoopState) -> LoopState:
        x, m = system.measured(monitor, now.x, now.monitor)
        return now._replace(x=x, monitor=m)
