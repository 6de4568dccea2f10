"""List of the impacts of a run: time, approach and rebound speed, peak force, penetration and duration.

Applies to the recording of a test whose specimen records `penetration`, and to measured signals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.quantities import QUANTITIES
from dovetail.core.recording import RecordedSignal
from dovetail.fidelity.traces import Recorded, recording

if TYPE_CHECKING:
    import xarray as xr

MAX_TICK_ERROR = 0.05  # largest error of the rebound speed by a held force without a warning
MAX_STEP = 0.1  # largest step of the motion, as a fraction of the penetration


@dataclass(frozen=True)
class ImpactEvent:
    """One contact, from touch to separation."""

    start: float  # [s]
    end: float  # [s]; NaN if the record ends in contact
    approach: float  # [m/s] speed at touch
    rebound: float  # [m/s] speed at separation, positive when moving apart; NaN if the record ends in contact
    peak_force: float  # [N]
    peak_depth: float  # [m]
    impulse: float  # [N s]

    @property
    def duration(self) -> float:
        """Contact time [s]."""
        return self.end - self.start

    @property
    def restitution(self) -> float:
        """Rebound speed over approach speed."""
        return self.rebound / self.approach

    def texts(self) -> dict[str, str]:
        """Return the start and the quantities of the contact as text, by name."""
        values = {
            "contact_time": self.duration,
            "approach": self.approach,
            "rebound": self.rebound,
            "restitution": self.restitution,
            "peak_contact_force": self.peak_force,
            "peak_depth": self.peak_depth,
        }
        texts = {QUANTITIES[name].name: QUANTITIES[name].text(value) for name, value in values.items()}
        if math.isnan(self.duration):
            texts[QUANTITIES["contact_time"].name] = "in contact"
        return {"start": f"{self.start:.4g} s", **texts}


@dataclass(frozen=True)
class ContactEnergy:
    """Whether contacts return more energy than they receive, which no contact law does.

    `ratios` and `reference` are the rebound over approach speeds of the complete contacts.
    """

    ratios: tuple[float, ...]
    reference: tuple[float, ...] = ()

    @property
    def gains(self) -> bool:
        """True if a contact leaves faster than it arrives."""
        return max(self.ratios) > 1

    @property
    def word(self) -> str:
        """Verdict in three or four words."""
        return "Contacts gain energy" if self.gains else "No contact gains energy"

    def __str__(self) -> str:
        count, gaining = len(self.ratios), sum(ratio > 1 for ratio in self.ratios)
        number = f"{gaining or 'none'} of {count} contact{'s' if count > 1 else ''} gains energy"
        name = QUANTITIES["restitution"].name
        text = f"{number.replace('gains', 'gain') if gaining > 1 else number}: {name} {_range(self.ratios)}"
        return text + (f", reference {_range(self.reference)}" if self.reference else "")


def _range(values: tuple[float, ...]) -> str:
    low, high = (QUANTITIES["restitution"].text(value) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def contact_energy(
    impacts: Sequence[ImpactEvent], reference: Sequence[ImpactEvent] = ()
) -> ContactEnergy | None:
    """Return the energy verdict on the contacts of a run; None without a complete contact.

    It is also None if contacts of the reference solution leave faster than they arrive: there the machine drives the
    contact, and the speeds decide nothing.
    """
    here, there = (
        tuple(impact.restitution for impact in log if impact.approach > 0 and math.isfinite(impact.end))
        for log in (impacts, reference)
    )
    return ContactEnergy(here, there) if here and max(there, default=0.0) <= 1 else None


def impact_log(
    run: Recorded, *, force: str = "feedback_force", velocity: str = "velocity"
) -> list[ImpactEvent]:
    """Return the impacts of a run in order of time; empty without contact.

    On several axes force and speed are taken along the contact normal: `normal_force` of the specimen and the rate of
    its penetration. While a robot cell waits for the next contact, the recorded penetration stays constant; this part
    is not a contact. A signal with one axis, as recorded by a cell, is treated like a signal without axes.
    """
    data = recording(run)
    depth = data["penetration"].values if "penetration" in data else np.zeros(0)
    if depth.shape[1:] == (1,):
        depth = depth[:, 0]
    if "penetration" in data and "contact_gate" in data:
        gate_open = data["contact_gate"].values > 0.5
        depth = depth * gate_open.reshape(-1, *(1,) * (depth.ndim - 1))
    if {"penetration", "normal_force"} <= set(data) and data[velocity].ndim > 1:
        rate = np.gradient(depth, data.time.values)
        return find_impacts(data.time.values, depth, data["normal_force"].values, rate)
    for name in ("penetration", force, velocity):
        if name not in data:
            raise AnalysisError(
                f'the recording has no "{name}"; impacts are found from penetration, force and speed'
            )
    if depth.ndim != 1:
        raise AnalysisError("the recording has several axes; choose one of them with .isel(axis=...)")
    return find_impacts(data.time.values, depth, np.abs(data[force].values), data[velocity].values)


def find_impacts(
    time: np.ndarray, depth: np.ndarray, force: np.ndarray, velocity: np.ndarray, *, threshold: float = 0.0
) -> list[ImpactEvent]:
    """Return the impacts in recorded signals; contact means that the penetration [m] exceeds a threshold [m].

    Touch and separation are interpolated between samples: linear interpolation of the penetration at the threshold.
    """
    arrays = [np.asarray(a, float) for a in (time, depth, force, velocity)]
    if len({a.shape for a in arrays}) != 1 or arrays[0].ndim != 1:
        raise ParameterError(
            f"got signals of shapes {[a.shape for a in arrays]}; expected four of equal length"
        )
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
        touch = float(v[max(first - 1, 0)])
        contact = slice(max(first - 1, 0), outer + 1)
        events.append(
            ImpactEvent(
                start=begin,
                end=end,
                approach=abs(touch),
                rebound=float(-np.sign(touch) * v[outer]) if math.isfinite(end) else np.nan,
                peak_force=float(f[part].max()),
                peak_depth=float(d[part].max()),
                impulse=float(np.trapezoid(f[contact], t[contact])),
            )
        )
    return events


def coarse_steps(resolution: float, depth: float) -> str | None:
    """Return a warning if the steps of a motion [m] are not small compared with the penetration of an impact [m].

    Steps above a tenth of the penetration distort the signals [Bondoky 2020, sec. 7.4.1].
    """
    if not resolution > MAX_STEP * depth > 0:
        return None
    return (
        f"the motion has steps of {1e6 * resolution:.3g} um, {100 * resolution / depth:.3g} % of the penetration of "
        f"{1e6 * depth:.3g} um; steps above {100 * MAX_STEP:g} % distort the signals, and their errors are not valid"
    )


def coarse_tick(impacts: Sequence[ImpactEvent], reference: Sequence[ImpactEvent], tick: float) -> str | None:
    r"""Return a warning if the force that is held over a tick [s] changes the rebound of the shortest contact.

    A force held over the tick h is half a tick late. For a half-sine of duration d, approach speed v and restitution e
    it adds the energy :math:`\tfrac{h}{2m}\int F^2\,dt = \tfrac{\pi^2 (1+e)^2}{16}\,\tfrac{h}{d}\,m v^2`. The
    restitution is that of the reference, if it has a contact.
    """
    complete = [impact for impact in impacts if math.isfinite(impact.end)]
    if not complete:
        return None
    shortest = min(complete, key=lambda impact: impact.duration)
    ratios = [impact.restitution for impact in (*reference, shortest) if impact.approach > 0]
    if not ratios or ratios[0] <= 0:
        return None
    e = ratios[0]
    added = math.pi**2 * (1 + e) ** 2 / 8 * tick / shortest.duration  # fraction of the approach energy
    faster = math.sqrt(1 + added / e**2) - 1
    if faster <= MAX_TICK_ERROR:
        return None
    needed = ((1 + MAX_TICK_ERROR) ** 2 - 1) * e**2 / added * tick
    return (
        f"the step is too coarse for the contact: it lasts {1e3 * shortest.duration:.3g} ms, "
        f"{shortest.duration / tick:.3g} ticks. The force held over a tick adds about {100 * added:.2g} % of the "
        f"approach energy, and the rebound is about {100 * faster:.2g} % too fast; use at least {1 / needed:.3g} Hz"
    )


def energy_balance(run: Recorded) -> xr.Dataset:
    """Return kinetic, stored and dissipated energy [J] over time, and their sum (constant without a rig)."""
    data = recording(run)
    names = {"kinetic_energy": "kinetic", "contact_energy": "stored", "contact_dissipation": "lost"}
    missing = [name for name in names if name not in data]
    if missing:
        raise AnalysisError(f"the recording has no {', '.join(missing)}; use parts that record their energy")
    energies = {short: data[name] for name, short in names.items()}
    about = {"units": "J", "long_name": "sum of kinetic, stored and dissipated energy"}
    balance = sum(energy.values for energy in energies.values())
    energies["balance"] = RecordedSignal(np.asarray(balance), energies["kinetic"].dims, about)
    return data.with_signals(energies).to_dataset()


def _crossing(t: np.ndarray, d: np.ndarray, i: int, threshold: float) -> float:
    """Return the time at which the penetration crosses the threshold between samples i - 1 and i."""
    a, b = d[i - 1] - threshold, d[i] - threshold
    return float(t[i - 1] + (t[i] - t[i - 1]) * (a / (a - b) if a != b else 0.0))
