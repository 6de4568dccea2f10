r"""Errors of an impact in a test against the reference impact: force, penetration, speed, duration, energy.

With H the signal of the test, I the reference signal, the contact interval of each, and their union c:

======================  ==========================================================================
instantaneous           :math:`\max(H - I)`, over :math:`I` at that instant, or over :math:`\max I`
absolute                :math:`(\max H - \max I)/\max I`
integral absolute       :math:`(\int|H| - \int|I|)/\int|I|`, each over its own contact
integral                :math:`\int_c |H - I| / \int |I|`
======================  ==========================================================================

[Bondoky 2020, eqs 3.1 to 3.8]. The maxima are signed, as published. A signal below the reference then has no
instantaneous error, so the largest modulus is given as well. A coarse quantiser reduces the area and with it the
integral errors: do not use integral errors alone.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.impacts import ImpactEvent, find_impacts, impact_log
from dovetail.fidelity.traces import Recorded


@dataclass(frozen=True)
class ImpactTrace:
    """Impact of one system over time: force [N] and penetration [m] positive in contact, approach speed [m/s]."""

    time: np.ndarray
    force: np.ndarray
    depth: np.ndarray
    velocity: np.ndarray

    def __post_init__(self):
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, np.asarray(getattr(self, field.name), float))
        if np.any(np.diff(self.time) <= 0):
            raise ParameterError("time: the sample times [s] must increase; sort the samples")

    def first_impact(self) -> ImpactEvent:
        """Return the first contact."""
        events = find_impacts(self.time, self.depth, self.force, self.velocity)
        if not events:
            raise AnalysisError("no contact: the penetration does not exceed 0 m")
        return events[0]


@dataclass(frozen=True)
class SignalErrors:
    """Errors of one signal (force or penetration); percentages are relative to the reference."""

    instantaneous: float  # largest H - I, in the unit of the signal
    instantaneous_percent: float  # of the reference at that instant
    relative_to_peak_percent: float  # of the peak of the reference
    largest_modulus: float  # of H - I
    absolute_percent: float  # of the peaks
    integral_absolute_percent: float  # of the areas
    integral_percent: float  # area of the modulus of the difference


@dataclass(frozen=True)
class ImpactErrors:
    """All errors of the first impact of a test."""

    force: SignalErrors
    depth: SignalErrors
    velocity: float  # [m/s] of the rebound, signed like velocities
    velocity_percent: float
    duration: float  # [s]
    kinetic_energy_percent: float  # of the relative motion after the impact


def impact_errors(test: ImpactTrace, reference: ImpactTrace) -> ImpactErrors:
    """Return the errors of the first impact of a test against the reference impact; the sample times may differ."""
    h, i = test.first_impact(), reference.first_impact()
    if not np.isfinite([h.end, i.end]).all():
        raise AnalysisError("the record ends during contact; record longer")
    begin, end = min(h.start, i.start), max(h.end, i.end)
    times = np.union1d(test.time, reference.time)
    times = times[(times >= begin) & (times <= end)]

    def on(trace, name):
        return np.interp(times, trace.time, getattr(trace, name))

    force = _errors(times, on(test, "force"), on(reference, "force"), h, i)
    # negative penetration is a gap
    test_depth, reference_depth = (np.maximum(on(trace, "depth"), 0.0) for trace in (test, reference))
    depth = _errors(times, test_depth, reference_depth, h, i)
    return ImpactErrors(
        force=force,
        depth=depth,
        velocity=i.rebound - h.rebound,
        velocity_percent=100 * (h.rebound / i.rebound - 1),
        duration=h.duration - i.duration,
        kinetic_energy_percent=100 * ((h.rebound / i.rebound) ** 2 - 1),
    )


def first_contact_errors(run: Recorded, reference: Recorded) -> dict[str, float]:
    """Return the errors of the first contact of a run, each the magnitude as a fraction of the reference.

    Infinite if the run has no such contact, or stays in contact where the reference separates; NaN if the reference
    has no contact, or none that ends.
    """
    try:
        expected, measured = (impact_log(each)[:1] for each in (reference, run))
    except (AnalysisError, KeyError):  # no contact signals
        expected, measured = [], []
    pairs = {
        "rebound_speed_error": lambda event: event.rebound,
        "rebound_energy_error": lambda event: event.rebound**2,
        "peak_force_error": lambda event: event.peak_force,
        "penetration_error": lambda event: event.peak_depth,
        "contact_duration_error": lambda event: event.duration,
    }
    if not expected:
        return dict.fromkeys(pairs, np.nan)
    event, truth = next(iter(measured), None), expected[0]
    errors = {}
    for name, of in pairs.items():
        ends = np.isfinite(of(truth)) and (np.isfinite(truth.end) or name.startswith(("peak", "penetration")))
        value = np.inf if event is None else of(event)
        if event is not None and not np.isfinite(event.end) and name.startswith(("rebound", "contact")):
            value = np.inf
        errors[name] = abs(value / of(truth) - 1) if ends and of(truth) != 0 else np.nan
    return errors


def _errors(t, h, i, event_h: ImpactEvent, event_i: ImpactEvent) -> SignalErrors:
    difference = h - i
    at = int(np.argmax(difference))
    peak = i.max()
    area_h, area_i = (_area(t, np.abs(x), event) for x, event in ((h, event_h), (i, event_i)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return SignalErrors(
            instantaneous=float(difference[at]),
            instantaneous_percent=float(100 * difference[at] / i[at]),
            relative_to_peak_percent=float(100 * difference[at] / peak),
            largest_modulus=float(np.abs(difference).max()),
            absolute_percent=float(100 * (h.max() / peak - 1)),
            integral_absolute_percent=float(100 * (area_h / area_i - 1)),
            integral_percent=float(100 * np.trapezoid(np.abs(difference), t) / area_i),
        )


def _area(t, x, event: ImpactEvent) -> float:
    inside = (t >= event.start) & (t <= event.end)
    return float(np.trapezoid(x[inside], t[inside]))
