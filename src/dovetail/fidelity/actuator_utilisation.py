r"""How much of an actuator's capacity a test used: force against speed, within the maker's envelope.

Without a model of the whole machine the global error is unknown, and a small local error e2 alone does not
vouch for it: an actuator at its envelope distorts while it still appears to follow. Below about half of
capacity the global error stays close to the local one; the design rule is not to go far above three
quarters [Wallace 2006, sec. 4.3.7, 6.4].

Utilisation is radial: the factor by which force and speed together would have to shrink to lie on the
envelope.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import xarray as xr

from dovetail.core.errors import ParameterError
from dovetail.fidelity.traces import Recording, Value, dataset, period, trace

COMFORTABLE = 0.5  # below: global error close to local error
RULE = 0.75  # the design rule: not far above this


@dataclass(frozen=True)
class Envelope:
    """Largest force [N] an actuator has at each speed [m/s]: points joined by straight lines.

    The first point is at rest; speed rises and force falls (or stays) from point to point.
    """

    speed: tuple[float, ...]  # [m/s]
    force: tuple[float, ...]  # [N]

    def __post_init__(self):
        v, f = np.asarray(self.speed, dtype=float), np.asarray(self.force, dtype=float)
        if v.ndim != 1 or v.shape != f.shape or len(v) < 2:
            raise ParameterError(
                f"Envelope: got {v.size} speeds and {f.size} forces; give two or more points of each"
            )
        ok = np.isfinite(v).all() and np.isfinite(f).all() and v[0] == 0 and f[0] > 0 and f[-1] >= 0
        ok = ok and (np.diff(v) >= 0).all() and (np.diff(f) <= 0).all() and v[-1] > 0
        if not ok or ((np.diff(v) == 0) & (np.diff(f) == 0)).any():
            raise ParameterError(
                f"Envelope: got speeds {list(self.speed)} m/s, forces {list(self.force)} N; "
                "speeds start at 0 and rise, forces start above 0 and fall"
            )
        if f[-1] > 0:  # a last force above zero is held to the last speed
            v, f = np.append(v, v[-1]), np.append(f, 0.0)
        object.__setattr__(self, "speed", tuple(v.tolist()))
        object.__setattr__(self, "force", tuple(f.tolist()))

    @classmethod
    def straight(cls, *, force: float, speed: float) -> Envelope:
        """Force falling in a straight line from stall to top speed: an electric drive at a fixed voltage."""
        return cls((0.0, speed), (force, 0.0))

    @classmethod
    def valve(cls, *, force: float, speed: float, points: int = 33) -> Envelope:
        r"""A hydraulic servo valve at full opening: :math:`v = v_{max} \sqrt{1 - F/F_{max}}`."""
        v = np.linspace(0.0, 1.0, points)
        return cls(tuple((v * speed).tolist()), tuple(((1 - v**2) * force).tolist()))

    @classmethod
    def box(cls, *, force: float, speed: float) -> Envelope:
        """Full force up to top speed: the limits of a data sheet that gives no curve."""
        return cls((0.0, speed), (force, force))

    def utilisation(self, speed: np.ndarray, force: np.ndarray) -> np.ndarray:
        """Share of capacity in use at each pair of speed [m/s] and force [N]; 1 is on the envelope."""
        v = np.abs(np.asarray(speed, dtype=float)) / self.speed[-1]
        f = np.abs(np.asarray(force, dtype=float)) / self.force[0]
        ev, ef = np.asarray(self.speed) / self.speed[-1], np.asarray(self.force) / self.force[0]
        angles = np.arctan2(ef, ev)[::-1]  # rising from the speed axis to the force axis
        edge = np.clip(np.searchsorted(angles, np.arctan2(f, v), side="right"), 1, len(angles) - 1)
        high, low = (
            len(angles) - 1 - edge,
            len(angles) - edge,
        )  # the envelope points either side
        # the line through the two points is n . p = n . p_high; a point's share is the ratio of the products
        nv, nf = ef[high] - ef[low], ev[low] - ev[high]
        return (nv * v + nf * f) / (nv * ev[high] + nf * ef[high])


@dataclass(frozen=True)
class Utilisation:
    """What a test took of an actuator's capacity."""

    trace: xr.DataArray  # share of capacity in time
    peak: Value
    above_comfortable: Value  # share of samples above 50 %
    above_rule: Value  # share of samples above 75 %

    def __str__(self) -> str:
        top = float(np.max(self.peak))
        if top < COMFORTABLE:
            what = "below half: the global error is close to the local error"
        elif top <= RULE:
            what = "within the 75 % rule"
        elif top < 1:
            what = "above the 75 % rule: the local error no longer vouches for the global one"
        else:
            what = "at or beyond the envelope: expect a distorted test, however small the local error"
        return f"peak utilisation {100 * top:.3g} %, {what}"


def utilisation(
    run: Recording,
    envelope: Envelope,
    *,
    moving_mass: float = 0.0,
    displacement: str | None = None,
    force: str | None = None,
) -> Utilisation:
    """Utilisation of the actuator over a run.

    Parameters
    ----------
    envelope : Envelope
        The maker's force-speed curve.
    moving_mass : float
        Mass [kg] the actuator carries that the load cell does not see; its inertia is added to the force.
    displacement, force : str, optional
        Signals to take. By default what the rig achieved where that is recorded (a virtual rig), else what
        was measured; speed is its central difference, so a noisy measurement overstates it.
    """
    data = dataset(run)
    displacement = displacement or _first(data, "achieved_displacement", "measured_displacement")
    force = force or _first(data, "specimen_force", "measured_force")
    dt = period(run)
    x, f = trace(run, displacement), trace(run, force)
    v = np.gradient(x.values, dt, axis=0)
    # the specimen pulls the numerical substructure with F, hence the actuator pushes it with -F
    push = -f.values + moving_mass * np.gradient(v, dt, axis=0)
    used = x.copy(data=envelope.utilisation(v, push)).rename("utilisation")
    used.attrs = {"units": "1", "long_name": "share of the actuator's capacity in use"}
    shares = [used.max("time"), (used > COMFORTABLE).mean("time"), (used > RULE).mean("time")]
    return Utilisation(used, *(float(s) if s.ndim == 0 else s.values for s in shares))


def _first(data: xr.Dataset, *names: str) -> str:
    return next((name for name in names if name in data.data_vars), names[0])
