"""Largest magnitude of a signal over all ticks, also those that are not recorded."""

from __future__ import annotations

import numpy as np

from dovetail.fidelity.traces import Recorded, recording

DIRECTIONS = {"x", "y", "z"}  # axes that form one vector


def largest(run: Recorded, name: str) -> float:
    """Return the largest magnitude of a signal in its unit; NaN if it was not recorded.

    Rotations and moments are left out. Axes x, y and z form a vector, whose length counts; on other axes, such as two
    actuators, the largest value of one axis counts.
    """
    data = recording(run)
    if name not in data or not data[name].size:
        return np.nan
    signal = data[name]
    values, over_all = np.abs(signal.values), np.asarray(signal.attrs.get("largest", 0.0))
    if signal.dims == ("time", "axis"):
        names = data.coords["axis"].values if "axis" in data.coords else np.arange(values.shape[1])
        straight = np.ones(len(names), bool)
        if "axis_kind" in data.coords:
            straight = data.coords["axis_kind"].values == "length"
        values, over_all = values[:, straight], over_all[straight] if over_all.ndim else over_all
        if set(names[straight]) <= DIRECTIONS:
            values, over_all = np.linalg.norm(values, axis=1), signal.attrs.get("largest_vector", 0.0)
    return float(max(np.nanmax(values, initial=0.0), np.max(over_all, initial=0.0)))
