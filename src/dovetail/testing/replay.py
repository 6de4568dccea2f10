"""Replay: run a test with recorded measurements, for regression tests, debugging and post-processing."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Input, Output, State, Time
from dovetail.core.errors import ParameterError
from dovetail.core.signals import READING
from dovetail.core.system import System
from dovetail.testing.hybrid_loop import HybridLoop
from dovetail.testing.limits import with_frozen_sensor_limit
from dovetail.testing.modes import Mode
from dovetail.testing.rig import AbstractRig, Reading
from dovetail.testing.run import Run
from dovetail.testing.tunable_history import with_recorded_values


class RecordedRig(AbstractRig):
    """Rig that returns recorded measurements, independent of the command."""

    readings: dict[str, jax.Array]  # each (ticks + 1, *shape), from t = 0 on

    def init(self) -> State:
        return jnp.zeros((), dtype=int)

    def first_reading(self, x: Any) -> Reading:
        return {name: values[0] for name, values in self.readings.items()}

    def step(self, t: Time, dt: Time, x: State, u: Input) -> tuple[State, Output]:
        x = x + 1
        return x, {name: values[x] for name, values in self.readings.items()}


READINGS = ("achieved_displacement", "measured_displacement", "specimen_force", "measured_force")


class Replay(Mode):
    """Test with the measurements of a recording in place of its rig.

    Numerical substructure, compensator, feedback and limits are those of the test. Unchanged, they repeat the recorded
    run to rounding; changed, they show the response to the same measurements.
    """

    name: ClassVar[str] = "replay"
    method: ClassVar[str] = "replay"
    needs: ClassVar[tuple[str, ...]] = ("recording",)
    about: ClassVar[str] = "Replay: recorded measurements in place of the rig."
    title: ClassVar[str] = "Replay"
    task: ClassVar[str] = "replaying"
    rig_responds: ClassVar[bool] = False

    recording: Any = None  # a `Run`, a `Recording` or a dataset

    def prepare(self, test: Any) -> Any:
        """Return the prepared test with a recorded rig, as long as the recording."""
        data = self.recording.recording if isinstance(self.recording, Run) else self.recording
        missing = [name for name in READING if name not in data]
        if missing:
            raise ParameterError(
                f"replay: the recording has no {', '.join(missing)}; its signals: {', '.join(map(str, data))}"
            )
        times = np.asarray(data.time.values)
        step = float(np.diff(times).mean()) if len(times) > 1 else np.nan
        if not np.allclose(np.diff(times), test.dt, rtol=1e-6):
            raise ParameterError(
                f"replay: the sample time of the recording is {step:g} s, the tick of the test {test.dt:g} s; "
                "record every tick (record_every = 1), resample the recording, or set the rate of the test"
            )
        readings = {name: jnp.asarray(data[name].values) for name in READINGS if name in data}
        recorded = dataclasses.replace(
            with_recorded_values(with_frozen_sensor_limit(test.validate(), self), data),
            rig=RecordedRig(readings),
            duration=min(test.duration, (len(times) - 1) * test.dt),
            tunable={},
        )
        return recorded.with_shapes()

    def system(self, test: Any) -> System:
        return HybridLoop.from_test(test)
