"""Figures of a report: each function takes a recording or arrays and returns a matplotlib `Figure`.

Time histories are in `time_histories`; symbols, units and labels come from the signal table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dovetail import fidelity
from dovetail.core.decimate import decimate, decimation_index
from dovetail.core.errors import AnalysisError, DovetailError, ParameterError
from dovetail.core.si_prefix import si_prefix
from dovetail.fidelity.spectra import spectrum as amplitudes_by_frequency
from dovetail.fidelity.spectra import spectrum_peaks
from dovetail.fidelity.synchronisation import delayed_demand
from dovetail.fidelity.traces import Recorded, on_common_times, recording
from dovetail.report.style import COLOURS, HALF, figure_style, new_figure, symbol
from dovetail.report.time_histories import (
    DEMAND,
    REFERENCE,
    Axes,
    axis_name,
    errors,
    force,
    free_motion,
    has_detail_view,
    last_cycles,
    motion,
    one_axis,
    side_by_side,
    unit_of,
)

NEAR = 0.01  # fraction of the figure width; closer marks share one label


def synchronisation(run: Recorded, critical_delay: float | None = None, *, axis: int = 0) -> Figure:
    """Return the synchronisation plot of the last cycles, with the loop of the critical delay."""
    figure, axes = new_figure(width=HALF, height=3.7)
    _draw_synchronisation(axes[0, 0], run, critical_delay, axis, ("demand z", "measured x"))
    with figure_style():
        figure.legend(loc="outside upper left", ncols=1, handlelength=1.6, borderaxespad=0)
    return figure


def synchronisations(
    run: Recorded, critical_delay: float | None = None, *, axes: Sequence[int] = (0,)
) -> Figure:
    """Return the synchronisation plots of several axes, side by side."""
    return side_by_side(run, axes, lambda ax, axis: _draw_synchronisation(ax, run, critical_delay, axis))


def _draw_synchronisation(
    ax: Any,
    run: Recorded,
    critical_delay: float | None,
    axis: int,
    names: tuple[str, str] = ("demand", "measured"),
) -> None:
    data = one_axis(recording(run), axis)
    start = last_cycles(data)[0]
    closely = data.between(start)
    z, x = closely["displacement"].values, closely["measured_displacement"].values
    factor, unit = si_prefix([z, x], unit_of(recording(run), axis))
    with figure_style():
        reach = 1.08 * factor * max(np.abs(z).max(), np.abs(x).max(), 1e-300)
        ax.plot([-reach, reach], [-reach, reach], color=COLOURS["reference"], lw=1.0, label="ideal")
        if critical_delay is not None and np.isfinite(critical_delay):
            try:
                band = delayed_demand(data, critical_delay).between(start)
                ax.plot(
                    *_curve(factor * band["demand"].values, factor * band["delayed_demand"].values),
                    color=COLOURS["critical"],
                    lw=1.2,
                    ls=(0, (4, 1.6)),
                    label=f"critical delay {1e3 * critical_delay:.3g} ms",
                    zorder=3,  # drawn above a noisy loop
                )
            except AnalysisError:
                pass  # run shorter than the critical delay
        zs, xs = _curve(factor * z, factor * x)
        ax.plot(zs, xs, color=COLOURS["measured"], lw=1.3, label="measured")
        _arrow(ax, zs, xs)
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        ax.set_xlabel(f"{names[0]} [{unit}]")
        ax.set_ylabel(f"{names[1]} [{unit}]")
        ax.locator_params(nbins=5 if ax.get_gridspec().ncols == 1 else 3)
        ax.xaxis.set_major_formatter("{x:g}")


def spectrum(
    run: Recorded, reference: Recorded | None = None, *, frequency: float | None = None, axis: int = 0
) -> Figure:
    """Return amplitude spectra of demand and reference, with the frequency [Hz] of instability marked."""
    figure, axes = new_figure(width=HALF, height=3.7)
    _spectrum(axes[0, 0], run, reference, frequency, axis)
    with figure_style():
        figure.legend(loc="outside upper left", ncols=1, handlelength=1.6, borderaxespad=0)
    return figure


def spectra(
    run: Recorded,
    reference: Recorded | None = None,
    *,
    frequency: float | None = None,
    axes: Sequence[int] = (0,),
) -> Figure:
    """Return the amplitude spectra of several axes, side by side."""
    return side_by_side(run, axes, lambda ax, axis: _spectrum(ax, run, reference, frequency, axis))


def _spectrum(ax: Any, run: Recorded, reference: Recorded | None, frequency: float | None, axis: int) -> None:
    name = "displacement"
    if reference is not None:
        run, reference = on_common_times(run, reference)  # equal record lengths give equal peak widths
    spectra = [(amplitudes_by_frequency(one_axis(recording(run), axis), name), DEMAND)]
    if reference is not None:
        spectra.insert(0, (amplitudes_by_frequency(one_axis(recording(reference), axis), name), REFERENCE))
    top = max(float(amplitudes.max()) for (_, amplitudes), _ in spectra)
    factor, unit = si_prefix(top, unit_of(recording(run), axis))
    mark = frequency if frequency is not None and np.isfinite(frequency) else None
    lines = [p.frequency for s, _ in spectra for p in _peaks(*s)]
    reach = min(1.6 * max([*lines, mark or 0.0, 1.0]), float(spectra[-1][0][0][-1]))
    with figure_style():
        if mark:
            ax.axvline(
                mark,
                color=COLOURS["critical"],
                lw=1.2,
                ls=(0, (4, 1.6)),
                label=f"instability at {mark:.3g} Hz",
            )
        for (frequencies, amplitudes), line in spectra:
            below = frequencies <= reach
            ax.plot(
                *decimate(frequencies[below], factor * amplitudes[below], 800),
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
        tall = ax.get_figure().get_figheight() / ax.get_gridspec().nrows > 3
        ax.set_ylabel(f"amplitude of displacement [{unit}]" if tall else f"amplitude [{unit}]")


def growth_against_delay(
    delays: Sequence[float] | np.ndarray,
    growth: Sequence[float] | np.ndarray,
    critical_delay: float | None = None,
    marked: Mapping[str, float] | None = None,
) -> Figure:
    """Return growth rate (real part of the dominant pole) against delay, with critical delay and delays of runs.

    Parameters
    ----------
    delays, growth
        Delay [s] and real part of the dominant pole [1/s].
    critical_delay
        Delay [s] at which the curve first crosses zero.
    marked
        Delays [s] of runs, by name.
    """
    tau, sigma = np.asarray(delays, dtype=float), np.asarray(growth, dtype=float)
    if tau.ndim != 1 or tau.shape != sigma.shape or len(tau) < 2 or not np.isfinite(tau).all():
        raise ParameterError(
            f"growth_against_delay: delays have shape {tau.shape}, growth rates {sigma.shape}; "
            "give two 1-D arrays of equal length with finite delays"
        )
    figure, axes = new_figure(height=2.9)
    ax = axes[0, 0]
    with figure_style():
        ax.axhspan(0, max(np.nanmax(sigma) * 1.1, 1e-9), color=COLOURS["band"], lw=0, zorder=0)
        ax.axhline(0, color=COLOURS["faint"], lw=1)
        ax.plot(1e3 * tau, sigma, color=COLOURS["ink"], lw=1.6)
        if critical_delay is not None and np.isfinite(critical_delay):
            ax.axvline(1e3 * critical_delay, color=COLOURS["critical"], lw=1.2, ls=(0, (4, 1.6)))
            ax.annotate(
                f" critical delay {1e3 * critical_delay:.3g} ms",
                (1e3 * critical_delay, 0),
                xycoords=("data", "axes fraction"),
                xytext=(2, 5),
                textcoords="offset points",
                color=COLOURS["critical"],
            )
        for at, names in _together(marked or {}, NEAR * float(np.ptp(tau))).items():
            here = float(np.interp(at, tau, sigma))
            ax.plot(1e3 * at, here, "o", ms=6, color=COLOURS["measured"])
            early = critical_delay is None or at < critical_delay  # label position clear of curve and line
            where = (
                {"xytext": (-5, 6), "ha": "right", "va": "bottom"}
                if early
                else {"xytext": (9, -4), "va": "top"}
            )
            ax.annotate("\n".join(names), (1e3 * at, here), textcoords="offset points", **where)
        ax.set_xlim(1e3 * tau[0], 1e3 * tau[-1])
        ax.set_ylim(top=max(np.nanmax(sigma) * 1.1, 1e-9))
        ax.set_xlabel("loop delay τ [ms]")
        ax.set_ylabel("growth rate [1/s]")
        ax.text(0.01, 0.97, "unstable", transform=ax.transAxes, va="top", color=COLOURS["critical"])
    return figure


def _together(marked: Mapping[str, float], near: float) -> dict[float, list[str]]:
    """Return names by position; names closer than `near` share one position, so that labels do not overlap."""
    places: dict[float, list[str]] = {}
    for name, at in sorted(marked.items(), key=lambda item: item[1]):
        last = next(reversed(places), None)
        places.setdefault(last if last is not None and at - last <= near else at, []).append(name)
    return places


@dataclass(frozen=True)
class LimitUse:
    """Largest value of a signal and its limit."""

    name: str
    reached: float
    limit: float
    unit: str

    @property
    def share(self) -> float:
        """Largest value divided by the limit; 0 without a limit."""
        return self.reached / self.limit if np.isfinite(self.limit) else 0.0


def limits(uses: Sequence[LimitUse]) -> Figure:
    """Return the largest values in % of their limits, as bars."""
    if not uses:
        raise ParameterError("limits: no limits given; the chart needs at least one")
    figure, axes = new_figure(height=0.75 + 0.42 * len(uses))
    ax = axes[0, 0]
    with figure_style():
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
            factor, unit = si_prefix([use.limit, use.reached], use.unit)
            text = f"{factor * use.reached:.3g} of {factor * use.limit:.3g} {unit}"
            words = ax.text(min(share, 130) + 1.5, i, f"{share:.0f} % ({text})", va="center", zorder=4)
            ground = {"facecolor": COLOURS["paper"], "edgecolor": "none", "pad": 0.5}
            words.set_bbox(ground)  # background: the limit line passes below
        ax.axvline(100, color=COLOURS["critical"], lw=1.4, ls=(0, (4, 1.6)), zorder=3)
        ax.set_yticks(range(len(uses)), [use.name for use in reversed(uses)])
        ax.set_xlim(0, 175)
        ax.set_xticks([0, 25, 50, 75, 100])
        ax.set_xlabel("largest value in % of the limit")
        ax.grid(axis="y", visible=False)
        ax.tick_params(axis="y", length=0)
    return figure


def energy(run: Recorded, *, axes: Axes = None) -> Figure:
    """Return the energy added by the rig up to each time, including the force hold; one line for each axis."""
    data = recording(run)
    values = fidelity.energy_in_time(data).values.reshape(data.sizes["time"], -1)
    with figure_style():
        figure, ((ax,),) = new_figure(height=2.2)
        for i in range(values.shape[1]) if axes is None else axes:
            label = f"axis {axis_name(data, i)}" if values.shape[1] > 1 else None
            ax.plot(*decimate(data.time.values, values[:, i]), lw=1.2, label=label)
        ax.axhline(0.0, color=COLOURS["ink"], lw=0.6)
        ax.set(xlabel="time [s]", ylabel="energy added [J]")
        if values.shape[1] > 1:
            ax.legend()
    return figure


def measurement_age(run: Recorded, limit: int | None) -> Figure:
    """Return the age of the reading used in each tick, with its limit [ticks] if it comes near."""
    data = recording(run)
    age = data["measurement_age"].values
    with figure_style():
        figure, ((ax,),) = new_figure(height=1.8)
        ax.plot(*decimate(data.time.values, age), lw=1.0)
        if limit and age.max() > limit / 3:
            ax.axhline(limit, color=COLOURS["ink"], lw=0.6, ls="--")
        ax.set(xlabel="time [s]", ylabel="age of the reading [ticks]", ylim=(0, None))
    return figure


def _peaks(frequencies: np.ndarray, amplitudes: np.ndarray) -> list[fidelity.Peak]:
    try:
        return spectrum_peaks(frequencies, amplitudes, count=3, min_height=0.05)
    except DovetailError:
        return []


def _curve(x: np.ndarray, y: np.ndarray, points: int = 1200) -> tuple[np.ndarray, np.ndarray]:
    """Return a plane curve decimated to about `points` per direction, with its extremes."""
    index = decimation_index(np.stack([x, y], axis=1), points)
    return x[index], y[index]


def _arrow(ax, x: np.ndarray, y: np.ndarray) -> None:
    """Draw an arrowhead on a curve in the direction of time."""
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
    "free_motion",
    "growth_against_delay",
    "has_detail_view",
    "limits",
    "motion",
    "spectra",
    "spectrum",
    "symbol",
    "synchronisation",
    "synchronisations",
]
