"""Hybrid loop: the steps of one tick, from the excitation to the record.

One tick advances the test from t to t + dt:

1. the numerical substructure advances under the force of time t, held constant, and the excitation at the stage times;
2. the compensator computes the command from the motion at t + dt;
3. the rig moves to that command and is measured at t + dt;
4. the feedback computes the force for the next tick from the measurement;
5. the limit monitor checks demand and measurement, and the tick is recorded.

A rig without delay returns the force of the same tick. Holding it over the next tick adds a delay of half a tick.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow, precomputed_inputs
from dovetail.core.errors import AnalysisError
from dovetail.testing import contact_energy_gain, schedule
from dovetail.testing.limit_monitor import LimitMonitor

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MOTION = ("displacement", "velocity", "acceleration")  # of the numerical substructure
READ = ("measured_displacement", "measured_force")
SEEN = (
    *READ,
    "measurement_age",
    "penetration",
    "contact_energy",
)  # `measurement_age` comes from a link, the contact signals from specimens with a contact model


class Driven(Flow):
    """Numerical substructure with its excitation; the input is the interface force."""

    flow: Flow
    excitation: Any

    @property
    def large(self) -> bool:  # type: ignore[override]  # a class attribute elsewhere
        """True if the substructure is large."""
        return self.flow.large

    def init(self):
        return self.flow.init()

    def derivative(self, t, x, u):
        return self.flow.derivative(t, x, self._input(t, u))

    def output(self, t, x, u):
        return self.flow.output(t, x, self._input(t, u))

    def jump(self, t, x, u):
        return self.flow.jump(t, x, self._input(t, u))

    def _input(self, t, force):
        return {"excitation": self.excitation(t), "excitation_rate": self.excitation.rate(t), "force": force}


def start(test: Test) -> tuple[dict[str, Any], dict[str, jax.Array]]:
    """Return the state of the loop at rest and the first record. The test must be prepared."""
    driven = Driven(test.numerical, test.excitation)
    numerical, rig, compensator = driven.init(), test.rig.init(), test.compensator.init()
    reading = test.rig.first_reading(rig)
    memory = test.method.init(driven, numerical)
    force = reading["measured_force"]
    motion = driven.output(0.0, numerical, force)
    state = {
        "numerical": (numerical, memory),
        "compensator": compensator,
        "rig": rig,
        "feedback": test.feedback.init(),
        "reading": monitored_signals(reading, READ),
        "force": force,
        "monitor": LimitMonitor.for_test(test, "rehearse").init(
            monitored_signals(motion, MOTION), monitored_signals(reading, SEEN)
        ),
    }
    command = {"command": motion["displacement"]}
    return state, _record(test, 0.0, motion, command, reading, {"feedback_force": force}, jnp.zeros(()))


def tick(test: Test, state: dict[str, Any], k: jax.Array) -> tuple[dict[str, Any], dict[str, jax.Array]]:
    """Advance the loop from tick k to tick k + 1; return state and record at k + 1."""
    dt = test.dt
    now = schedule.apply(test.schedule, test, k * dt + dt) if test.schedule else test
    control = compute_command(now, state, k)
    rig, reading = now.rig.step(k * dt, dt, state["rig"], control["command"]["command"])
    state, record = process_reading(now, state, k, control, reading)
    return {**state, "rig": now.rig.settle(rig, state["monitor"]["code"])}, record


def compute_command(test: Test, state: dict[str, Any], k: jax.Array) -> dict[str, Any]:
    """First half of a tick, up to the command. `test` has the scheduled values of tick k + 1."""
    dt = test.dt
    t = k * dt
    t_next = t + dt  # the same expression as in the last stage, so that the excitation is evaluated once
    driven = Driven(test.numerical, test.excitation)
    numerical, memory = state["numerical"]
    h = dt / test.substeps
    for i in range(test.substeps):
        begin = t + i * h if i else t  # the same value as t, so that the excitation is evaluated once
        numerical, memory = test.method.advance(driven, begin, h, numerical, state["force"], memory)
    motion = driven.output(t_next, numerical, state["force"])
    compensator, command = test.compensator.step(t, dt, state["compensator"], {**motion, **state["reading"]})
    return {
        "numerical": (numerical, memory),
        "compensator": compensator,
        "motion": motion,
        "command": command,
    }


def process_reading(
    test: Test, state: dict[str, Any], k: jax.Array, control: dict[str, Any], reading: dict[str, jax.Array]
) -> tuple[dict[str, Any], dict[str, jax.Array]]:
    """Second half of a tick, from the measurement on: the state without that of the rig, and the record."""
    dt, motion = test.dt, control["motion"]
    t = k * dt
    feedback_state, fed_back = test.feedback.step(t, dt, state["feedback"], {**motion, **reading})
    monitor = LimitMonitor.for_test(test, "rehearse").step(
        t + dt,
        dt,
        state["monitor"],
        monitored_signals(motion, MOTION),
        monitored_signals(reading, SEEN),
        held_force=state["force"],
    )
    if "contact" in monitor:
        reading = {**reading, "contact_energy_gain": contact_energy_gain.gain(monitor["contact"])}
    state = {
        "numerical": control["numerical"],
        "compensator": control["compensator"],
        "feedback": feedback_state,
        "reading": monitored_signals(reading, READ),
        "force": fed_back["feedback_force"],
        "monitor": monitor,
    }
    return state, _record(test, t + dt, motion, control["command"], reading, fed_back, monitor["growth"])


def monitored_signals(signals: dict[str, jax.Array], names: tuple[str, ...]) -> dict[str, jax.Array]:
    """Return the signals that the limit monitor checks."""
    return {name: signals[name] for name in names if name in signals}


def _record(test, t, motion, command, reading, fed_back, growth) -> dict[str, jax.Array]:
    return {
        "excitation": test.excitation(t),
        **motion,
        **command,
        **reading,
        **fed_back,
        "growth_rate": growth,
    }


def ticks(
    test: Test, state: dict[str, Any], first: jax.Array, count: int, scan: Callable = precomputed_inputs.scan
) -> tuple[Any, dict[str, jax.Array]]:
    """Advance `count` ticks from tick `first` in one compiled loop; return the final state and all records.

    Values that depend on time only are computed before the loop.

    Signals that are the same array within a tick (without compensation the command is the demand) are recorded once
    and returned under each name, because writing records takes a third of the time of a simple loop.
    """
    column_index: dict[str, int] = {}

    def advance(x, k):
        x, record = tick(test, x, k)
        distinct = {id(value): value for value in record.values()}
        order = {key: i for i, key in enumerate(distinct)}
        column_index.update({name: order[id(value)] for name, value in record.items()})
        return x, tuple(distinct.values())

    state, columns = scan(advance, state, first + jnp.arange(count))
    return state, {name: columns[i] for name, i in column_index.items()}


def simulate(test: Test) -> tuple[dict[str, Any], dict[str, jax.Array]]:
    """Return final state and records of the rehearsal of a prepared test, as a pure function.

    For batches and derivatives: `eqx.filter_vmap(simulate)(tests)`, `eqx.filter_grad(...)`. The run is not cut where
    a limit is reached; `state["monitor"]` holds the code and the tick of the first breach. A member of a batch equals
    its single run to rounding, about 2e-15 of its size, not to the bit.
    """
    if test.sampling == "none":
        raise AnalysisError(
            'simulate: the test has sampling = "none" (continuous time), but a batch is sampled; '
            'set sampling = "rate", or rehearse the tests one by one'
        )
    state, _ = start(test)
    return ticks(test, state, jnp.zeros((), dtype=int), test.tick_count, scan=jax.lax.scan)


compiled_start = eqx.filter_jit(start)
compiled_ticks = eqx.filter_jit(ticks)
compiled_simulate = eqx.filter_jit(simulate)
