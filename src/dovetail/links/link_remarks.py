"""Remarks on a real-time run: stalls, energy added by the link, and a force that contradicts the specimen model."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.block import respond
from dovetail.core.errors import DovetailError
from dovetail.core.recording import Recording
from dovetail.links.rig_protocol import RigState, SafeStateReason
from dovetail.links.tick import Counts
from dovetail.testing import Rig, Test
from dovetail.transfer import Series

MODEL_WINDOW = 1.0  # [s] shortest time of a contradiction
MODEL_GAIN = (0.5, 2.0)  # force as a multiple of the force of the specimen model, without a remark
MIN_MODEL_FORCE = 0.1  # as a fraction of its rms over the run; below it a window is not compared


def remarks(test: Test, data: Recording, tick: Any) -> Iterator[str]:
    """Yield the remarks on a recorded run; `tick` is its tick after the last exchange."""
    if tick.rig_flags:
        state = "safe" if tick.rig_state == RigState.SAFE else RigState(tick.rig_state).name.lower()
        reasons = [
            flag.name.lower().replace("_", " ") for flag in SafeStateReason(tick.rig_flags) if flag.name
        ]
        yield f"the rig reported: {state} ({', '.join(reasons)})"
    counts: Counts = tick.counts()
    if counts.overruns:
        yield (
            f"{counts.overruns} commands were late, at most by {1e3 * counts.max_lateness * 1e-9:.3g} ms; "
            "the readings stood still for that time"
        )
    if counts.max_age and test.record_every == 1:
        yield f"oldest reading {counts.max_age} ticks; the link added {link_energy(data):.3g} J to the simulation"
    if gain := contradiction(test, data):
        yield (
            f"measured force {gain[1]:.2g} times the force of the specimen model from {gain[0]:.4g} s on, "
            f"for {MODEL_WINDOW:g} s or longer; check sign, gain and force sensor"
        )


def link_energy(data: Recording) -> float:
    """Return the energy [J] that the age of the readings added to the simulation.

    A reading of age n answers the command of n ticks ago. Its difference to the force at the time of the command,
    interpolated between the readings, multiplied by the velocity, is the power that the link adds.
    """
    ticks = np.arange(data.sizes["time"])
    answered, first = np.unique(ticks - data["measurement_age"].values.astype(int), return_index=True)
    shape = (len(ticks), -1)
    force, velocity = (data[name].values.reshape(shape) for name in ("measured_force", "velocity"))
    prompt = np.stack([np.interp(ticks, answered, axis[first]) for axis in force.T], axis=1)
    dt = float(data.time.values[1] - data.time.values[0]) if len(ticks) > 1 else 0.0
    return float(np.sum((force - prompt) * velocity) * dt)


def contradiction(test: Test, data: Recording) -> tuple[float, float] | None:
    """Return time [s] and gain of the first window in which the force contradicts the specimen model; None if none.

    The model is moved along the measured displacement. The gain is the regression of the measured force on that of the
    model.
    """
    count = round(MODEL_WINDOW * test.rate)
    windows = (data.sizes["time"] - 1) // count
    if test.record_every > 1 or not windows or not isinstance(test.rig, Rig):
        return None
    try:
        model = _model_force(test, data["measured_displacement"].values)
    except DovetailError:  # a specimen that cannot be moved along a recording
        return None
    rows = (windows, count, -1)
    model, force = (
        values[1 : windows * count + 1].reshape(rows) for values in (model, data["measured_force"].values)
    )
    square = np.sum(model**2, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        gain = np.sum(force * model, axis=1) / square
    compared = square > MIN_MODEL_FORCE**2 * np.mean(square)
    wrong = np.argwhere(compared & np.isfinite(gain) & ~((gain > MODEL_GAIN[0]) & (gain < MODEL_GAIN[1])))
    return (float(wrong[0][0] * MODEL_WINDOW), float(gain[tuple(wrong[0])])) if len(wrong) else None


def _model_force(test: Test, displacement: np.ndarray) -> np.ndarray:
    """Return the measured force [N] of the simulated rig without actuator, moved along a displacement [m]."""
    simulated: Any = test.rig
    rig = dataclasses.replace(simulated, actuator=Series(()), position_sensor=Series(()))
    rig = rig.with_sample_time(test.dt, test.shape)
    readings = jax.jit(lambda u: respond(rig, test.dt, u))(jnp.asarray(displacement))
    return np.asarray(readings["measured_force"])
