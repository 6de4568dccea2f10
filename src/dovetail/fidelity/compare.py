"""Comparison of a hybrid run with the reference solution.

>>> print(compare(rehearsed, reference))  # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.extensions import display
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.energy import energy_added
from dovetail.fidelity.error_budget import error_budget
from dovetail.fidelity.errors import DEMAND, MEASURED, RelativeErrors, error_recording, relative_errors
from dovetail.fidelity.growth import growth_rate
from dovetail.fidelity.synchronisation import EARLY, IN_PHASE, LATE, synchronisation_loop
from dovetail.fidelity.traces import Recorded, Value, on_common_times, times, trace

ERRORS = ("e1", "e2", "e")
MEANING = {
    "e1": "e1 response error (reference - demand)",
    "e2": "e2 tracking error (demand - measured)",
    "e": "e  total error (reference - measured)",
}
NOT_DETERMINED = "not determined"
MAX_RESIDUAL = (
    0.8  # largest residual, as a fraction of the measured motion, at which delay and gain are valid
)


@dataclass(frozen=True)
class Row:
    """One line of the comparison table: quantity, unit and one text per axis."""

    quantity: str
    unit: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """Accuracy of a hybrid run against the reference solution.

    Values are floats for one axis, arrays (axis,) for several. A value that cannot be determined is NaN (an empty
    text for `loop_direction`); `notes` gives the reason.
    """

    rms: dict[str, Value]  # of e1, e2, e, as fractions of the rms reference displacement
    peak: dict[str, Value]
    delay: Value  # [s] from demand to measured displacement, by correlation; positive: measured after demand
    gain: Value  # amplitude ratio of measured to demand
    residual: Value  # rms after the best-fit delay and gain, over rms of the demand
    loop_opening: Value  # of the synchronisation loop; for a sine, the sine of the phase lag
    loop_direction: str | tuple[str, ...]  # "late", "early" or "in phase"
    growth_rate: Value  # [1/s] of e1
    energy_added: Value  # [J] by the rig
    added_energy_fraction: Value  # fraction of the energy exchanged at the interface
    duration: float  # [s] of the compared part
    samples: int
    stopped_early: bool  # the run ended before the reference solution
    notes: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()  # names of the axes; empty for one axis

    def rows(self) -> list[Row]:
        """Return the comparison as a table: quantity, unit and one text per axis."""
        rows = []
        for name in ERRORS:
            rows += [Row(f"rms of {MEANING[name]}", "%", _texts(self.rms[name], 100))]
            rows += [Row("peak", "%", _texts(self.peak[name], 100))]
        directions = (self.loop_direction,) if isinstance(self.loop_direction, str) else self.loop_direction
        rows += [
            Row("delay, measured after demand", "ms", _texts(self.delay, 1e3)),
            Row("amplitude ratio measured / demand", "", _texts(self.gain)),
            Row("residual after best-fit delay and gain", "%", _texts(self.residual, 100)),
            Row("synchronisation loop", "", tuple(self._direction_text(d) for d in directions)),
            Row("growth rate of e1", "1/s", _texts(self.growth_rate)),
            Row("energy added by the rig", "J", _texts(self.energy_added)),
            Row("  as a fraction of the energy exchanged", "%", _texts(self.added_energy_fraction, 100)),
        ]
        return rows

    @property
    def moving_axes(self) -> list[int]:
        """Indices of the axes with results: the moving axes, or all axes if no axis has a result."""
        rms = np.ravel(self.rms["e1"])
        return [int(i) for i in np.flatnonzero(~np.isnan(rms))] or list(range(rms.size))

    def _direction_text(self, direction: str) -> str:
        text = _DIRECTIONS.get(direction, NOT_DETERMINED)
        return text.partition(" (")[0] if self._many else text

    def _repr_html_(self) -> str:
        return str(display("comparison", self))

    def __str__(self) -> str:
        rows = [Row(r.quantity, r.unit, tuple(r.values[i] for i in self.moving_axes)) for r in self.rows()]
        width = max(len(r.quantity) for r in rows)
        columns = max(len(v) for r in rows for v in r.values) if self._many else 0
        ending = ", stopped early" if self.stopped_early else ""
        lines = [f"hybrid run and reference solution, {self.duration:.4g} s, {self.samples} samples{ending}"]
        lines += ["errors in % of the rms reference displacement"]
        if self._many:
            names = [self.axes[i] if self.axes else f"axis {i + 1}" for i in self.moving_axes]
            columns = max([columns, *(len(name) for name in names)])
            heads = [name.rjust(columns) for name in names]
            lines += [f"  {'':<{width}}  {'  '.join(heads)}"]
        for r in rows:
            texts = "  ".join(v.rjust(columns) for v in r.values)
            unit = "" if set(r.values) == {NOT_DETERMINED} else r.unit
            lines += [f"  {r.quantity:<{width}}  {texts} {unit}".rstrip()]
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])

    @property
    def _many(self) -> bool:
        return np.ndim(self.rms["e1"]) > 0


def compare(
    run: Recorded,
    reference: Recorded,
    *,
    frequency: float | None = None,
    demand: str = DEMAND,
    measured: str = MEASURED,
    force_held: bool = True,
) -> Comparison:
    """Compare a hybrid run with the reference solution at their common times.

    Parameters
    ----------
    run, reference
        Datasets, or runs with a dataset as `.data`.
    frequency : float, optional
        Known frequency [Hz] of the instability. The growth rate is then fitted at this frequency only, if the
        run is long enough.
    force_held : bool
        Whether the loop held the force over each sample (see `energy_added`).

    Raises
    ------
    AnalysisError
        If no comparison is possible: too few common samples, a non-finite signal, or a reference solution
        without motion.
    """
    pair = _Pair.from_runs(run, reference, demand, measured)
    notes: list[str] = []
    if not pair.moving.all():
        names = ", ".join(name for name, moves in zip(pair.axes, pair.moving, strict=True) if not moves)
        notes.append(f"{names}: not determined; the reference solution does not move on this axis")

    def result_or_default(
        quantity: str, compute: Callable[[], tuple[Any, ...]], default: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Return the result of `compute`; if it cannot be computed, `default` and a note."""
        try:
            return compute()
        except (AnalysisError, ParameterError) as error:
            notes.append(f"{quantity} not determined: {error}")
            return default

    nan = math.nan if not pair.shape else np.full(pair.shape, math.nan)
    no_direction = "" if not pair.shape else ("",) * int(np.prod(pair.shape))
    delay, gain, residual = result_or_default("delay", lambda: _delay_gain_residual(pair), (nan,) * 3)
    opening, direction = result_or_default(
        "synchronisation loop", lambda: _opening(pair), (nan, no_direction)
    )
    added, fraction = result_or_default("energy", lambda: _energy(pair, force_held), (nan,) * 2)
    (rate,) = result_or_default("growth rate", lambda: (_growth(pair, frequency, notes),), (nan,))
    t = times(pair.hybrid)
    return Comparison(
        rms={name: pair.on_all(_value(pair.errors.rms[name])) for name in ERRORS},
        peak={name: pair.on_all(_value(pair.errors.peak[name])) for name in ERRORS},
        delay=delay,
        gain=gain,
        residual=residual,
        loop_opening=opening,
        loop_direction=direction,
        growth_rate=rate,
        energy_added=added,
        added_energy_fraction=fraction,
        duration=float(t[-1] - t[0]),
        samples=len(t),
        stopped_early=bool(times(run)[-1] < times(reference)[-1] - 0.5 * (t[1] - t[0])),
        notes=tuple(notes),
        axes=pair.axes,
    )


