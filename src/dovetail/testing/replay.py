"""Replay: the test against a recording of its rig, for regression, debugging and post-processing."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ParameterError
from dovetail.testing.limit_monitor import with_stale
from dovetail.testing.rehearse import recorded
from dovetail.testing.rig import AbstractRig, Reading
from dovetail.testing.run import Run
from dovetail.testing.schedule import Profile

if TYPE_CHECKING:
    import xarray as xr

    from dovetail.testing.test import Test


class RecordedRig(AbstractRig):
    """A rig that shows what it was recorded to show, whatever it is commanded."""

    readings: dict[str, jax.Array]  # each (ticks + 1, *shape), from t = 0 on

    def init(self):
        return jnp.zeros((), dtype=int)

    def first_reading(self, x) -> Reading:
        return {name: values[0] for name, values in self.readings.items()}

    def step(self, t, dt, x, u):
        x = x + 1
        return x, {name: values[x] for name, values in self.readings.items()}


class DialHistory(Profile):
    """What a dial stood at in every tick."""

    dt: float  # [s]
    values: jax.Array  # (ticks + 1,)

    def __call__(self, t):
        return self.values[jnp.clip(jnp.round(t / self.dt).astype(int), 0, len(self.values) - 1)]


READINGS = ("achieved_displacement", "measured_displacement", "specimen_force", "measured_force")


def replay(test: Test, recording: Run | xr.Dataset) -> Run:
    """Run the test with the readings of a recording in place of its rig.

    The numerical substructure, compensator, feedback and limits are those of `test`: unchanged they
    repeat the recorded run to rounding, changed they show what they would have done with the same readings.
    """
    data: Any = recording.data if isinstance(recording, Run) else recording
    missing = [name for name in ("measured_displacement", "measured_force") if name not in data]
    if missing:
        raise ParameterError(f"replay: the recording lacks {', '.join(missing)}; it has {', '.join(data)}")
    times = np.asarray(data.time)
    step = float(np.diff(times).mean()) if len(times) > 1 else np.nan
    if not np.allclose(np.diff(times), test.dt, rtol=1e-6):
        raise ParameterError(
            f"replay: the recording is sampled every {step:g} s, the test ticks every {test.dt:g} s; "
            "record every tick (record_every = 1), resample the recording or set the test's rate"
        )
    readings = {name: jnp.asarray(data[name].values) for name in READINGS if name in data}
    length = min(test.duration, (len(times) - 1) * test.dt)
    turned = test.schedule
    if "dials" in data and test.dials:
        values = jnp.asarray(data["dials"].values)
        turned = turned | {path: DialHistory(test.dt, values[:, i]) for i, path in enumerate(test.dials)}
    shortened = dataclasses.replace(
        with_stale(test.checked(), "replay"),
        rig=RecordedRig(readings),
        duration=length,
        schedule=turned,
        dials={},
    )
    return recorded(test, shortened.sized(), "replay")
