"""Largest motion, force and tension over all ticks, also those that are not recorded."""

from __future__ import annotations

import numpy as np

from dovetail.core.quantities import QUANTITIES
from dovetail.core.recording import Recording
from dovetail.fidelity.traces import Recorded, recording

STATED = ("displacement", "measured_force", "tension")  # signals whose largest value is a quantity
DIRECTIONS = {"x", "y", "z"}  # axes that form one vector


def largest(run: Recorded, name: str) -> float:
    """Return the largest magnitude of a signal in its unit; NaN if it was not recorded.

    Rotations and moments are left out. Axes x, y and z form a vector, whose length counts; on other axes, such as two
    actuators, the largest value of one axis counts.
    """
    data = recording(run)
    if name not in data or not data[name].size:
        return np.nan
    magnitudes, over_all = _magnitudes(data, name)
    return float(max(np.nanmax(magnitudes, initial=0.0), np.max(over_all, initial=0.0)))


def peak_sample(run: Recorded, name: str) -> int | None:
    """Return the index of the recorded sample with the largest magnitude; None if the signal was not recorded."""
    data = recording(run)
    if name not in data or not data[name].size:
        return None
    magnitudes = _magnitudes(data, name)[0]
    return int(np.argmax(np.nanmax(magnitudes.reshape(len(magnitudes), -1), axis=1, initial=0.0)))


def _magnitudes(data: Recording, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return magnitudes of the recorded samples, and the largest ones over all ticks (zero if all were recorded)."""
    signal = data[name]
    values, over_all = np.abs(signal.values), np.asarray(signal.attrs.get("largest", 0.0))
    if signal.dims != ("time", "axis"):
        return values, over_all
    names = data.coords["axis"].values if "axis" in data.coords else np.arange(values.shape[1])
    straight = np.ones(len(names), bool)
    if "axis_kind" in data.coords:
        straight = data.coords["axis_kind"].values == "length"
    if set(names[straight]) <= DIRECTIONS:
        return np.linalg.norm(values[:, straight], axis=1), np.asarray(
            signal.attrs.get("largest_vector", 0.0)
        )
    return values[:, straight], over_all[straight] if over_all.ndim else over_all


def largest_values(run: Recorded) -> dict[str, str]:
    """Return the largest motion, force and tension that were recorded, as text by name.

    The motion of a chain (`node_position`) has no single largest value.
    """
    data = recording(run)
    sizes = {name: largest(data, name) for name in STATED}
    if "node_position" in data:
        del sizes["displacement"]
    return {
        QUANTITIES[name].name: QUANTITIES[name].text(size)
        for name, size in sizes.items()
        if np.isfinite(size)
    }
