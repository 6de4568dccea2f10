"""The simulation's side of a creep test: steps that need no new force, as one compiled loop.

From one measurement to the next the simulation is on its own: with zero force and the free step while contact is
far, with the last force and the contact step while it is near but the pose has not changed by more than the
robot could repeat. All of that is one call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike
from jaxtyping import Array, Bool, Float

from dovetail.core.executable_store import ready
from dovetail.core.programs import once
from dovetail.testing import schedule
from dovetail.testing.hybrid_loop import MOTION, Driven, judged
from dovetail.testing.limit_monitor import Watch
from dovetail.testing.step_checks import begun

if TYPE_CHECKING:
    from dovetail.testing.test import Test

EPSILON = 1e-9  # of a step: how near to the end of the test counts as there


def start(test: Test) -> dict[str, Any]:
    """The simulation at t = 0, with the motion it shows there."""
    return _shown(test, begun(Driven(test.numerical, test.excitation)))


@once
def _shown(test: Test, x: Any) -> dict[str, Any]:
    """The simulation at its start, or in a state, at t = 0."""
    driven = Driven(test.numerical, test.excitation)
    x = driven.init() if x is None else x
    shape = jax.eval_shape(lambda: driven.output(0.0, x, jnp.zeros(())))["displacement"].shape
    force = jnp.zeros(shape)
    motion = driven.output(0.0, x, force)
    watch, zero = Watch.of(test, "creep"), jnp.zeros(())
    # an excitation may be the same at every t, and then has no time in it
    return {
        "t": zero,
        "h": zero,
        "watch": watch.demand(zero, zero, watch.blank(shape), judged(motion, MOTION)),
        "x": x,
        "memory": test.method.init(driven, x),
        "motion": jax.tree.map(jnp.asarray, motion),
        "excitation": jnp.asarray(test.excitation(jnp.zeros(()))),
    }


def needs_force(test: Test, motion: dict[str, jax.Array], last: Float[Array, "*axes"]) -> Bool[Array, ""]:
    """True where the robot has to move: contact is near, and the move is worth making."""
    assert test.stepping is not None
    return test.stepping.gate.near(motion) & test.stepping.worth_a_move(motion["displacement"], last)


def advance(
    test: Test,
    state: dict[str, Any],
    reading: dict[str, Any],
    fresh: ArrayLike,
    last: Any,
    size: int,
) -> tuple[dict[str, Any], jax.Array, jax.Array, dict[str, jax.Array]]:
    """Step until a force is needed, the test ends, or `size` rows are recorded.

    The last reading is judged first where it is `fresh`, taken at this state; one that trips lets nothing advance.
    Returns the state, whether it needs a force now, the number of rows, and the rows: motion, excitation, time
    and nearness after each step.
    """
    creep = test.stepping
    assert creep is not None
    watch, force = Watch.of(test, "creep"), reading["measured_force"]
    read = judged_reading(watch, state, reading)
    state = {**state, "watch": jax.tree.map(lambda a, b: jnp.where(fresh, a, b), read, state["watch"])}
    blank = jax.eval_shape(lambda: _row(test, state))
    rows = jax.tree.map(lambda leaf: jnp.zeros((size, *leaf.shape), leaf.dtype), blank)

    def going(carry):
        i, _, state, asks, _ = carry
        over = state["t"] >= test.duration - EPSILON * creep.contact_step
        return (i < size) & ~over & ~asks & (state["watch"]["code"] == 0)

    def one(carry):
        i, k, state, _, rows = carry
        before = creep.gate.near(state["motion"])
        state = _stepped(test, state, force)
        asks = needs_force(test, state["motion"], last)
        seen = judged_demand(watch, state)
        # where the cell is not asked the force is what it was, or zero while contact is far; a cell that is not sent
        # does not stray, and its reading is not expected to change
        kept = {"measured_force": jnp.where(creep.gate.near(state["motion"]), force, 0.0)}
        unasked = watch.reading(state["h"], seen, state["motion"], kept, fresh=False)
        state = {**state, "watch": jax.tree.map(lambda a, b: jnp.where(asks, a, b), seen, unasked)}
        # a free step is thinned out; what follows or precedes contact, and the end, are kept
        new = _row(test, state)
        keep = before | new["near"] | ((k + 1) % every == 0) | (state["t"] >= test.duration)
        keep |= state["watch"]["code"] > 0
        rows = jax.tree.map(lambda all, value: all.at[i].set(jnp.where(keep, value, all[i])), rows, new)
        return i + keep, k + 1, state, asks, rows

    every, zero = jnp.asarray(creep.keep_every), jnp.zeros((), dtype=int)
    i, _, state, asks, rows = jax.lax.while_loop(going, one, (zero, zero, state, jnp.array(False), rows))
    return state, asks, i, rows


def _stepped(test: Test, state: dict[str, Any], force: Float[Array, "*axes"]) -> dict[str, Any]:
    """A step: short with the force where contact is near, else long without it."""
    creep, t = test.stepping, state["t"]
    assert creep is not None
    near = creep.gate.near(state["motion"])
    h = jnp.where(near, creep.contact_step, creep.free_step)
    h = jnp.minimum(h, test.duration - t)
    held = jnp.where(near, force, 0.0)
    now = schedule.apply(test.schedule, test, t + h) if test.schedule else test
    driven = Driven(now.numerical, now.excitation)
    x, memory = test.method.advance(driven, t, h, state["x"], held, state["memory"])
    return {
        **state,
        "t": t + h,
        "h": h,
        "x": x,
        "memory": memory,
        "motion": driven.output(t + h, x, held),
        "excitation": now.excitation(t + h),
    }


def _row(test: Test, state: dict[str, Any]) -> dict[str, jax.Array]:
    """What is recorded of a state."""
    assert test.stepping is not None
    near = test.stepping.gate.near(state["motion"])
    return {"t": state["t"], "near": near, "excitation": state["excitation"], **state["motion"]}


def judged_demand(watch: Watch, state: dict[str, Any]) -> dict[str, Any]:
    """What the supervisor has seen, with the demand of a state."""
    return watch.demand(state["t"], state["h"], state["watch"], judged(state["motion"], MOTION))


def judged_reading(watch: Watch, state: dict[str, Any], reading: dict[str, Any]) -> dict[str, Any]:
    """The same, with the reading that was taken there."""
    return watch.reading(state["h"], state["watch"], state["motion"], reading)


def near(test: Test, motion: dict[str, jax.Array]) -> Bool[Array, ""]:
    """Whether contact is near in a motion."""
    assert test.stepping is not None
    return test.stepping.gate.near(motion)


compiled_advance = once(advance)
compiled_near = ready(near)
compiled_demand = ready(judged_demand)
compiled_reading = ready(judged_reading)
