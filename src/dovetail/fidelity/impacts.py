"""The impacts of a run, one by one: when, how fast in and out, how hard, how deep, how long.

Works on the recording of a test whose specimen shows its `depth`, and on measured traces.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.traces import Recording, dataset

COARSE = 0.1  # share of the depth that a step of the motion may have


@dataclass(frozen=True)
class ImpactEvent:
    """One contact, from touch to separation."""

    start: float  # [s]
    end: float  # [s]; NaN where the record ends in contact
    approach: float  # [m/s] speed at touch
    rebound: float  # [m/s] speed of separation, positive when moving apart
    peak_force: float  # [N]
    peak_depth: float  # [m]
    impulse: float  # [N s]

    @property
    def duration(self) -> float:
        """[s]"""
        return self.end - self.start

    @property
    def restitution(self) -> float:
        """Rebound over approach."""
        return self.rebound / self.approach

    def __str__(self) -> str:
        lasts = f"{1e3 * self.duration:7.3f} ms" if math.isfinite(self.duration) else f"{'not over':>10}"
        depth = (1e3, "mm") if self.peak_depth >= 1e-3 else (1e6, "um")
        return (
            f"{1e3 * self.start:10.3f} ms  {lasts}  {self.approach:7.4f} -> {self.rebound:7.4f} m/s  "
            f"{self.peak_force:8.1f} N  {depth[0] * self.peak_depth:7.2f} {depth[1]}"
        )


def impact_log(run: Recording, *, force: str = "force", velocity: str = "velocity") -> list[ImpactEvent]:
    """The impacts of a run, in order; empty if nothing touched.

    On several axes force and speed are those along the normal of the contact, as the specimen met them: its
    `normal_force` and the rate of its depth. A robot cell that waits for the next contact keeps the depth of the last
    one; nothing touches meanwhile. One axis in a list of its own, as a cell answers it, is one axis.
    """
    data = dataset(run)
    if "depth" in data and data["depth"].shape[1:] == (1,):
        data = data.assign(depth=("time", data["depth"].values[:, 0]))
    if {"depth", "near_contact"} <= set(data):
        data = data.assign(depth=data["depth"] * (data["near_contact"] > 0.5))
    if {"depth", "normal_force"} <= set(data) and data[velocity].ndim > 1:
        depth = data["depth"].values
        rate = np.gradient(depth, data.time.values)
        return find_impacts(data.time.values, depth, data["normal_force"].values, rate)
    for name in ("depth", force, velocity):
        if name not in data:
            raise AnalysisError(f'the recording has no "{name}"; impacts are found by depth, force and speed')
    if data["depth"].ndim != 1:
        raise AnalysisError("the recording has several axes; choose one of them with .isel(axis=...)")
    return find_impacts(
        data.time.values, data["depth"].values, np.abs(data[force].values), data[velocity].values
    )


def find_impacts(
    time: np.ndarray, depth: np.ndarray, force: np.ndarray, velocity: np.ndarray, *, threshold: float = 0.0
) -> list[ImpactEvent]:
    """Impacts in traces: contact is where the depth [m] is above a threshold [m].

    Touch and separation lie between samples, where the straight line through the depth crosses the threshold.
    """
    arrays = [np.asarray(a, float) for a in (time, depth, force, velocity)]
    if len({a.shape for a in arrays}) != 1 or arrays[0].ndim != 1:
        raise ParameterError(f"traces of {[a.shape for a in arrays]}: give four of equal length")
    t, d, f, v = arrays
    inside = d > threshold
    starts: list[int] = np.flatnonzero(inside & ~np.r_[False, inside[:-1]]).tolist()
    events = []
    for first in starts:
        after = np.flatnonzero(~inside[first:])
        last = first + int(after[0]) if len(after) else len(t)
        part = slice(first, last)
        begin = _crossing(t, d, first, threshold) if first else float(t[0])
        end = _crossing(t, d, last, threshold) if last < len(t) else np.nan
        outer = min(last, len(t) - 1)
        whole = slice(max(first - 1, 0), outer + 1)
        events.append(
            ImpactEvent(
                start=begin,
                end=end,
                approach=float(v[max(first - 1, 0)]),
                rebound=float(-v[outer]),
                peak_force=float(f[part].max()),
                peak_depth=float(d[part].max()),
                impulse=float(np.trapezoid(f[whole], t[whole])),
            )
        )
    return events


def coarse_steps(resolution: float, depth: float) -> str | None:
    """A warning where the steps of a motion [m] are no longer small against the depth of an impact [m].

    Beyond a tenth of the depth traces are distorted [Bondoky 2020, sec. 7.4.1].
    """
    if not resolution > COARSE * depth > 0:
        return None
    return (
        f"the motion comes in steps of {1e6 * resolution:.3g} um, {100 * resolution / depth:.3g} % of the depth of "
        f"{1e6 * depth:.3g} um; beyond {100 * COARSE:g} % traces are distorted and errors not to be trusted"
    )


def energy_balance(run: Recording) -> xr.Dataset:
    """Kinetic, stored and lost energy [J] over time, and their sum, which an ideal run keeps."""
    data = dataset(run)
    names = {"kinetic_energy": "kinetic", "contact_energy": "stored", "contact_heat": "lost"}
    missing = [name for name in names if name not in data]
    if missing:
        raise AnalysisError(f"the recording has no {', '.join(missing)}; its parts do not show their energy")
    shares = xr.Dataset({short: data[name] for name, short in names.items()})
    shares["balance"] = shares["kinetic"] + shares["stored"] + shares["lost"]
    shares["balance"].attrs = {"units": "J", "long_name": "kinetic, stored and lost energy together"}
    return shares


def _crossing(t: np.ndarray, d: np.ndarray, i: int, threshold: float) -> float:
    """Time at which the depth crosses the threshold between samples i - 1 and i."""
    a, b = d[i - 1] - threshold, d[i] - threshold
    return float(t[i - 1] + (t[i] - t[i - 1]) * (a / (a - b) if a != b else 0.0))
