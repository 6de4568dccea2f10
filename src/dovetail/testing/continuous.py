"""Integration of a coupled system over the duration of a test, monitored and recorded at its ticks.

Steps are equal parts of a tick. Their number follows from the fastest lag and is increased if a contact is too short
for them.
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
from dovetail.testing.hybrid_loop import MOTION, READ, SEEN, monitored_signals
from dovetail.testing.limit_monitor import LimitMonitor
from dovetail.testing.memory_estimate import require_memory
from dovetail.testing.outcome import Outcome
from dovetail.testing.recorder import Records, compute_chunks
from dovetail.testing.run import Progress, Run, as_run
from dovetail.testing.shared_programs import chunk_length
from dovetail.testing.step_checks import RESOLVING_STEPS, min_contact_steps

if TYPE_CHECKING:
    from dovetail.testing.runnable import Runnable


REFINEMENTS = 6  # largest number of refinements for a contact, each by a factor of up to 64
MAX_STEP_RATE = (
    0.25  # largest product of step and fastest rate of a lag: relative error of its transient 1e-4 with RK4
)


@dataclasses.dataclass(frozen=True)
class ReferenceSettings:
    """Settings of the reference solution: integration method and steps in a tick."""

    method: Method = dataclasses.field(default_factory=DormandPrince8)
    substeps: int = 2


@eqx.filter_jit
def integrate(coupled: Coupled, monitor: LimitMonitor, method: Method, dt: float, substeps: int, ticks: int):
    """Return monitor state and records at every tick from t = 0 on, not cut where a limit is reached."""
    start = _start(coupled, monitor, method)
    carry, records = _ticks(coupled, monitor, method, dt, substeps, start, jnp.arange(-1, ticks))
    return carry[2], records


@ready
def _advance_chunk(coupled, monitor, method, dt, substeps, carry, first, count):
    """Advance `count` ticks from tick `first`; return loop state and records. `first < 0` starts a run."""
    start = _start(coupled, monitor, method)
    carry = jax.tree.map(lambda new, old: jnp.where(first < 0, new, old), start, carry)
    carry, records = _ticks(coupled, monitor, method, dt, substeps, carry, first + jnp.arange(count))
    # strong types, so that the next chunk uses the same program
    return jax.tree.map(lambda value: jax.lax.convert_element_type(value, value.dtype), carry), records


def _start(
    coupled: Coupled, monitor: LimitMonitor, method: Method
) -> tuple[Any, Any, dict[str, Any], jax.Array]:
    """Return state, memory of the method, monitor state and force before the output at t = 0."""
    x = coupled.init()
    monitor_state = monitor.empty_state(coupled.shape)
    if monitor.mode != "reference":
        first = jax.eval_shape(lambda: coupled.output(0.0, x, None))
        if contact_energy_gain.has_contact_signals(first):
            monitor_state["contact"] = contact_energy_gain.init(jnp.zeros(coupled.shape))
    return x, method.init(coupled, x), monitor_state, jnp.zeros(coupled.shape)


def _ticks(coupled, monitor, method, dt, substeps, carry, numbers) -> tuple[Any, dict[str, jax.Array]]:
    """Advance the ticks with these numbers (-1: the record of t = 0); return loop state and records."""
    names: dict[str, int] = {}

    def advance(carry, k):
        (x, memory, monitor_state, force) = carry
        # a step of zero length before tick 0, so that the output is compiled only once
        t, h = jnp.maximum(k, 0) * dt, jnp.where(k < 0, 0.0, dt / substeps)

        def inner(carry, i):
            return method.advance(coupled, t + i * h, h, carry[0], None, carry[1]), None

        (x, memory), _ = jax.lax.scan(inner, (x, memory), jnp.arange(substeps))
        outputs = coupled.output((k + 1) * dt, x, None)
        elapsed = jnp.where(k < 0, 0.0, dt)
        reading = monitored_signals(outputs, READ if monitor.mode == "reference" else SEEN)
        mean_force = (force + outputs["feedback_force"]) / 2  # power over the tick by the trapezoidal rule
        monitor_state = monitor.step(
            (k + 1) * dt, elapsed, monitor_state, monitored_signals(outputs, MOTION), reading, mean_force
        )
        record = {**outputs, "growth_rate": monitor_state["growth"]}
        if "contact" in monitor_state:
            record["contact_energy_gain"] = contact_energy_gain.gain(monitor_state["contact"])
        # signals that are the same array are recorded once
        distinct = {id(value): value for value in record.values()}
        order = {key: i for i, key in enumerate(distinct)}
        names.update({name: order[id(value)] for name, value in record.items()})
        return (x, memory, monitor_state, outputs["feedback_force"]), tuple(distinct.values())

    carry, columns = jax.lax.scan(advance, carry, numbers)
    return carry, {name: columns[i] for name, i in names.items()}


def run_continuous(
    test: Runnable,
    prepared: Runnable,
    coupled: Coupled,
    mode: str,
    accuracy: ReferenceSettings | None,
    progress: Progress | None = None,
    keep: bool = False,
) -> Run:
    """Run a coupled system at the ticks of the test, until a limit is reached.

    The run is computed chunk by chunk, so that progress can be reported and an interrupt soon takes effect. An
    interrupt is raised; with `keep` the run up to the interrupt is returned.
    """
    require_memory(test)
    results = _resolve_contacts(
        test, coupled, LimitMonitor.for_test(prepared, mode), accuracy, progress, keep
    )
    about = {"mode": mode, "title": test.title, "seed": test.seed}
    return as_run(test, prepared, about, results[0].to_arrays(), *results)


def _compute_chunks(
    test: Runnable,
    coupled: Coupled,
    monitor: LimitMonitor,
    accuracy: ReferenceSettings,
    progress: Progress | None,
    keep: bool,
) -> tuple[Records, Any, Outcome]:
    """Return records, monitor state and outcome; one program is called chunk by chunk."""
    total, method, substeps = test.tick_count, accuracy.method, accuracy.substeps
    size = -(-(total + 1) // -(-total // chunk_length(total, 1000, 40)))  # including the record of t = 0
    begin = shapes(_start, coupled, monitor, method)
    carry = jax.tree.map(lambda of: np.zeros(of.shape, of.dtype), begin)
    records = Records(test.record_every, tick=-1)

    def advance(tick):
        nonlocal carry
        carry, chunk = _advance_chunk(coupled, monitor, method, test.dt, substeps, carry, tick, size)
        return chunk, carry[2]

    def report(tick):
        if progress:
            progress(tick / total, f"{tick * test.dt:.3g} s in continuous time")

    return records, *compute_chunks(records, total, size, advance, report, keep)


def _resolve_contacts(
    test: Runnable,
    coupled: Coupled,
    monitor: LimitMonitor,
    chosen: ReferenceSettings | None,
    progress: Progress | None,
    keep: bool,
) -> tuple[Records, Any, Outcome]:
    """Return records, monitor state and outcome, with steps that resolve each contact.

    Steps that are too long for a contact are refined; if the user chose the steps, this is an error.
    """
    accuracy = chosen or _default_settings(test, coupled)
    for _ in range(REFINEMENTS):
        h = test.dt / accuracy.substeps
        records, monitor_state, outcome = _compute_chunks(test, coupled, monitor, accuracy, progress, keep)
        contact = records.every_tick("contact_time")
        steps = math.inf if contact is None else float(min_contact_steps(contact, h))
        if steps >= RESOLVING_STEPS or outcome is Outcome.NOT_FINITE:
            return records, monitor_state, outcome
        substeps = math.ceil(accuracy.substeps * RESOLVING_STEPS / max(steps, RESOLVING_STEPS / 64))
        if chosen is not None:
            break
        accuracy = dataclasses.replace(accuracy, substeps=substeps)
    raise StepSizeError(
        f"{monitor.mode}: the shortest contact lasts {steps:.3g} steps of {h:.3g} s; {RESOLVING_STEPS} steps are "
        f"needed to resolve it. Use ReferenceSettings(substeps={substeps}) or more, a higher rate, or a softer contact."
    )


def _default_settings(test: Runnable, coupled: Coupled) -> ReferenceSettings:
    """Return the settings of the numerical substructure, with steps that resolve the fastest lag."""
    accuracy = ReferenceSettings(**test.numerical.reference_settings)
    fastest = 0.0
    for name in TRANSFERS:
        model = getattr(coupled, name).continuous_model()
        x = model.init()
        if jax.tree.leaves(x):
            slopes = np.asarray(state_matrix(model, x, (np.zeros(coupled.shape),)))
            fastest = max(fastest, float(np.max(np.abs(np.linalg.eigvals(slopes)))))
    return dataclasses.replace(
        accuracy, substeps=max(accuracy.substeps, math.ceil(test.dt * fastest / MAX_STEP_RATE))
    )
