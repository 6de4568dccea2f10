"""Simulation steps of a pseudo-dynamic test between two measurements, as one compiled loop.

While the contact gate is closed, the simulation uses the free step and zero force. While it is open and the pose has
changed by no more than the repeatability of the robot, it uses the contact step and the last force.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike
from jaxtyping import Array, Bool, Float

from dovetail.core.executable_store import ready
from dovetail.core.programs import jit_unoptimised
from dovetail.testing import schedule
from dovetail.testing.hybrid_loop import MOTION, Driven, monitored_signals
from dovetail.testing.limit_monitor import LimitMonitor
from dovetail.testing.step_checks import initial_state

if TYPE_CHECKING:
    from dovetail.testing.test import Test

EPSILON = 1e-9  # tolerance of the end time, as a fraction of a step


def start(test: Test) -> dict[str, Any]:
    """Return state and motion of the simulation at t = 0."""
    return _initial_state(test, initial_state(Driven(test.numerical, test.excitation)))


@jit_unoptimised
def _initial_state(test: Test, x: Any) -> dict[str, Any]:
    """Return the simulation at t = 0, in its initial state or in state x."""
    driven = Driven(test.numerical, test.excitation)
    x = driven.init() if x is None else x
    shape = jax.eval_shape(lambda: driven.output(0.0, x, jnp.zeros(())))["displacement"].shape
    force = jnp.zeros(shape)
    motion = driven.output(0.0, x, force)
    monitor, zero = LimitMonitor.for_test(test, "pseudodynamic"), jnp.zeros(())
    # arrays also for an excitation that does not depend on time
    return {
        "t": zero,
        "h": zero,
        "monitor": monitor.check_demand(
            zero, zero, monitor.empty_state(shape), monitored_signals(motion, MOTION)
        ),
        "x": x,
        "memory": test.method.init(driven, x),
        "motion": jax.tree.map(jnp.asarray, motion),
        "excitation": jnp.asarray(test.excitation(jnp.zeros(()))),
    }


def needs_force(test: Test, motion: dict[str, jax.Array], last: Float[Array, "*axes"]) -> Bool[Array, ""]:
    """Return whether the robot must move: the gate is open and the move exceeds the repeatability."""
    settings = test.pseudodynamic
    assert settings is not None
    return settings.gate.is_open(motion) & settings.exceeds_repeatability(motion["displacement"], last)


def advance(
    test: Test,
    state: dict[str, Any],
    reading: dict[str, Any],
    fresh: ArrayLike,
    last: Any,
    size: int,
) -> tuple[dict[str, Any], jax.Array, jax.Array, dict[str, jax.Array]]:
    """Advance until a force is needed, the test ends, or `size` rows are recorded.

    A `fresh` reading, taken at this state, is checked first; if it reaches a limit, no step is made. Returns the state,
    whether it needs a force, the number of rows, and the rows: motion, excitation, time and gate after each step.
    """
    settings = test.pseudodynamic
    assert settings is not None
    monitor, force = LimitMonitor.for_test(test, "pseudodynamic"), reading["measured_force"]
    checked = check_reading(monitor, state, reading)
    state = {**state, "monitor": jax.tree.map(lambda a, b: jnp.where(fresh, a, b), checked, state["monitor"])}
    blank = jax.eval_shape(lambda: _row(test, state))
    rows = jax.tree.map(lambda leaf: jnp.zeros((size, *leaf.shape), leaf.dtype), blank)

    def not_finished(carry):
        i, _, state, needed, _ = carry
        at_end = state["t"] >= test.duration - EPSILON * settings.contact_step
        return (i < size) & ~at_end & ~needed & (state["monitor"]["code"] == 0)

    def one_step(carry):
        i, k, state, _, rows = carry
        was_open = settings.gate.is_open(state["motion"])
        state = _advance_step(test, state, force)
        needed = needs_force(test, state["motion"], last)
        with_demand = check_demand(monitor, state)
        # without a move the force is unchanged, or zero while the gate is closed; the cell does not move, so its
        # reading is not expected to change
        reading = {"measured_force": jnp.where(settings.gate.is_open(state["motion"]), force, 0.0)}
        with_reading = monitor.check_measurement(
            state["h"], with_demand, state["motion"], reading, fresh=False
        )
        checked = jax.tree.map(lambda a, b: jnp.where(needed, a, b), with_demand, with_reading)
        state = {**state, "monitor": checked}
        # of the free steps only some are recorded; those next to contact and the last one always
        new = _row(test, state)
        record = was_open | new["gate"] | ((k + 1) % every == 0) | (state["t"] >= test.duration)
        record |= state["monitor"]["code"] > 0
        rows = jax.tree.map(lambda all, value: all.at[i].set(jnp.where(record, value, all[i])), rows, new)
        return i + record, k + 1, state, needed, rows

    every, zero = jnp.asarray(settings.free_record_every), jnp.zeros((), dtype=int)
    i, _, state, needed, rows = jax.lax.while_loop(
        not_finished, one_step, (zero, zero, state, jnp.array(False), rows)
    )
    return state, needed, i, rows


def _advance_step(test: Test, state: dict[str, Any], force: Float[Array, "*axes"]) -> dict[str, Any]:
    """Advance one step: a contact step with the force if the gate is open, else a free step without force."""
    settings, t = test.pseudodynamic, state["t"]
    assert settings is not None
    gate = settings.gate.is_open(state["motion"])
    h = jnp.where(gate, settings.contact_step, settings.free_step)
    h = jnp.minimum(h, test.duration - t)
    held_force = jnp.where(gate, force, 0.0)
    now = schedule.apply(test.schedule, test, t + h) if test.schedule else test
    driven = Driven(now.numerical, now.excitation)
    x, memory = test.method.advance(driven, t, h, state["x"], held_force, state["memory"])
    return {
        **state,
        "t": t + h,
        "h": h,
        "x": x,
        "memory": memory,
        "motion": driven.output(t + h, x, held_force),
        "excitation": now.excitation(t + h),
    }


def _row(test: Test, state: dict[str, Any]) -> dict[str, jax.Array]:
    """Return the record of a state."""
    return {
        "t": state["t"],
        "gate": gate_is_open(test, state["motion"]),
        "excitation": state["excitation"],
        **state["motion"],
    }


def check_demand(monitor: LimitMonitor, state: dict[str, Any]) -> dict[str, Any]:
    """Return the monitor state after a check of the demand."""
    return monitor.check_demand(
        state["t"], state["h"], state["monitor"], monitored_signals(state["motion"], MOTION)
    )


def check_reading(monitor: LimitMonitor, state: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    """Return the monitor state after a check of the measurement at this step."""
    return monitor.check_measurement(state["h"], state["monitor"], state["motion"], reading)


def gate_is_open(test: Test, motion: dict[str, jax.Array]) -> Bool[Array, ""]:
    """Return whether the contact gate is open for a motion."""
    assert test.pseudodynamic is not None
    return test.pseudodynamic.gate.is_open(motion)


compiled_advance = jit_unoptimised(advance)
compiled_gate = ready(gate_is_open)
compiled_demand = ready(check_demand)
compiled_reading = ready(check_reading)
