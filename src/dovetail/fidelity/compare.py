"""One answer to "can I believe this test?": a hybrid run held against the ideal.

>>> print(compare(rehearsed, ideal))  # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.energy import energy_added
from dovetail.fidelity.error_budget import error_budget
from dovetail.fidelity.errors import DEMAND, MEASURED, errors, norms
from dovetail.fidelity.growth import growth_rate
from dovetail.fidelity.synchronisation import LINE, loop
from dovetail.fidelity.traces import Recording, Value, on_common_times, times, trace

ERRORS = ("e1", "e2", "e")
MEANING = {
    "e1": "e1 = ideal - demand (numerical)",
    "e2": "e2 = demand - measured (local)",
    "e": "e  = ideal - measured (global)",
}
NOTHING = "no answer"
UNLIKE = 0.8  # of the measured motion left by the best delay and gain: beyond, neither means anything


@dataclass(frozen=True)
class Row:
    """A line of the comparison: what, its unit, and a text for each axis."""

    what: str
    unit: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """A hybrid run against the ideal. Values are floats for one axis, arrays (axis,) for several.

    What could not be judged is NaN (an empty text for `orientation`) and has its reason in `notes`.
    """

    rms: dict[str, Value]  # of e1, e2, e, as shares of the rms of the ideal
    peak: dict[str, Value]
    delay: Value  # [s] of the measured behind the demand, by correlation; positive is late
    gain: Value  # amplitude ratio of measured to demand
    rest: Value  # rms of what no constant delay and gain explain, over rms of the demand
    opening: Value  # of the synchronisation loop: sine of the phase lag for a sine
    orientation: str | tuple[str, ...]
    growth_rate: Value  # [1/s] of e1
    energy_added: Value  # [J] by the rig
    energy_share: Value  # of what crossed the interface
    duration: float  # [s] compared
    samples: int
    stopped_early: bool  # the run ended before the ideal
    notes: tuple[str, ...] = ()
    axes: tuple[str, ...] = ()  # names of the axes, where there are several

    def rows(self) -> list[Row]:
        """The comparison as a table: what, unit, one text for each axis."""
        out = []
        for name in ERRORS:
            out += [Row(f"rms of {MEANING[name]}", "%", _texts(self.rms[name], 100))]
            out += [Row("peak", "%", _texts(self.peak[name], 100))]
        sense = (self.orientation,) if isinstance(self.orientation, str) else self.orientation
        out += [
            Row("delay of measured behind demand", "ms", _texts(self.delay, 1e3)),
            Row("amplitude ratio measured / demand", "", _texts(self.gain)),
            Row("rest that no delay and gain explain", "%", _texts(self.rest, 100)),
            Row("synchronisation loop", "", tuple(self._sense(s) for s in sense)),
            Row("growth rate of e1", "1/s", _texts(self.growth_rate)),
            Row("energy added by the rig", "J", _texts(self.energy_added)),
            Row("  as a share of what crossed", "%", _texts(self.energy_share, 100)),
        ]
        return out

    @property
    def told(self) -> list[int]:
        """Positions of the axes of which there is an answer: those that move; of all where there is none of any."""
        rms = np.ravel(self.rms["e1"])
        return [int(i) for i in np.flatnonzero(~np.isnan(rms))] or list(range(rms.size))

    def _sense(self, orientation: str) -> str:
        text = _SENSES.get(orientation, NOTHING)
        return text.partition("(")[2].partition(":")[0].rstrip(")") or text if self._many else text

    def _repr_html_(self) -> str:
        from dovetail.report.notebook import comparison_html

        return comparison_html(self)

    def __str__(self) -> str:
        rows = [Row(r.what, r.unit, tuple(r.values[i] for i in self.told)) for r in self.rows()]
        wide = max(len(r.what) for r in rows)
        columns = max(len(v) for r in rows for v in r.values) if self._many else 0
        ending = ", stopped early" if self.stopped_early else ""
        lines = [f"hybrid against ideal, {self.duration:.4g} s, {self.samples} samples{ending}"]
        lines += ["errors are shares of the rms of the ideal displacement"]
        if self._many:
            names = [self.axes[i] if self.axes else f"axis {i + 1}" for i in self.told]
            columns = max([columns, *(len(name) for name in names)])
            heads = [name.rjust(columns) for name in names]
            lines += [f"  {'':<{wide}}  {'  '.join(heads)}"]
        for r in rows:
            texts = "  ".join(v.rjust(columns) for v in r.values)
            unit = "" if set(r.values) == {NOTHING} else r.unit
            lines += [f"  {r.what:<{wide}}  {texts} {unit}".rstrip()]
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])

    @property
    def _many(self) -> bool:
        return np.ndim(self.rms["e1"]) > 0


def compare(
    run: Recording,
    ideal: Recording,
    *,
    frequency: float | None = None,
    demand: str = DEMAND,
    measured: str = MEASURED,
    held: bool = True,
) -> Comparison:
    """Hold a hybrid run against the ideal on the times they share.

    Parameters
    ----------
    run, ideal
        Datasets, or runs with one as `.data`; the ideal is the emulated run.
    frequency : float, optional
        Frequency [Hz] of the instability, where it is known: the growth rate is then taken there only,
        if the run lasts long enough for it.
    held : bool
        Whether the loop held the force over each sample (see `energy_added`).

    Raises
    ------
    AnalysisError
        Where there is no comparison at all: too few shared samples, a non-finite trace, an ideal at rest.
    """
    pair = _Pair.of(run, ideal, demand, measured)
    notes: list[str] = []
    if not pair.moving.all():
        still = ", ".join(name for name, moves in zip(pair.axes, pair.moving, strict=True) if not moves)
        notes.append(f"{still}: no answer, as the ideal does not move there")

    def answer(what: str, ask: Callable[[], tuple[Any, ...]], nothing: tuple[Any, ...]) -> tuple[Any, ...]:
        """What `ask` finds; where there is no answer, `nothing` and a note."""
        try:
            return ask()
        except (AnalysisError, ParameterError) as error:
            notes.append(f"{what}: no answer, as {error}")
            return nothing

    unknown = math.nan if not pair.shape else np.full(pair.shape, math.nan)
    senseless = "" if not pair.shape else ("",) * int(np.prod(pair.shape))
    delay, gain, rest = answer("delay", lambda: _delay_gain_rest(pair), (unknown,) * 3)
    opening, orientation = answer("synchronisation loop", lambda: _opening(pair), (unknown, senseless))
    added, share = answer("energy", lambda: _energy(pair, held), (unknown,) * 2)
    (rate,) = answer("growth rate", lambda: (_growth(pair, frequency, notes),), (unknown,))
    t = times(pair.hybrid)
    return Comparison(
        rms={name: pair.on_all(_value(pair.norms["rms"].sel(error=name))) for name in ERRORS},
        peak={name: pair.on_all(_value(pair.norms["peak"].sel(error=name))) for name in ERRORS},
        delay=delay,
        gain=gain,
        rest=rest,
        opening=opening,
        orientation=orientation,
        growth_rate=rate,
        energy_added=added,
        energy_share=share,
        duration=float(t[-1] - t[0]),
        samples=len(t),
        stopped_early=bool(times(run)[-1] < times(ideal)[-1] - 0.5 * (t[1] - t[0])),
        notes=tuple(notes),
        axes=pair.axes,
    )


@dataclass(frozen=True)
class _Pair:
    """Both recordings on the times they share, and the axes on which more than rounding can be compared."""

    hybrid: xr.Dataset
    ideal: xr.Dataset
    demand: str  # names of the signals
    measured: str
    norms: xr.Dataset
    shape: tuple[int, ...]  # of a sample
    moving: np.ndarray  # by axis
    axes: tuple[str, ...]

    @classmethod
    def of(cls, run: Recording, ideal: Recording, demand: str, measured: str) -> _Pair:
        hybrid, complete = on_common_times(run, ideal)
        sizes = norms(hybrid, complete, demand=demand, measured=measured)
        shape = trace(hybrid, demand).shape[1:]
        return cls(hybrid, complete, demand, measured, sizes, shape, *_moving(sizes["scale"]))

    def moved(self, data: xr.Dataset, name: str) -> xr.Dataset:
        """A dataset on the moving axes only; `name` is a trace that has axes."""
        if not self.shape or self.moving.all():
            return data
        return data.isel({str(trace(data, name).dims[1]): np.flatnonzero(self.moving)})

    @property
    def part(self) -> xr.Dataset:
        """The hybrid run on the moving axes."""
        return self.moved(self.hybrid, self.demand)

    def on_all(self, value: Value) -> Value:
        """Values of all axes, or of those that move, with NaN on those that do not."""
        if not self.shape:
            return value
        if np.shape(value) == self.shape:
            return np.where(self.moving, value, math.nan)
        spread = np.full(self.shape, math.nan)
        spread[self.moving] = value
        return spread


def _delay_gain_rest(pair: _Pair) -> tuple[Value, Value, Value]:
    """The measured motion as the demand later, larger or smaller, and what that leaves."""
    part = pair.part
    budget = error_budget(part, demand=pair.demand, measured=pair.measured)
    size = np.std(trace(part, pair.measured).values, axis=0) / np.std(trace(part, pair.demand).values, axis=0)
    unlike = float(np.max(budget.rest / np.maximum(size, 1e-300)))
    if unlike > UNLIKE:
        raise AnalysisError(
            f"the measured motion is not the demand later and larger or smaller: that leaves {100 * unlike:.0f} % "
            "of it. The rig does not follow; look for a limit that it meets, of stroke, speed or force"
        )
    return pair.on_all(budget.delay), pair.on_all(budget.gain), pair.on_all(budget.rest)


def _opening(pair: _Pair) -> tuple[Value, str | tuple[str, ...]]:
    """How far the synchronisation loop opens, and which way it turns."""
    drawn = loop(pair.part, demand=pair.demand, measured=pair.measured)
    if not pair.shape:
        return drawn.opening, drawn.orientation
    senses = iter(drawn.orientation)
    return pair.on_all(drawn.opening), tuple(next(senses) if moves else "" for moves in pair.moving)


def _energy(pair: _Pair, held: bool) -> tuple[Value, Value]:
    """What the rig added, and as a share of what crossed."""
    try:
        energy = energy_added(pair.part, held=held, demand=pair.demand)
    except KeyError as error:  # a recording without forces has no energy; that is no fault of the comparison
        raise AnalysisError(str(error)) from error
    return pair.on_all(energy.total), pair.on_all(energy.share)


def _growth(pair: _Pair, frequency: float | None, notes: list[str]) -> Value:
    """Growth rate of e1 past the start-up: at the frequency where that can be told, else of all of it."""
    e1 = errors(pair.hybrid, pair.ideal, demand=pair.demand, measured=pair.measured)
    e1 = pair.moved(e1, "e1")
    if not float(abs(e1["e1"]).max()) > 1e-12 * float(pair.norms["scale"].max()):
        raise AnalysisError("e1 is zero to rounding; it neither grows nor decays")
    t = times(pair.hybrid)
    start = t[0] + (t[-1] - t[0]) / 3
    if frequency is not None:
        try:
            return pair.on_all(growth_rate(e1, "e1", frequency=frequency, start=start))
        except AnalysisError as error:
            notes.append(f"growth rate: of the whole of e1, not at {frequency:.3g} Hz, as {error}")
    return pair.on_all(growth_rate(e1, "e1", start=start))


def _moving(scale: xr.DataArray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Which axes move in the ideal, by more than the rounding of the one that moves most; their names."""
    size = np.atleast_1d(scale.values).ravel()
    named = "axis" in scale.coords and scale.axis.dtype.kind in "US"
    names = [str(n) for n in scale.axis.values] if named else [f"axis {i + 1}" for i in range(size.size)]
    names = [f"axis {n}" if n.isdigit() else n for n in names]
    return size > 1e-9 * size.max(), tuple(names) if scale.ndim else ()


_SENSES = {
    "anticlockwise": "anticlockwise (late: adds energy)",
    "clockwise": "clockwise (early: takes energy)",
    LINE: "a line (in time)",
}


def _texts(value: Value, factor: float = 1.0) -> tuple[str, ...]:
    each = np.atleast_1d(np.asarray(value, dtype=float)).ravel() * factor
    return tuple(NOTHING if math.isnan(v) else f"{v:.3g}" for v in each)


def _value(array: xr.DataArray) -> Value:
    return float(array) if array.ndim == 0 else array.values
