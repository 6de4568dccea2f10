"""Characteristic of a damper: its loop of resisting force over velocity, and the difference between dampers.

Velocity is the derivative of a polynomial fitted to the samples around each sample (Savitzky and Golay). This
smooths without phase shift and is therefore only possible after the test [Wallace 2006, sec. 6.4.1; Savitzky
1964]. Manufacturers specify peak forces only; the effect of unequal dampers on a rotor depends on the complete
loop.

The loop of a damper with a spring in series runs anticlockwise: the force lags the velocity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.recording import RecordedSignal
from dovetail.fidelity.traces import Recorded, period, recording, trace

if TYPE_CHECKING:
    import xarray as xr

ORDER, FRAME = 4, 21  # of the filter in the source


def smooth_velocity(
    run: Recorded, *, displacement: str = "measured_displacement", order: int = ORDER, frame: int = FRAME
) -> xr.DataArray:
    """Return the velocity [m/s] of a recorded displacement by a Savitzky-Golay filter of an odd number of samples."""
    x = trace(run, displacement)
    if frame % 2 == 0 or frame <= order or frame > x.sizes["time"]:
        raise ParameterError(
            f"smooth_velocity: frame {frame}, order {order}, {x.sizes['time']} samples. Expected an odd frame, "
            "larger than the order and not longer than the recording"
        )
    v = scipy.signal.savgol_filter(x.values, frame, order, deriv=1, delta=period(run), axis=0)
    about = {"units": "m/s", "long_name": f"velocity, Savitzky-Golay order {order} over {frame} samples"}
    return (
        recording(run).with_signals({"velocity": RecordedSignal(v, x.dims, about)}).to_dataset()["velocity"]
    )


@dataclass(frozen=True)
class DamperCharacteristic:
    """Properties of a damper in steady oscillation; forces are resisting forces."""

    speed: float  # [m/s] peak
    half_stroke: float  # [m]
    pull: float  # [N] largest force against a positive velocity
    push: float  # [N] largest force against a negative velocity, positive
    energy: float  # [J] dissipated in a cycle
    hysteresis: float  # [N] half the opening of the loop at zero velocity
    sense: str  # "anticlockwise" if the force lags the velocity, otherwise "clockwise"
    repeatability: float  # largest deviation of a cycle from the mean cycle over the peak force
    damping: float  # [N s/m] of the viscous damper with the same dissipation at this stroke
    harmonics: tuple[float, ...]  # [N] amplitudes of the force at 1, 2, ... times the frequency

    @property
    def peak(self) -> float:
        """Largest force [N] of both directions."""
        return max(self.pull, self.push)


def characteristic(
    run: Recorded,
    frequency: float,
    *,
    cycles: int = 3,
    harmonics: int = 8,
    displacement: str = "measured_displacement",
    force: str = "measured_force",
) -> DamperCharacteristic:
    """Return the characteristic of a damper from the last `cycles` periods of a run.

    Parameters
    ----------
    frequency : float
        Fundamental frequency [Hz] of the motion: of the sine or of the rotor.
    """
    dt = period(run)
    per_cycle = 1.0 / (frequency * dt)
    n = math.ceil(cycles * per_cycle) + 1
    data = recording(run)
    if data.sizes["time"] < n + FRAME:
        raise AnalysisError(
            f"cycles: {cycles} cycles at {frequency:g} Hz need {n + FRAME} samples and the recording "
            f"has {data.sizes['time']}; record longer or use fewer cycles"
        )
    velocity = smooth_velocity(run, displacement=displacement).values
    x, f = trace(run, displacement).values, -trace(run, force).values
    if x.ndim > 1:
        raise AnalysisError("the recording has several axes; select one: data.sel(axis=...)")

    # cycles resampled to a common phase, without the last half frame, in which the filter is inaccurate
    samples = max(int(per_cycle), 8 * harmonics)
    end = len(x) - 1 - FRAME // 2
    at = end - np.arange(cycles * samples, 0, -1) * per_cycle / samples
    grid = np.arange(len(x))
    x, v, f = (np.interp(at, grid, y).reshape(cycles, samples) for y in (x, velocity, f))
    mean_x, mean_v, mean_f = x.mean(axis=0), v.mean(axis=0), f.mean(axis=0)

    peak = np.abs(f).max()
    stroke = np.ptp(mean_x) / 2
    energy = float(np.mean(f * v)) / frequency
    lines = 2 * np.abs(np.fft.rfft(mean_f)) / samples
    loop = float(np.sum(mean_v * np.roll(mean_f, -1) - mean_f * np.roll(mean_v, -1)))
    return DamperCharacteristic(
        speed=float(np.abs(v).max()),
        half_stroke=float(stroke),
        pull=float(f.max()),
        push=float(-f.min()),
        energy=energy,
        hysteresis=_opening(mean_v, mean_f) / 2,
        sense="anticlockwise" if loop > 0 else "clockwise",
        repeatability=float(np.abs(f - mean_f).max() / peak) if peak > 0 else 0.0,
        damping=energy / (2 * math.pi**2 * frequency * stroke**2) if stroke > 0 else math.nan,
        harmonics=tuple(lines[1 : harmonics + 1].tolist()),
    )


def _opening(v: np.ndarray, f: np.ndarray) -> float:
    """Return the distance [N] between the highest and the lowest force at zero velocity."""
    crossing = np.flatnonzero(v * np.roll(v, -1) < 0)
    if len(crossing) < 2:
        return 0.0
    after = (crossing + 1) % len(v)
    fraction = v[crossing] / (v[crossing] - v[after])
    return float(np.ptp(f[crossing] + fraction * (f[after] - f[crossing])))


@dataclass(frozen=True)
class DamperMatch:
    """Comparison of dampers in the same test: for each measure, the range over the mean."""

    dampers: dict[str, DamperCharacteristic]
    spread: dict[str, float]
    tolerance: float

    @property
    def matched(self) -> bool:
        """Whether no measure differs by more than the tolerance."""
        return max(self.spread.values()) <= self.tolerance

    def __str__(self) -> str:
        width = max(10, *(len(name) for name in self.dampers)) + 2
        lines = [f"{'':18}" + "".join(f"{name:>{width}}" for name in self.dampers) + f"{'spread':>10}"]
        for name, (unit, factor, measure) in _MEASURES.items():
            row = "".join(f"{factor * measure(c):>{width}.4g}" for c in self.dampers.values())
            lines.append(f"{f'{name} [{unit}]':18}{row}{100 * self.spread[name]:>8.1f} %")
        worst = max(self.spread, key=lambda name: self.spread[name])
        verdict = "matched" if self.matched else "not matched"
        lines.append(
            f"{verdict}: {worst} differs by {100 * self.spread[worst]:.1f} %, tolerance "
            f"{100 * self.tolerance:g} %"
        )
        return "\n".join(lines)


_MEASURES = {
    "pull": ("kN", 1e-3, lambda c: c.pull),
    "push": ("kN", 1e-3, lambda c: c.push),
    "energy": ("J", 1.0, lambda c: c.energy),
    "hysteresis": ("kN", 1e-3, lambda c: c.hysteresis),
    "1st harmonic": ("kN", 1e-3, lambda c: c.harmonics[0]),
}


def match_dampers(
    runs: Mapping[str, Recorded], frequency: float, *, tolerance: float = 0.05, cycles: int = 3
) -> DamperMatch:
    """Compare dampers that had the same test.

    Parameters
    ----------
    runs : mapping
        Recorded of each damper, by name.
    frequency : float
        Fundamental frequency [Hz] of the motion.
    tolerance : float
        Largest range over mean of a matched set (default: the amplitude tolerance of the identification).
    """
    if len(runs) < 2:
        raise ParameterError(f"runs: got {len(runs)} dampers; expected at least two")
    dampers = {name: characteristic(run, frequency, cycles=cycles) for name, run in runs.items()}
    spread = {}
    for name, (_, _, measure) in _MEASURES.items():
        values = np.array([measure(c) for c in dampers.values()])
        mean = float(np.abs(values).mean())
        spread[name] = float(np.ptp(values) / mean) if mean > 0 else 0.0
    return DamperMatch(dampers, spread, tolerance)
