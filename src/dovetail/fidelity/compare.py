"""One answer to "can I believe this test?": a hybrid run held against the ideal.

>>> print(compare(rehearsed, ideal))  # doctest: +SKIP
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.budget import error_budget
from dovetail.fidelity.energy import energy_added
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

    def _sense(self, orientation: str) -> str:
        text = _SENSES.get(orientation, NOTHING)
        return text.partition("(")[2].partition(":")[0].rstrip(")") or text if self._many else text

    def __str__(self) -> str:
        rows = self.rows()
        wide = max(len(r.what) for r in rows)
        columns = (
            max(len(v) for r in rows for v in r.values[: None if len(r.values) > 1 else 0])
            if self._many
            else 0
        )
        ending = ", stopped early" if self.stopped_early else ""
        lines = [f"hybrid against ideal, {self.duration:.4g} s, {self.samples} samples{ending}"]
        lines += ["errors are shares of the rms of the ideal displacement"]
        if self._many:
            names = self.axes or [f"axis {i + 1}" for i in range(len(rows[0].values))]
            columns = max(columns, *(len(name) for name in names))
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
    hybrid, complete = on_common_times(run, ideal)
    found = norms(hybrid, complete, demand=demand, measured=measured)
    shape = trace(hybrid, demand).shape[1:]
    t = times(hybrid)
    notes: list[str] = []

    moving, axes = _moving(found["scale"])
    if not moving.all():
        still = ", ".join(name for name, moves in zip(axes, moving, strict=True) if not moves)
        notes.append(f"{still}: no answer, as the ideal does not move there")

    part = hybrid
    if shape and not moving.all():
        part = hybrid.isel({str(trace(hybrid, demand).dims[1]): np.flatnonzero(moving)})

    def known(value: Value) -> Value:
        """NaN on axes on which nothing but rounding can be compared."""
        if not shape or np.shape(value) == shape:
            return value if not shape else np.where(moving, value, math.nan)
        whole = np.full(shape, math.nan)
        whole[moving] = value
        return whole

    def answer(what: str, ask: Callable[[], object], parts: int):
        """What `ask` finds, or NaN and a note."""
        try:
            return ask()
        except (AnalysisError, ParameterError) as error:
            notes.append(f"{what}: no answer, as {error}")
            nothing = math.nan if not shape else np.full(shape, math.nan)
            return (nothing,) * parts if parts > 1 else nothing

    def budget():
        b = error_budget(part, demand=demand, measured=measured)
        size = np.std(trace(part, measured).values, axis=0) / np.std(trace(part, demand).values, axis=0)
        unlike = float(np.max(b.rest / np.maximum(size, 1e-300)))
        if unlike > UNLIKE:
            raise AnalysisError(
                f"the measured motion is not the demand later and larger or smaller: that leaves {100 * unlike:.0f} % "
                "of it. The rig does not follow; look for a limit that it meets, of stroke, speed or force"
            )
        return b.delay, b.gain, b.rest

    def opened():
        found = loop(part, demand=demand, measured=measured)
        if not shape:
            return found.opening, found.orientation
        senses = iter(found.orientation)
        return known(found.opening), tuple(next(senses) if moves else "" for moves in moving)

    def energy():
        found = energy_added(part, held=held, demand=demand)
        return known(found.total), known(found.share)

    def growth():
        e1 = errors(hybrid, complete, demand=demand, measured=measured)
        if shape and not moving.all():
            e1 = e1.isel({str(e1["e1"].dims[1]): np.flatnonzero(moving)})
        if not float(abs(e1["e1"]).max()) > 1e-12 * float(found["scale"].max()):
            raise AnalysisError("e1 is zero to rounding; it neither grows nor decays")
        start = t[0] + (t[-1] - t[0]) / 3  # past the start-up
        if frequency is not None:
            try:
                return known(growth_rate(e1, "e1", frequency=frequency, start=start))
            except AnalysisError as error:
                notes.append(f"growth rate: of the whole of e1, not at {frequency:.3g} Hz, as {error}")
        return known(growth_rate(e1, "e1", start=start))

    delay, gain, rest = answer("delay", budget, 3)
    opening, orientation = answer("synchronisation loop", opened, 2)
    added, share = answer("energy", _missing_as_analysis(energy), 2)
    blank = "" if not shape else ("",) * int(np.prod(shape))
    return Comparison(
        rms={name: known(_value(found["rms"].sel(error=name))) for name in ERRORS},
        peak={name: known(_value(found["peak"].sel(error=name))) for name in ERRORS},
        delay=known(delay),
        gain=known(gain),
        rest=known(rest),
        opening=opening,
        orientation=orientation if isinstance(orientation, str | tuple) else blank,
        growth_rate=answer("growth rate", growth, 1),
        energy_added=added,
        energy_share=share,
        duration=float(t[-1] - t[0]),
        samples=len(t),
        stopped_early=bool(times(run)[-1] < times(ideal)[-1] - 0.5 * (t[1] - t[0])),
        notes=tuple(notes),
        axes=axes,
    )


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


def _missing_as_analysis(ask: Callable[[], object]) -> Callable[[], object]:
    """A recording without forces has no energy; that is no fault of the comparison."""

    def guarded():
        try:
            return ask()
        except KeyError as error:
            raise AnalysisError(str(error)) from error

    return guarded


def _texts(value: Value, factor: float = 1.0) -> tuple[str, ...]:
    each = np.atleast_1d(np.asarray(value, dtype=float)).ravel() * factor
    return tuple(NOTHING if math.isnan(v) else f"{v:.3g}" for v in each)


def _value(array: xr.DataArray) -> Value:
    return float(array) if array.ndim == 0 else array.values
