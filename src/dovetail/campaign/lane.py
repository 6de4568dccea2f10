"""One run in a batch: its records in every mode, and what of them counts. Pure, to be compiled for many at once."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.testing import Outcome, Runnable, Test
from dovetail.testing.continuous import Accuracy, integrate
from dovetail.testing.coupled import ideal_system
from dovetail.testing.limit_monitor import Watch
from dovetail.testing.step_checks import RESOLVED, fewest_steps


def simulated(prepared: Runnable) -> tuple[dict[str, jax.Array], jax.Array, jax.Array]:
    """Records with what of them counts, code of the outcome, and the tick of the end."""
    state, records = prepared.whole()
    return _cut(state["watch"], records, prepared.tick_count)


def _cut(
    seen: dict[str, jax.Array], records: dict[str, jax.Array], ticks: int
) -> tuple[Any, jax.Array, jax.Array]:
    """Records with what of them counts after the supervisor's word, the code of that, and the tick of the end."""
    code = seen["code"]
    last = jnp.where(code > 0, seen["tick"], ticks)
    lost = code == Outcome.NOT_FINITE.code
    return {**records, "kept": jnp.arange(1, ticks + 1) <= last - lost}, code, last


def emulated(test: Test) -> dict[str, jax.Array]:
    """Records of the ideal at the ticks after the first."""
    accuracy = Accuracy(**test.numerical.ideal)
    coupled = ideal_system(test, test.rig.modelled().specimen)
    watch = Watch.of(test, "emulate")
    seen, records = integrate(coupled, watch, accuracy.method, test.dt, accuracy.substeps, test.tick_count)
    if "contact_time" in records:  # an ideal that does not resolve its contacts is none
        steps = fewest_steps(records["contact_time"], test.dt / accuracy.substeps)
        records = {name: jnp.where(steps < RESOLVED, jnp.nan, values) for name, values in records.items()}
    shown = {name: values[1:] for name, values in records.items()}
    return _cut(seen, shown, test.tick_count)[0]
