"""The figures of a report. Each takes a recording or plain arrays and returns a matplotlib `Figure`.

One row of panels for each axis of the interface; a second column looks closely at the last few cycles.
Symbols, units and labels are those of the signal table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from dovetail import fidelity
from dovetail.core import signals
from dovetail.core.errors import AnalysisError, DovetailError, ParameterError
from dovetail.fidelity.traces import Recording, dataset, on_common_times
from dovetail.report.decimate import decimate, telling
from dovetail.report.style import COLOURS, HALF, WIDTH, new_figure, prefixed, styled, symbol

CYCLES = 4  # shown in a close look
SAMPLES = 16_384  # of a trace, enough to find the length of its cycle


@dataclass(frozen=True)
class Line:
    """How a trace is drawn."""

    colour: str
    label: str
    width: float = 1.4
    dash: str | tuple[float, tuple[float, ...]] = "-"


IDEAL = Line(COLOURS["ideal"], "ideal", 3.6)
DEMAND = Line(COLOURS["demand"], "demand")
MEASURED = Line(COLOURS["measured"], "measured", 1.4, (0, (4, 1.6)))
COMMAND = Line(COLOURS["command"], "command", 1.2, (0, (1, 1)))


def motion(run: Recording, ideal: Recording | None = None) -> Figure:
    """Demand and measured displacement over the ideal, whole and closely."""
    lines = [(run, "displacement", DEMAND), (run, "measured_displacement", MEASURED)]
    if ideal is not None:
        lines.insert(0, (ideal, "displacement", IDEAL))
    return _histories(lines, "displacement", run)


def force(run: Recording, ideal: Recording | None = None) -> Figure:
    """Force fed back to the numerical substructure over that of the ideal, whole and closely."""
    lines = [(run, "force", MEASURED)]
    if ideal is not None and "force" in dataset(ideal):
        lines.insert(0, (ideal, "force", IDEAL))
    return _histories(lines, "force fed back", run, names={"measured": "fed back"})


def errors(run: Recording, ideal: Recording | None = None) -> Figure:
    """The local error e2, and the numerical error e1 where there is an ideal, whole and closely."""
    alone = ideal is None
    found = xr.Dataset({"e2": fidelity.local_error(run)}) if alone else fidelity.errors(run, ideal)
    lines = [(found, "e2", Line(COLOURS["measured"], "e₂ local: demand − measured", 1.2))]
    if ideal is not None:
        lines.append((found, "e1", Line(COLOURS["demand"], "e₁ numerical: ideal − demand", 1.6)))
    return _histories(lines, "error", run)


def synchronisation(run: Recording, critical_delay: float | None = None, *, axis: int = 0) -> Figure:
    """The synchronisation subspace of the last cycles, with the loop of the critical delay over it."""
    data = _one_axis(dataset(run), axis)
    closely = data.sel(time=slice(_close_look(data)[0], None))
    z, x = closely["displacement"].values, closely["measured_displacement"].values
    factor, unit = prefixed([z, x], _unit(dataset(run), axis))
    figure, axes = new_figure(width=HALF, height=3.7)
    ax = axes[0, 0]
    with styled():
        reach = 1.08 * factor * max(np.abs(z).max(), np.abs(x).max(), 1e-300)
        ax.plot([-reach, reach], [-reach, reach], color=COLOURS["ideal"], lw=1.0, label="perfect")
        if critical_delay is not None and np.isfinite(critical_delay):
            try:
                band = fidelity.overlay(data, critical_delay).sel(time=closely.time, method="nearest")
                ax.plot(
                    *_curve(factor * band["demand"].values, factor * band["delayed_demand"].values),
                    color=COLOURS["critical"],
                    lw=1.2,
                    ls=(0, (4, 1.6)),
                    label=f"late by critical {1e3 * critical_delay:.3g} ms",
                    zorder=3,  # over a noisy loop, which would hide it
                )
            except AnalysisError:
                pass  # the run ended before one critical delay had passed: there is nothing to draw
        zs, xs = _curve(factor * z, factor * x)
        ax.plot(zs, xs, color=COLOURS["measured"], lw=1.3, label="measured")
        _arrow(ax, zs, xs)
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        ax.set_xlabel(f"demand z [{unit}]")
        ax.set_ylabel(f"measured x [{unit}]")
        ax.locator_params(nbins=5)
        figure.legend(loc="outside upper left", ncols=1, handlelength=1.6, borderaxespad=0)
    return figure


def spectrum(
    run: Recording, ideal: Recording | None = None, *, frequency: float | None = None, axis: int = 0
) -> Figure:
    """Amplitude spectra of demand and ideal, with the frequency [Hz] of instability marked."""
    name = "displacement"
    if ideal is not None:
        run, ideal = on_common_times(run, ideal)  # a line of the same length of record has the same width
    found = [(fidelity.amplitude_spectrum(_one_axis(dataset(run), axis), name), DEMAND)]
    if ideal is not None:
        found.insert(0, (fidelity.amplitude_spectrum(_one_axis(dataset(ideal), axis), name), IDEAL))
    top = max(float(s.max()) for s, _ in found)
    factor, unit = prefixed(top, _unit(dataset(run), axis))
    mark = frequency if frequency is not None and np.isfinite(frequency) else None
    lines = [p.frequency for s, _ in found for p in _peaks(s)]
    reach = min(1.6 * max([*lines, mark or 0.0, 1.0]), float(found[-1][0].frequency[-1]))
    figure, axes = new_figure(width=HALF, height=3.7)
    ax = axes[0, 0]
    with styled():
        if mark:
            ax.axvline(
                mark,
                color=COLOURS["critical"],
                lw=1.2,
                ls=(0, (4, 1.6)),
                label=f"instability at {mark:.3g} Hz",
            )
        for values, line in found:
            shown = values.sel(frequency=slice(0, reach))
            ax.plot(
                *decimate(shown.frequency.values, factor * shown.values, 800),
                color=line.colour,
                lw=line.width,
                label=line.label,
            )
        ax.set_yscale("log")
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        ax.yaxis.set_minor_formatter(lambda value, _: "")
        ax.set_ylim(factor * top * 1e-4, factor * top * 2)
        ax.set_xlim(0, reach)
        ax.set_xlabel("frequency [Hz]")
        ax.set_ylabel(f"amplitude of displacement [{unit}]")
        figure.legend(loc="outside upper left", ncols=1, handlelength=1.6, borderaxespad=0)
    return figure


def growth_against_delay(
    delays: Sequence[float] | np.ndarray,
    growth: Sequence[float] | np.ndarray,
    critical_delay: float | None = None,
    marked: Mapping[str, float] | None = None,
) -> Figure:
    """Growth rate (rightmost real part) against delay, with the critical delay and the runs' delays marked.

    Parameters
    ----------
    delays, growth
        Delay [s] and real part of the rightmost root [1/s] there.
    critical_delay
        Delay [s] at which the curve first crosses zero.
    marked
        Names and delays [s] of runs.
    """
    tau, sigma = np.asarray(delays, dtype=float), np.asarray(growth, dtype=float)
    if tau.ndim != 1 or tau.shape != sigma.shape or len(tau) < 2 or not np.isfinite(tau).all():
        raise ParameterError(
            f"got delays {tau.shape} and growth rates {sigma.shape}; give two equal rows of numbers"
        )
    figure, axes = new_figure(height=2.9)
    ax = axes[0, 0]
    with styled():
        ax.axhspan(0, max(np.nanmax(sigma) * 1.1, 1e-9), color=COLOURS["band"], lw=0, zorder=0)
        ax.axhline(0, color=COLOURS["faint"], lw=1)
        ax.plot(1e3 * tau, sigma, color=COLOURS["ink"], lw=1.6)
        if critical_delay is not None and np.isfinite(critical_delay):
            ax.axvline(1e3 * critical_delay, color=COLOURS["critical"], lw=1.2, ls=(0, (4, 1.6)))
            ax.annotate(
                f" critical {1e3 * critical_delay:.3g} ms",
                (1e3 * critical_delay, 0),
                xycoords=("data", "axes fraction"),
                xytext=(2, 5),
                textcoords="offset points",
                color=COLOURS["critical"],
            )
        for name, at in (marked or {}).items():
            here = float(np.interp(at, tau, sigma))
            ax.plot(1e3 * at, here, "o", ms=6, color=COLOURS["measured"])
            early = (
                critical_delay is None or at < critical_delay
            )  # labels keep clear of the curve and the line
            where = {"xytext": (-5, 9), "ha": "right"} if early else {"xytext": (9, -13)}
            ax.annotate(name, (1e3 * at, here), textcoords="offset points", **where)
        ax.set_xlim(1e3 * tau[0], 1e3 * tau[-1])
        ax.set_ylim(top=max(np.nanmax(sigma) * 1.1, 1e-9))
        ax.set_xlabel("delay τ in the loop [ms]")
        ax.set_ylabel("growth rate [1/s]")
        ax.text(0.01, 0.97, "unstable: grows", transform=ax.transAxes, va="top", color=COLOURS["critical"])
    return figure


@dataclass(frozen=True)
class LimitUse:
    """How close a run came to one of its limits."""

    name: str
    reached: float
    limit: float
    unit: str

    @property
    def share(self) -> float:
        """Reached over limit; 0 where there is no limit."""
        return self.reached / self.limit if np.isfinite(self.limit) else 0.0


def limits(uses: Sequence[LimitUse]) -> Figure:
    """How close each limit came, as bars of a share."""
    if not uses:
        raise ParameterError("got no limits; a chart of them needs one at least")
    figure, axes = new_figure(height=0.75 + 0.42 * len(uses))
    ax = axes[0, 0]
    with styled():
        for i, use in enumerate(reversed(uses)):
            share = 100 * use.share
            met = share >= 100
            colour = COLOURS["measured"] if met else COLOURS["demand"]
            ax.barh(
                i,
                min(share, 130),
                height=0.55,
                color=colour,
                hatch="///" if met else None,
                ec=COLOURS["ink"],
                lw=0,
            )
            factor, unit = prefixed([use.limit, use.reached], use.unit)
            text = f"{factor * use.reached:.3g} of {factor * use.limit:.3g} {unit}"
            ax.text(min(share, 130) + 1.5, i, f"{share:.0f} % ({text})", va="center")
        ax.axvline(100, color=COLOURS["critical"], lw=1.4, ls=(0, (4, 1.6)))
        ax.set_yticks(range(len(uses)), [use.name for use in reversed(uses)])
        ax.set_xlim(0, 175)
        ax.set_xticks([0, 25, 50, 75, 100])
        ax.set_xlabel("share of the limit [%]")
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0)
    return figure


def _histories(lines, what: str, run: Recording, names: Mapping[str, str] | None = None) -> Figure:
    """Traces in time: the whole record to the left, the last cycles to the right."""
    data = dataset(run)
    start, end = _close_look(data)
    axes_count = max(int(np.prod(dataset(source)[name].shape[1:])) for source, name, _ in lines)
    everything = [dataset(source)[name].values for source, name, _ in lines]
    # scaled by the run's own size: an unstable run may dwarf the ideal, and the other way round; where some axes
    # are angles, each by its own
    units = _units(dataset(lines[0][0])[lines[0][1]], data, axes_count)
    scales = [prefixed(np.concatenate([np.ravel(v) for v in everything]), units[0])] * axes_count
    if len(set(units)) > 1:
        columns = [
            np.concatenate([v.reshape(len(v), -1)[:, i] for v in everything]) for i in range(axes_count)
        ]
        scales = [prefixed(column, unit) for column, unit in zip(columns, units, strict=True)]
    figure, axes = new_figure(
        axes_count,
        2,
        height=0.95 + (1.75 if axes_count == 1 else 1.95) * axes_count,
        width=WIDTH,
        sharex="col",
        sharey="row",
        gridspec_kw={"width_ratios": [1.7, 1]},
    )
    with styled():
        for row in range(axes_count):
            (whole, closely), (factor, unit) = axes[row], scales[row]
            for source, name, line in lines:
                t, y = _trace(dataset(source), name, row)
                t, y = t[t <= end], factor * y[t <= end]
                label = (names or {}).get(line.label, line.label) if row == 0 else None
                style = {"color": line.colour, "lw": line.width, "ls": line.dash, "solid_capstyle": "round"}
                whole.plot(*decimate(t, y), label=label, **(style | {"lw": 0.8 * line.width, "ls": "-"}))
                near = t >= start
                closely.plot(*decimate(t[near], y[near], 900), **style)
            if start > data.time.values[0]:
                whole.axvspan(start, end, color=COLOURS["band"], lw=0, zorder=0)
            whole.set_xlim(data.time.values[0], end)
            closely.set_xlim(start, end)
            if axes_count > 1:
                whole.set_title(f"axis {_axis_name(data, row)}")
            whole.set_ylabel(f"{what} [{unit}]" if unit else what)
        axes[-1, 0].set_xlabel("time [s]")
        axes[-1, 1].set_xlabel("time [s], shaded part")
        figure.legend(loc="outside upper left", ncols=4, borderaxespad=0, handlelength=1.8)
    return figure


def energy(data: xr.Dataset) -> Figure:
    """Energy that the rig has added up to each time; an axis a line."""
    added = fidelity.energy_in_time(data)
    values = added.transpose("time", ...).values.reshape(data.sizes["time"], -1)
    with styled():
        figure, ((axes,),) = new_figure(height=2.2)
        for i, column in enumerate(values.T):
            label = f"axis {_axis_name(data, i)}" if values.shape[1] > 1 else None
            axes.plot(*decimate(data.time.values, column), lw=1.2, label=label)
        axes.axhline(0.0, color=COLOURS["ink"], lw=0.6)
        axes.set(xlabel="time [s]", ylabel="energy added [J]")
        if values.shape[1] > 1:
            axes.legend()
    return figure


def _unit(data: xr.Dataset, axis: int) -> str:
    """Of the displacement on an axis."""
    each = list(data["displacement"].attrs.get("axis_units", ()))
    return each[axis] if each else signals.signal("displacement").unit


def _units(values: xr.DataArray, data: xr.Dataset, count: int) -> list[str]:
    """The unit of each axis; where a difference of two traces does not say it, that of the motion."""
    for attributes in (values.attrs, data["displacement"].attrs if "displacement" in data else {}):
        each = list(attributes.get("axis_units", ()))
        if len(each) == count:
            return each
    return [values.attrs.get("units", "1")] * count


def _close_look(data: xr.Dataset) -> tuple[float, float]:
    """Start and end [s] of the last few cycles of the demand, or of the last tenth where none are clear."""
    t = data.time.values
    end = float(t[-1])
    try:
        few = data[["displacement"]].isel(time=slice(None, None, max(1, len(t) // SAMPLES)))
        found = _first_axis(fidelity.amplitude_spectrum(few, "displacement"))
        cycle = 1 / fidelity.peaks(found, count=1)[0].frequency
    except (DovetailError, IndexError):
        cycle = (end - float(t[0])) / 10 / CYCLES
    return max(end - CYCLES * cycle, float(t[0])), end


def _peaks(values: xr.DataArray) -> list[fidelity.Peak]:
    try:
        return fidelity.peaks(values, count=3, above=0.05)
    except DovetailError:
        return []


def _trace(data: xr.Dataset, name: str, axis: int) -> tuple[np.ndarray, np.ndarray]:
    values = data[name].transpose("time", ...).values
    return data.time.values, values if values.ndim == 1 else values.reshape(len(values), -1)[:, axis]


def _one_axis(data: xr.Dataset, axis: int) -> xr.Dataset:
    return data.isel(axis=axis, drop=True) if "axis" in data.dims else data


def _first_axis(array: xr.DataArray) -> xr.DataArray:
    return array.isel({d: 0 for d in array.dims if d != "frequency"}, drop=True)


def _axis_name(data: xr.Dataset, axis: int) -> str:
    return str(data.axis.values[axis]) if "axis" in data.coords else str(axis + 1)


def _curve(x: np.ndarray, y: np.ndarray, points: int = 1200) -> tuple[np.ndarray, np.ndarray]:
    """A curve in the plane with about so many points for each direction, its extremes among them."""
    shown = telling(np.stack([x, y], axis=1), points)
    return x[shown], y[shown]


def _arrow(ax, x: np.ndarray, y: np.ndarray) -> None:
    """An arrowhead on a curve, in the sense it is drawn."""
    if len(x) < 20:
        return
    at = len(x) - max(len(x) // 11, 3)
    ahead = min(at + max(len(x) // 100, 2), len(x) - 1)
    head = {"arrowstyle": "-|>", "color": COLOURS["measured"], "lw": 1.6, "mutation_scale": 16}
    ax.annotate("", (x[ahead], y[ahead]), xytext=(x[at], y[at]), arrowprops=head)


__all__ = [
    "LimitUse",
    "errors",
    "force",
    "growth_against_delay",
    "limits",
    "motion",
    "spectrum",
    "symbol",
    "synchronisation",
]