@dataclass(frozen=True)
class _Pair:
    """Run and reference solution at their common times, and the axes whose motion exceeds rounding."""

    hybrid: Recording
    reference: Recording
    demand: str  # signal name
    measured: str
    errors: RelativeErrors
    shape: tuple[int, ...]  # of a sample
    moving: np.ndarray  # by axis
    axes: tuple[str, ...]

    @classmethod
    def from_runs(cls, run: Recorded, reference: Recorded, demand: str, measured: str) -> _Pair:
        hybrid, complete = on_common_times(run, reference)
        errors = relative_errors(hybrid, complete, demand=demand, measured=measured)
        shape = trace(hybrid, demand).shape[1:]
        return cls(hybrid, complete, demand, measured, errors, shape, *_moving(errors.scale, complete))

    def on_moving_axes(self, data: Recording, name: str) -> Recording:
        """Return a recording reduced to the moving axes; `name` is a signal that has axes."""
        if not self.shape or self.moving.all():
            return data
        return data.isel(**{trace(data, name).dims[1]: np.flatnonzero(self.moving)})

    @property
    def part(self) -> Recording:
        """The hybrid run on the moving axes."""
        return self.on_moving_axes(self.hybrid, self.demand)

    def on_all(self, value: Value) -> Value:
        """Expand values of all or of the moving axes to all axes, with NaN on axes that do not move."""
        if not self.shape:
            return value
        if np.shape(value) == self.shape:
            return np.where(self.moving, value, math.nan)
        expanded = np.full(self.shape, math.nan)
        expanded[self.moving] = value
        return expanded


