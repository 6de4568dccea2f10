"""Peaks of a motion of a rig: displacement, velocity, acceleration and force, by axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dovetail.core.recording import Recording
from dovetail.core.si_prefix import si_prefix

if TYPE_CHECKING:
    from dovetail.testing.limits import Limits

MAX_EXCESS = 1.2  # largest ratio of the peaks of a signal to those of the test that it prepares
MAX_FILLED = 0.9  # largest used fraction of a limit
UNITS = {"displacement": "m", "velocity": "m/s", "acceleration": "m/s^2", "force": "N"}


@dataclass(frozen=True)
class MotionPeaks:
    """Largest magnitudes of a motion, one for each axis; NaN if not known."""

    displacement: np.ndarray  # [m]
    velocity: np.ndarray  # [m/s]
    acceleration: np.ndarray  # [m/s^2]
    force: np.ndarray  # [N] of the specimen, by its model or as measured

    @classmethod
    def from_samples(
        cls, displacement: np.ndarray, dt: float, force: np.ndarray | None = None
    ) -> MotionPeaks:
        """Return the peaks of a displacement (time,) or (time, axis), sampled every `dt` [s]."""
        z = np.reshape(displacement, (len(displacement), -1))
        velocity = np.diff(z, axis=0) / dt
        unknown = np.full((1, z.shape[1]), np.nan)
        motion = (z, velocity, np.diff(velocity, axis=0) / dt)
        peaks = [np.abs(values).max(axis=0, initial=0.0) for values in motion]
        peaks.append(np.abs(unknown if force is None else np.reshape(force, z.shape)).max(axis=0))
        return cls(*peaks)

    @classmethod
    def from_recording(cls, data: Recording) -> MotionPeaks:
        """Return the peaks of a recorded run, by its recorded velocity, acceleration and force."""
        names = ("displacement", "velocity", "acceleration", "feedback_force")
        rows = data.sizes["time"]
        return cls(*(np.abs(data[name].values.reshape(rows, -1)).max(axis=0) for name in names))

    def bounds(self, limits: Limits, rotary: tuple[bool, ...] = ()) -> MotionPeaks:
        """Return the largest peaks of a signal that prepares this motion: 1.2 times these, and 90 % of the limits."""
        return MotionPeaks(
            *(
                np.fmin(
                    MAX_EXCESS * getattr(self, name), MAX_FILLED * np.asarray(limits.limit_of(name, rotary))
                )
                for name in UNITS
            )
        )

    def largest_ratio(self, bounds: MotionPeaks) -> float:
        """Return the largest ratio of a peak to its bound, without unknown peaks and bounds of zero."""
        ratios = [
            getattr(self, name) / np.where(getattr(bounds, name) > 0, getattr(bounds, name), np.nan)
            for name in UNITS
        ]
        return float(np.nanmax(ratios, initial=0.0))

    def __str__(self) -> str:
        texts = []
        for name, unit in UNITS.items():
            value = float(np.nanmax(getattr(self, name), initial=-1.0))
            if value >= 0:
                factor, prefixed = si_prefix([value], unit)
                texts.append(f"{factor * value:.3g} {prefixed}")
        return ", ".join(texts)
