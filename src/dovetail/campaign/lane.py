"""One run in a batch: its records in each mode and which samples count. Pure functions, for batched compilation."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core.monitor import MonitorState
from dovetail.testing import Outcome, Reference, Test, simulate


def simulate_lane(prepared: Test) -> tuple[dict[str, jax.Array], jax.Array, jax.Array]:
    """Return the records with a mask of valid samples, the outcome code, and the last tick."""
    state, records = simulate(prepared)
    return _with_valid_mask(state.monitor, records, prepared.tick_count)


def _with_valid_mask(
    monitor: MonitorState, records: dict[str, jax.Array], ticks: int
) -> tuple[Any, jax.Array, jax.Array]:
    """Return the records with a mask of the samples before the monitor stopped, the outcome code, and the last tick."""
    lost = monitor.code == Outcome.NOT_FINITE.code
    valid = jnp.arange(1, ticks + 1) <= monitor.sample - lost
    return {**records, "valid": valid}, monitor.code, monitor.sample


def reference_lane(test: Any) -> dict[str, jax.Array]:
    """Return the records of the reference solution at all ticks but the first."""
    state, records = simulate(test, Reference())
    return _with_valid_mask(state.monitor, records, test.tick_count)[0]
