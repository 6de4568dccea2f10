"""The loop: excite, advance, compensate, command, measure, watch, record.

One tick carries the test from t to t + dt:

1. the numerical substructure advances under the force of t, held, and the excitation at its stage times;
2. the compensator turns its motion at t + dt into a command;
3. the rig moves to that command and is read at t + dt;
4. the feedback turns the reading into the force that is used next;
5. the supervisor looks at all of it; everything is recorded.

So a perfect rig returns the force of this very tick, and holding it over the next one costs half a tick.
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
from dovetail.testing.limit_monitor import Watch

if TYPE_CHECKING:
    from dovetail.testing.test import Test

MOTION = ("displacement", "velocity", "acceleration")  # of the numerical substructure
READ = ("measured_displacement", "measured_force")
SEEN = (
    *READ,
    "reading_age",
    "depth",
    "contact_energy",
)  # of a link, and of a specimen that shows its contact


class Driven(Flow):
    """The numerical substructure with its excitation attached; its input is the interface force."""

    flow: Flow
    excitation: Any

    @property
    def large(self) -> bool:  # type: ignore[override]  # of a class elsewhere, here of what it holds
        """Whether the substructure is."""
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
    """State of the whole loop at rest, and the first record. The test must be prepared."""
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
        "reading": judged(reading, READ),
        "force": force,
        "watch": Watch.of(test, "rehearse").init(judged(motion, MOTION), judged(reading, SEEN)),
    }
    command = {"command": motion["displacement"]}
    return state, _record(test, 0.0, motion, command, reading, {"force": force}, jnp.zeros(()))


def tick(test: Test, state: dict[str, Any], k: jax.Array) -> tuple[dict[str, Any], dict[str, jax.Array]]:
    """Carry the loop from tick k to tick k + 1; the state and the record at k + 1."""
    dt = test.dt
    now = schedule.apply(test.schedule, test, k * dt + dt) if test.schedule else test
    led = lead(now, state, k)
    rig, reading = now.rig.step(k * dt, dt, state["rig"], led["command"]["command"])
    state, record = follow(now, state, k, led, reading)
    return {**state, "rig": now.rig.settle(rig, state["watch"]["code"])}, record


def lead(test: Test, state: dict[str, Any], k: jax.Array) -> dict[str, Any]:
    """The first half of a tick, up to the command; the test is as its schedule has it at tick k + 1."""
    dt = test.dt
    t = k * dt
    t_next = t + dt  # as the last stage has it, so that the excitation is evaluated there once
    driven = Driven(test.numerical, test.excitation)
    numerical, memory = state["numerical"]
    h = dt / test.substeps
    for i in range(test.substeps):
        begin = t + i * h if i else t  # the same number as t, so that the excitation is evaluated there once
        numerical, memory = test.method.advance(driven, begin, h, numerical, state["force"], memory)
    motion = driven.output(t_next, numerical, state["force"])
    compensator, command = test.compensator.step(t, dt, state["compensator"], {**motion, **state["reading"]})
    return {
        "numerical": (numerical, memory),
        "compensator": compensator,
        "motion": motion,
        "command": command,
    }


def follow(
    test: Test, state: dict[str, Any], k: jax.Array, led: dict[str, Any], reading: dict[str, jax.Array]
) -> tuple[dict[str, Any], dict[str, jax.Array]]:
    """The second half, from the reading on: the state but for the rig's, and the record."""
    dt, motion = test.dt, led["motion"]
    t = k * dt
    used, fed_back = test.feedback.step(t, dt, state["feedback"], {**motion, **reading})
    watch = Watch.of(test, "rehearse").step(
        t + dt,
        dt,
        state["watch"],
        judged(motion, MOTION),
        judged(reading, SEEN),
        held=state["force"],
    )
    if "contact" in watch:
        reading = {**reading, "contact_gain": contact_energy_gain.gain(watch["contact"])}
    state = {
        "numerical": led["numerical"],
        "compensator": led["compensator"],
        "feedback": used,
        "reading": judged(reading, READ),
        "force": fed_back["force"],
        "watch": watch,
    }
    return state, _record(test, t + dt, motion, led["command"], reading, fed_back, watch["growth"])


def judged(shown: dict[str, jax.Array], names: tuple[str, ...]) -> dict[str, jax.Array]:
    """What the supervisor looks at of all that is shown."""
    return {name: shown[name] for name in names if name in shown}


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
    """`count` ticks from tick `first` on, as one compiled loop: the state after, and all records.

    What depends on time alone is computed ahead of them.

    Signals that are one and the same value in the tick (a command without compensation is the demand) are
    recorded once and shown under each of their names: writing records is a third of a simple loop's time.
    """
    places: dict[str, int] = {}

    def advance(x, k):
        x, record = tick(test, x, k)
        distinct = {id(value): value for value in record.values()}
        order = {key: i for i, key in enumerate(distinct)}
        places.update({name: order[id(value)] for name, value in record.items()})
        return x, tuple(distinct.values())

    state, columns = scan(advance, state, first + jnp.arange(count))
    return state, {name: columns[place] for name, place in places.items()}


def simulate(test: Test) -> tuple[dict[str, Any], dict[str, jax.Array]]:
    """The whole rehearsal of a prepared test as one pure function: final state and records.

    For batches and derivatives: `eqx.filter_vmap(simulate)(tests)`, `eqx.filter_grad(...)`. The run is
    not cut where a limit was met; `state["watch"]` holds the code and the tick of the first breach. A member of a
    batch is equal to its single run to rounding, some 2e-15 of its size, not to the bit: it is computed beside others.
    """
    if test.rehearsal == "continuous":
        raise AnalysisError(
            'simulate: this test is rehearsed in continuous time, and a batch is sampled; say rehearsal = "sampled", '
            "or rehearse one test after another"
        )
    state, _ = start(test)
    return ticks(test, state, jnp.zeros((), dtype=int), test.tick_count, scan=jax.lax.scan)


compiled_start = eqx.filter_jit(start)
compiled_ticks = eqx.filter_jit(ticks)
compiled_simulate = eqx.filter_jit(simulate)
