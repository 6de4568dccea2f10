"""Actuator utilisation of a test: force against speed, relative to the manufacturer's envelope.

Without a model of the complete machine the total error is unknown, and a small tracking error e2 alone does not
bound it: an actuator at its envelope distorts the motion although it still seems to follow. Below about half of
the capacity the total error stays close to the tracking error. Design rule: do not go far above three quarters
[Wallace 2006, sec. 4.3.7, 6.4].

Utilisation is radial: the ratio of the point (speed, force) to the point of the envelope in the same direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dovetail.core.errors import ParameterError
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.traces import Recorded, Value, period, recording, trace

if TYPE_CHECKING:
    import xarray as xr

ACCURATE_BELOW = 0.5  # below: total error close to tracking error
DESIGN_LIMIT = 0.75  # design rule: not far above


@dataclass(frozen=True)
class Envelope:
    """Largest force [N] of an actuator at each speed [m/s]: points joined by straight lines.

    The first point is at speed zero. From point to point speed increases and force decreases or stays equal.
    """

    speed: tuple[float, ...]  # [m/s]
    force: tuple[float, ...]  # [N]

    def __post_init__(self):
        v, f = np.asarray(self.speed, dtype=float), np.asarray(self.force, dtype=float)
        if v.ndim != 1 or v.shape != f.shape or len(v) < 2:
            raise ParameterError(
                f"Envelope: got {v.size} speeds and {f.size} forces; expected equal numbers, at least two"
            )
        ok = np.isfinite(v).all() and np.isfinite(f).all() and v[0] == 0 and f[0] > 0 and f[-1] >= 0
        ok = ok and (np.diff(v) >= 0).all() and (np.diff(f) <= 0).all() and v[-1] > 0
        if not ok or ((np.diff(v) == 0) & (np.diff(f) == 0)).any():
            raise ParameterError(
                f"Envelope: got speeds {list(self.speed)} m/s, forces {list(self.force)} N; "
                "speeds must start at 0 and increase, forces must start above 0 and decrease"
            )
        if f[-1] > 0:  # a last force above zero drops to zero at the last speed
            v, f = np.append(v, v[-1]), np.append(f, 0.0)
        object.__setattr__(self, "speed", tuple(v.tolist()))
        object.__setattr__(self, "force", tuple(f.tolist()))

    @classmethod
    def straight(cls, *, force: float, speed: float) -> Envelope:
        """Return a linear envelope from stall force to top speed: an electric drive at a fixed voltage."""
        return cls((0.0, speed), (force, 0.0))

    @classmethod
    def valve(cls, *, force: float, speed: float, points: int = 33) -> Envelope:
        r"""Return the envelope of a hydraulic servo valve at full opening: :math:`v = v_{max} \sqrt{1 - F/F_{max}}`."""
        v = np.linspace(0.0, 1.0, points)
        return cls(tuple((v * speed).tolist()), tuple(((1 - v**2) * force).tolist()))

    @classmethod
    def box(cls, *, force: float, speed: float) -> Envelope:
        """Return an envelope with full force up to top speed, for a data sheet without a curve."""
        return cls((0.0, speed), (force, force))

    def utilisation(self, speed: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Return the used fraction of capacity at each pair of speed [m/s] and force [N]; 1 is on the envelope."""
        v = np.abs(np.asarray(speed, dtype=float)) / self.speed[-1]
        f = np.abs(np.asarray(force, dtype=float)) / self.force[0]
        ev, ef = np.asarray(self.speed) / self.speed[-1], np.asarray(self.force) / self.force[0]
        angles = np.arctan2(ef, ev)[::-1]  # increasing from the speed axis to the force axis
        edge = np.clip(np.searchsorted(angles, np.arctan2(f, v), side="right"), 1, len(angles) - 1)
        high, low = (
            len(angles) - 1 - edge,
            len(angles) - edge,
        )  # neighbouring points of the envelope
        # the line through the two points is n . p = n . p_high; the utilisation is the ratio of the products
        nv, nf = ef[high] - ef[low], ev[low] - ev[high]
        return (nv * v + nf * f) / (nv * ev[high] + nf * ef[high])


@dataclass(frozen=True)
class Utilisation:
    """Utilisation of an actuator during a test."""

    trace: xr.DataArray  # used fraction of capacity in time
    peak: Value
    above_half: Value  # fraction of samples above 50 %
    above_design_limit: Value  # fraction of samples above 75 %

    def __str__(self) -> str:
        top = float(np.max(self.peak))
        if top < ACCURATE_BELOW:
            verdict = "below 50 %: the total error is close to the tracking error"
        elif top <= DESIGN_LIMIT:
            verdict = "within the 75 % rule"
        elif top < 1:
            verdict = "above the 75 % rule: the tracking error no longer indicates the total error"
        else:
            verdict = "at or beyond the envelope: expect a distorted test even with a small tracking error"
        return f"peak utilisation {100 * top:.3g} %, {verdict}"


def utilisation(
    run: Recorded,
    envelope: Envelope,
    *,
    moving_mass: float = 0.0,
    displacement: str | None = None,
    force: str | None = None,
) -> Utilisation:
    """Return the utilisation of the actuator over a run.

    Parameters
    ----------
    envelope : Envelope
        Force-speed curve of the manufacturer.
    moving_mass : float
        Mass [kg] moved by the actuator and not measured by the load cell; its inertia is added to the force.
    displacement, force : str, optional
        Signals to use (default: motion and force achieved by the rig if recorded (simulated rig), otherwise the
        measured signals). The speed is a central difference, so noise in a measurement increases it.
    """
    data = recording(run)
    displacement = displacement or _first(data, "achieved_displacement", "measured_displacement")
    force = force or _first(data, "specimen_force", "measured_force")
    dt = period(run)
    x, f = trace(run, displacement), trace(run, force)
    v = np.gradient(x.values, dt, axis=0)
    # the specimen exerts F on the numerical substructure, so the actuator exerts -F on the specimen
    push = -f.values + moving_mass * np.gradient(v, dt, axis=0)
    used = np.asarray(envelope.utilisation(v, push))
    about = {"units": "1", "long_name": "used fraction of the actuator capacity"}
    signal = data.with_signals({"utilisation": RecordedSignal(used, x.dims, about)})
    values = [used.max(axis=0), (used > ACCURATE_BELOW).mean(axis=0), (used > DESIGN_LIMIT).mean(axis=0)]
    return Utilisation(
        signal.to_dataset()["utilisation"], *(float(s) if np.ndim(s) == 0 else s for s in values)
    )


def _first(data: Recording, *names: str) -> str:
    return next((name for name in names if name in data.signals), names[0])
