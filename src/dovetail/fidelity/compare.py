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
from dovetail.core.quantities import QUANTITIES
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.energy import energy_added
from dovetail.fidelity.error_budget import error_budget
from dovetail.fidelity.errors import DEMAND, MEASURED, MOVES, RelativeErrors, error_recording, relative_errors
from dovetail.fidelity.growth import growth_rate
from dovetail.fidelity.synchronisation import synchronisation_loop
from dovetail.fidelity.traces import Recorded, Value, on_common_times, times, trace

ERRORS = ("e1", "e2", "e")
COMPARED = (
    *(f"{norm}.{error}" for error in ERRORS for norm in ("rms", "peak")),
    *("delay", "gain", "residual", "loop_direction", "growth_rate", "energy_added", "added_energy_fraction"),
)  # quantities of a comparison, in the order of its table
MAX_RESIDUAL = (
    0.8  # largest residual, as a fraction of the measured motion, at which delay and gain are valid
)


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

    def value(self, name: str) -> Any:
        """Return a quantity by its name in `core.quantities`, such as `rms.e1` or `delay`."""
        norm, _, error = name.partition(".")
        return getattr(self, norm)[error] if error else getattr(self, name)

    def largest(self, name: str) -> float:
        """Return the value of a quantity on the axis where it is largest; NaN if it is not determined."""
        values = np.ravel(np.asarray(self.value(name), float))
        return float(np.nanmax(values)) if np.isfinite(values).any() else math.nan

    def text(self, name: str, axis: int | None = None) -> str:
        """Return a quantity as text on one axis; by default its largest value."""
        value = self.largest(name) if axis is None else np.ravel(np.asarray(self.value(name)))[axis].item()
        return QUANTITIES[name].text(value)

    def rows(self) -> list[tuple[str, ...]]:
        """Return the comparison as a table: each quantity with one text for each moving axis."""
        return [(QUANTITIES[name].name, *(self.text(name, i) for i in self.moving_axes)) for name in COMPARED]

    @property
    def moving_axes(self) -> list[int]:
        """Indices of the axes with results: the moving axes, or all axes if no axis has a result."""
        rms = np.ravel(self.rms["e1"])
        return [int(i) for i in np.flatnonzero(~np.isnan(rms))] or list(range(rms.size))

    def _repr_html_(self) -> str:
        return str(display("comparison", self))

    def __str__(self) -> str:
        ending = ", ended before the reference" if self.stopped_early else ""
        lines = [f"hybrid run and reference solution, {self.duration:.4g} s, {self.samples} samples{ending}"]
        rows = self.rows()
        if self.axes:
            rows = [("", *(self.axes[i] for i in self.moving_axes)), *rows]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, *texts in rows:
            cells = "  ".join(text.rjust(width) for text, width in zip(texts, widths[1:], strict=True))
            lines.append(f"  {name:<{widths[0]}}  {cells if self.axes else texts[0]}")
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])


def compare(
    run: Recorded,
    reference: Recorded,
    *,
    demand: str = DEMAND,
    measured: str = MEASURED,
    force_held: bool = True,
) -> Comparison:
    """Compare a hybrid run with the reference solution at their common times.

    Parameters
    ----------
    run, reference
        Datasets, or runs with a dataset as `.data`.
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
        notes.append(f"not determined on {names}: the reference solution does not move there")

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
    (rate,) = result_or_default("growth rate", lambda: (_growth(pair),), (nan,))
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


def _growth(pair: _Pair) -> Value:
    """Return the growth rate of e1 after start-up."""
    e1 = error_recording(pair.hybrid, pair.reference, demand=pair.demand, measured=pair.measured)
    e1 = pair.on_moving_axes(e1, "e1")
    if not np.abs(e1["e1"].values).max() > 1e-12 * pair.errors.scale.values.max():
        raise AnalysisError("e1 is zero to rounding, so it has no growth rate")
    t = times(pair.hybrid)
    return pair.on_all(growth_rate(e1, "e1", start=t[0] + (t[-1] - t[0]) / 3))


def _moving(scale: RecordedSignal, reference: Recording) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return which axes move in the reference solution by more than rounding, and their names."""
    size = np.atleast_1d(scale.values).ravel()
    named = "axis" in scale.dims and "axis" in reference and reference.axis.values.dtype.kind in "US"
    names = [str(n) for n in reference.axis.values] if named else [f"axis {i + 1}" for i in range(size.size)]
    names = [f"axis {n}" if n.isdigit() else n for n in names]
    return size > MOVES * size.max(), tuple(names) if scale.ndim else ()


def _value(array: np.ndarray) -> Value:
    return float(array) if array.ndim == 0 else array
