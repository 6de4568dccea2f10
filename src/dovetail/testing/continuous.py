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
from dovetail.core.executable_store import ready
from dovetail.core.linear import state_matrix
from dovetail.core.shapes import shapes
from dovetail.testing import contact_energy_gain
from dovetail.testing.coupled import TRANSFERS, Coupled
from dovetail.testing.hybrid_loop import MOTION, READ, SEEN, judged
from dovetail.testing.limit_monitor import Watch
from dovetail.testing.memory_estimate import require_room
from dovetail.testing.outcome import Outcome
from dovetail.testing.recorder import Records, in_pieces
from dovetail.testing.run import Progress, Run, as_run
from dovetail.testing.shared_programs import piece_length
from dovetail.testing.step_checks import RESOLVED, fewest_steps

if TYPE_CHECKING:
    from dovetail.testing.runnable import Runnable


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
    start = _start(coupled, watch, method)
    carry, records = _ticks(coupled, watch, method, dt, substeps, start, jnp.arange(-1, ticks))
    return carry[2], records


@ready
def _piece(coupled, watch, method, dt, substeps, carry, first, count):
    """`count` ticks from tick `first` on: what is carried on, and the records. What begins begins by itself."""
    start = _start(coupled, watch, method)
    carry = jax.tree.map(lambda new, old: jnp.where(first < 0, new, old), start, carry)
    carry, records = _ticks(coupled, watch, method, dt, substeps, carry, first + jnp.arange(count))
    # of the types that it was given, not of weak ones: the next piece is computed by the same program
    return jax.tree.map(lambda value: jax.lax.convert_element_type(value, value.dtype), carry), records


def _start(coupled: Coupled, watch: Watch, method: Method) -> tuple[Any, Any, dict[str, Any], jax.Array]:
    """State, memory of the method, what the supervisor has seen, and the force, before t = 0 is shown."""
    x = coupled.init()
    seen = watch.blank(coupled.shape)
    if watch.mode != "emulate":
        first = jax.eval_shape(lambda: coupled.output(0.0, x, None))
        if contact_energy_gain.shows_contact(first):
            seen["contact"] = contact_energy_gain.init(jnp.zeros(coupled.shape))
    return x, method.init(coupled, x), seen, jnp.zeros(coupled.shape)


def _ticks(coupled, watch, method, dt, substeps, carry, numbers) -> tuple[Any, dict[str, jax.Array]]:
    """The ticks of these numbers, of which -1 is the record of t = 0: what is carried on, and the records."""
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
            record["contact_gain"] = contact_energy_gain.gain(seen["contact"])
        # what is one and the same value is recorded once
        distinct = {id(value): value for value in record.values()}
        order = {key: i for i, key in enumerate(distinct)}
        names.update({name: order[id(value)] for name, value in record.items()})
        return (x, memory, seen, shown["force"]), tuple(distinct.values())

    carry, columns = jax.lax.scan(advance, carry, numbers)
    return carry, {name: columns[place] for name, place in names.items()}


def in_continuous_time(
    test: Runnable,
    prepared: Runnable,
    coupled: Coupled,
    mode: str,
    accuracy: Accuracy | None,
    progress: Progress | None = None,
    keep: bool = False,
) -> Run:
    """The run of a coupled system at the ticks of the test, until it meets a limit.

    It is computed piece by piece, so that progress can be told and an interrupt has not long to wait. That is passed
    on; with `keep` what was computed until then is the run.
    """
    require_room(test)
    found = _resolved(test, coupled, Watch.of(prepared, mode), accuracy, progress, keep)
    about = {"mode": mode, "title": test.title, "seed": test.seed}
    return as_run(test, prepared, about, found[0].joined(), *found)


def _in_pieces(
    test: Runnable, coupled: Coupled, watch: Watch, accuracy: Accuracy, progress: Progress | None, keep: bool
) -> tuple[Records, Any, Outcome]:
    """What was recorded, what the supervisor saw, and how it ended: one program, called for a piece at a time."""
    total, method, substeps = test.tick_count, accuracy.method, accuracy.substeps
    size = -(-(total + 1) // -(-total // piece_length(total, 1000, 40)))  # with that of t = 0
    begin = shapes(_start, coupled, watch, method)
    carry = jax.tree.map(lambda of: np.zeros(of.shape, of.dtype), begin)
    records = Records(test.record_every, tick=-1)

    def advance(tick):
        nonlocal carry
        carry, piece = _piece(coupled, watch, method, test.dt, substeps, carry, tick, size)
        return piece, carry[2]

    def told(tick):
        if progress:
            progress(tick / total, f"{tick * test.dt:.3g} s in continuous time")

    return records, *in_pieces(records, total, size, advance, told, keep)


def _resolved(
    test: Runnable,
    coupled: Coupled,
    watch: Watch,
    wanted: Accuracy | None,
    progress: Progress | None,
    keep: bool,
) -> tuple[Records, Any, Outcome]:
    """What was recorded, what the supervisor saw, and how it ended.

    Steps that a contact is too short for are made shorter, those asked for refused.
    """
    accuracy = wanted or _accuracy(test, coupled)
    for _ in range(REFINEMENTS):
        h = test.dt / accuracy.substeps
        records, seen, outcome = _in_pieces(test, coupled, watch, accuracy, progress, keep)
        contact = records.every_tick("contact_time")
        steps = math.inf if contact is None else float(fewest_steps(contact, h))
        if steps >= RESOLVED or outcome is Outcome.NOT_FINITE:
            return records, seen, outcome
        needed = math.ceil(accuracy.substeps * RESOLVED / max(steps, RESOLVED / 64))
        if wanted is not None:
            break
        accuracy = dataclasses.replace(accuracy, substeps=needed)
    raise StepSizeError(
        f"{watch.mode}: the shortest contact lasts {steps:.3g} steps of {h:.3g} s; it needs {RESOLVED} in "
        f"continuous time to resolve it. Do: take Accuracy(substeps={needed}) or more, a higher rate, or a softer "
        "contact."
    )


def _accuracy(test: Runnable, coupled: Coupled) -> Accuracy:
    """What the numerical substructure asks for, with steps that its fastest lag can be followed in."""
    accuracy = Accuracy(**test.numerical.ideal)
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