def _delay_gain_residual(pair: _Pair) -> tuple[Value, Value, Value]:
    """Return best-fit delay and gain of the measured displacement, and the residual."""
    part = pair.part
    budget = error_budget(part, demand=pair.demand, measured=pair.measured)
    size = np.std(trace(part, pair.measured).values, axis=0) / np.std(trace(part, pair.demand).values, axis=0)
    relative = float(np.max(budget.residual / np.maximum(size, 1e-300)))
    if relative > MAX_RESIDUAL:
        raise AnalysisError(
            f"delay and gain do not describe the measured displacement: the residual is {100 * relative:.0f} % of it. "
            "The rig does not follow the demand; check its stroke, speed and force limits"
        )
    return pair.on_all(budget.delay), pair.on_all(budget.gain), pair.on_all(budget.residual)


def _opening(pair: _Pair) -> tuple[Value, str | tuple[str, ...]]:
    """Return opening and direction of the synchronisation loop."""
    loop = synchronisation_loop(pair.part, demand=pair.demand, measured=pair.measured)
    if not pair.shape:
        return loop.opening, loop.direction
    directions = iter(loop.direction)
    return pair.on_all(loop.opening), tuple(next(directions) if moves else "" for moves in pair.moving)


def _energy(pair: _Pair, force_held: bool) -> tuple[Value, Value]:
    """Return the energy added by the rig, absolute and as a fraction of the energy exchanged."""
    try:
        energy = energy_added(pair.part, force_held=force_held, demand=pair.demand)
    except KeyError as error:  # a recording without forces has no energy result
        raise AnalysisError(str(error)) from error
    return pair.on_all(energy.total), pair.on_all(energy.fraction)


def _growth(pair: _Pair, frequency: float | None, notes: list[str]) -> Value:
    """Return the growth rate of e1 after start-up, at the given frequency if it can be fitted there."""
    e1 = error_recording(pair.hybrid, pair.reference, demand=pair.demand, measured=pair.measured)
    e1 = pair.on_moving_axes(e1, "e1")
    if not np.abs(e1["e1"].values).max() > 1e-12 * pair.errors.scale.values.max():
        raise AnalysisError("e1 is zero to rounding, so it has no growth rate")
    t = times(pair.hybrid)
    start = t[0] + (t[-1] - t[0]) / 3
    if frequency is not None:
        try:
            return pair.on_all(growth_rate(e1, "e1", frequency=frequency, start=start))
        except AnalysisError as error:
            notes.append(
                f"growth rate fitted to unfiltered e1; the fit at {frequency:.3g} Hz failed: {error}"
            )
    return pair.on_all(growth_rate(e1, "e1", start=start))


def _moving(scale: RecordedSignal, reference: Recording) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return which axes move in the reference solution by more than rounding, and their names."""
    size = np.atleast_1d(scale.values).ravel()
    named = "axis" in scale.dims and "axis" in reference and reference.axis.values.dtype.kind in "US"
    names = [str(n) for n in reference.axis.values] if named else [f"axis {i + 1}" for i in range(size.size)]
    names = [f"axis {n}" if n.isdigit() else n for n in names]
    return size > 1e-9 * size.max(), tuple(names) if scale.ndim else ()


_DIRECTIONS = {LATE: "late (adds energy)", EARLY: "early (damps)", IN_PHASE: "in phase"}


def _texts(value: Value, factor: float = 1.0) -> tuple[str, ...]:
    each = np.atleast_1d(np.asarray(value, dtype=float)).ravel() * factor
    return tuple(NOT_DETERMINED if math.isnan(v) else f"{v:.3g}" for v in each)


def _value(array: np.ndarray) -> Value:
    return float(array) if array.ndim == 0 else array
