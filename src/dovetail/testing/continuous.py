"""A coupled system over the time of a test, step by step, judged and recorded at its ticks.

Steps are equal parts of a tick. There are as many as its fastest lag asks for, and more where a contact turns out to
be too short for them.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import DormandPrince8, Method
from dovetail.core.errors import StepSizeError
from dovetail.core.linear import state_matrix
from dovetail.testing import contact_gain
from dovetail.testing.coupled import TRANSFERS, Coupled
from dovetail.testing.loop import MOTION, READ, SEEN, judged
from dovetail.testing.outcome import Outcome
from dovetail.testing.room import require_room
from dovetail.testing.run import Run, dataset, ended, find_trip
from dovetail.testing.steps import RESOLVED, fewest_steps
from dovetail.testing.supervisor import Watch

if TYPE_CHECKING:
    from dovetail.testing.test import Test


REFINEMENTS = 6  # times that steps are made shorter for a contact, by up to 64 each
FASTEST = (
    0.25  # most of a step times the fastest rate of a lag: its transient is then right to some 1e-4 by RK4
)


@dataclasses.dataclass(frozen=True)
class Accuracy:
    """How finely time is divided: a fixed-step method, and its steps inside a tick."""

    method: Method = dataclasses.field(default_factory=DormandPrince8)
    substeps: int = 2


@eqx.filter_jit
def integrate(coupled: Coupled, watch: Watch, method: Method, dt: float, substeps: int, ticks: int):
    """What the supervisor said, and the records at every tick from t = 0 on; not cut where a limit was met."""
    names: dict[str, int] = {}

    def advance(carry, k):
        (x, memory, seen, force) = carry
        # before tick 0 a step of no length, so that what is shown at the start is compiled only once
        t, h = jnp.maximum(k, 0) * dt, jnp.where(k < 0, 0.0, dt / substeps)

        def inner(carry, i):
            return method.advance(coupled, t + i * h, h, carry[0], None, carry[1]), None

        (x, memory), _ = jax.lax.scan(inner, (x, memory), jnp.arange(substeps))
        shown = coupled.output((k + 1) * dt, x, None)
        passed = jnp.where(k < 0, 0.0, dt)
        read = judged(shown, READ if watch.mode == "emulate" else SEEN)
        held = (force + shown["force"]) / 2  # power over the tick by the trapezoidal rule
        seen = watch.step((k + 1) * dt, passed, seen, judged(shown, MOTION), read, held)
        record = {**shown, "growth_rate": seen["growth"]}
        if "contact" in seen:
            record["contact_gain"] = contact_gain.gain(seen["contact"])
        # what is one and the same value is recorded once
        distinct = {id(value): value for value in record.values()}
        order = {key: i for i, key in enumerate(distinct)}
        names.update({name: order[id(value)] for name, value in record.items()})
        return (x, memory, seen, shown["force"]), tuple(distinct.values())

    x = coupled.init()
    seen = watch.blank(coupled.shape)
    if watch.mode != "emulate":
        first = jax.eval_shape(lambda: coupled.output(0.0, x, None))
        if contact_gain.shows_contact(first):
            seen["contact"] = contact_gain.init(jnp.zeros(coupled.shape))
    start = (x, method.init(coupled, x), seen, jnp.zeros(coupled.shape))
    (*_, seen, _), columns = jax.lax.scan(advance, start, jnp.arange(-1, ticks))
    return seen, {name: columns[place] for name, place in names.items()}


def in_continuous_time(
    test: Test, prepared: Test, coupled: Coupled, mode: str, accuracy: Accuracy | None
) -> Run:
    """The run of a coupled system at the ticks of the test, until it meets a limit."""
    require_room(test)
    seen, records = _resolved(test, coupled, Watch.of(prepared, mode), accuracy)
    outcome = Outcome.from_code(seen["code"])
    kept = int(seen["tick"]) + 1
    records = {name: values[:kept] for name, values in records.items()}
    about = {"mode": mode, "title": test.title, "seed": test.seed}
    data, outcome = ended(test, dataset(test, np.arange(kept) * test.dt, records, about), outcome)
    return Run(test, mode, data, outcome, find_trip(prepared, data, outcome))


def _resolved(
    test: Test, coupled: Coupled, watch: Watch, wanted: Accuracy | None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What the supervisor saw, and what was shown at every tick.

    Steps that a contact is too short for are made shorter, those asked for refused.
    """
    accuracy = wanted or _accuracy(test, coupled)
    for _ in range(REFINEMENTS):
        h = test.dt / accuracy.substeps
        seen, records = jax.tree.map(
            np.asarray,
            integrate(coupled, watch, accuracy.method, test.dt, accuracy.substeps, test.tick_count),
        )
        steps = float(fewest_steps(records["contact_time"], h)) if "contact_time" in records else math.inf
        if steps >= RESOLVED or not np.all(np.isfinite(records["displacement"])):
            return seen, records
        needed = math.ceil(accuracy.substeps * RESOLVED / max(steps, RESOLVED / 64))
        if wanted is not None:
            break
        accuracy = dataclasses.replace(accuracy, substeps=needed)
    raise StepSizeError(
        f"{watch.mode}: the shortest contact lasts {steps:.3g} steps of {h:.3g} s; it needs {RESOLVED} in "
        f"continuous time to resolve it. Do: take Accuracy(substeps={needed}) or more, a higher rate, or a softer "
        "contact."
    )


def _accuracy(test: Test, coupled: Coupled) -> Accuracy:
    """What the numerical substructure asks for, with steps that its fastest lag can be followed in."""
    accuracy = Accuracy(**getattr(test.numerical, "ideal", {}))
    fastest = 0.0
    for name in TRANSFERS:
        follower = getattr(coupled, name).follower()
        x = follower.init()
        if jax.tree.leaves(x):
            slopes = np.asarray(state_matrix(follower, x, (np.zeros(coupled.shape),)))
            fastest = max(fastest, float(np.max(np.abs(np.linalg.eigvals(slopes)))))
    return dataclasses.replace(
        accuracy, substeps=max(accuracy.substeps, math.ceil(test.dt * fastest / FASTEST))
    )
