"""Recorded values of the tunable parameters of a run: as profiles of a test, and the stretches of constant values."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.block import Time
from dovetail.core.recording import Recording
from dovetail.testing import paths
from dovetail.testing.schedule import Profile

if TYPE_CHECKING:
    from dovetail.testing.run import Run
    from dovetail.testing.test import Test

SIGNAL = "tunable_values"
MIN_SAMPLES = 3  # of a stretch; during a ramp each sample has other values


class RecordedValues(Profile):
    """Recorded values of a parameter, linear between the records."""

    times: jax.Array  # [s]
    values: jax.Array

    def __call__(self, t: Time) -> jax.Array:
        return jnp.interp(t, self.times, self.values)

    @property
    def constant_after(self) -> float:
        return float(self.times[-1])


@dataclasses.dataclass(frozen=True)
class Stretch:
    """Part of a run with constant values of all tunable parameters."""

    start: float  # [s]
    end: float  # [s]
    values: dict[str, float]  # by path

    def test(self, test: Test) -> Test:
        """Return a test with these values, none of them tunable."""
        return dataclasses.replace(paths.replace_all(test, self.values), tunable={})


def with_recorded_values(test: Test, data: Any) -> Test:
    """Return a test whose tunable parameters follow their values in a recording or dataset, if it has them."""
    if not (test.tunable and SIGNAL in data):
        return test
    times, values = np.asarray(data.time.values), np.asarray(data[SIGNAL].values)
    changes = np.any(np.diff(values, axis=0) != 0, axis=1)
    kept = np.concatenate([[True], changes]) | np.concatenate([changes, [True]])
    history = {
        path: RecordedValues(jnp.asarray(times[kept]), jnp.asarray(values[kept, i]))
        for i, path in enumerate(test.tunable)
    }
    return dataclasses.replace(test, schedule=test.schedule | history, tunable={})


def constant_stretches(run: Run) -> list[Stretch]:
    """Return the stretches of a run with constant values of the tunable parameters; empty if none was changed."""
    test: Any = run.test
    if test is None or not test.tunable or SIGNAL not in run.recording or not _is_changed(run.recording):
        return []
    times, values = run.recording.time.values, run.recording[SIGNAL].values
    ends = [*np.flatnonzero(np.any(np.diff(values, axis=0) != 0, axis=1)), len(times) - 1]
    starts = [0, *(end + 1 for end in ends[:-1])]
    return [
        Stretch(
            float(times[i]),
            float(times[j]),
            dict(zip(test.tunable, map(float, values[j]), strict=True)),
        )
        for i, j in zip(starts, ends, strict=True)
        if j - i + 1 >= MIN_SAMPLES
    ]


def _is_changed(data: Recording) -> bool:
    """Return whether the operator has changed a value."""
    return any(event["action"] == "set" for event in json.loads(data.attrs.get("operator_events", "[]")))
