"""Overlay of runs: common signals in one figure, and below it the difference of each run to the first.

Differences are computed at the samples of the first run, over the time that both runs recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tomli_w
from matplotlib.figure import Figure

from dovetail import fidelity
from dovetail.core import roles
from dovetail.core.decimate import decimate
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.core.si_prefix import si_prefix
from dovetail.report import parameters
from dovetail.report.judged import DUST
from dovetail.report.page import (
    Block,
    Collapsible,
    FigureBlock,
    Page,
    PageSection,
    PageTable,
    Paragraph,
    TableCell,
    Verdict,
)
from dovetail.report.style import SHADES, figure_style, new_figure

USUAL = (
    "displacement",
    "measured_force",
    "tension",
    "contact_force",
    "attitude_angles",
)  # signals shown first
COLUMNS = 3  # components of a signal shown: those that move most
SIGNALS = 4  # signals in an overlay
OWN = {"rad": 1.0}  # reference magnitude per unit; rounding threshold for constant signals


def common(runs: Sequence[Recording], first: Sequence[str] = (), others: bool = True) -> list[str]:
    """Return the names of signals that all runs have with the same shape, and that are not constant zero.

    Signals of `first`, then the usual ones; if there are none, all other common signals (with `others`).
    """
    shared = [
        name
        for name in runs[0]
        if all(name in data and data[name].shape[1:] == runs[0][name].shape[1:] for data in runs)
        and "time" in runs[0][name].dims
        and any(_moves(data[name]) for data in runs)
    ]
    wanted = [name for name in (*first, *USUAL) if name in shared]
    return list(dict.fromkeys([*wanted, *(shared if others and not wanted else [])]))[:SIGNALS]


def overlays(labels: Sequence[str], runs: Sequence[Recording], names: Sequence[str]) -> list[Block]:
    """Return a table of the largest differences, and a figure for each signal."""
    rows: list[list[str | float | TableCell]] = []
    pictures: list[Block] = []
    lasted = [_over(runs[0], data) for data in runs]
    for name in names:
        columns = _columns(runs, name)
        for other, data, both in zip(labels[1:], runs[1:], lasted[1:], strict=True):
            difference = _largest(runs[0], data, name)
            rows.append([_what(name), other, difference.text(), difference.share(), f"{both:.4g} s"])
        caption = f"{_what(name)}: all runs; below: difference to {labels[0]}."
        pictures.append(
            FigureBlock(overlay(labels, runs, name, columns), f"{caption[:1].upper()}{caption[1:]}")
        )
    head = [
        "signal",
        "run",
        f"largest difference to {labels[0]}",
        f"in % of the peak in {labels[0]}",
        "compared time",
    ]
    whole = [_over(data, data) for data in runs]
    if max(whole) - min(whole) < 1e-9 * max(whole):  # equal durations: omit the column
        head, rows = head[:-1], [row[:-1] for row in rows]
    return [PageTable(head, rows, numbers=range(2, len(head))), *pictures]


def overlay(labels: Sequence[str], runs: Sequence[Recording], name: str, columns: Sequence[int]) -> Figure:
    """Draw one signal of all runs, one column of panels for each component; below: differences to the first run."""
    figure, panels = new_figure(
        2, len(columns), height=3.8, sharex=True, gridspec_kw={"height_ratios": [1.5, 1]}
    )
    t0, reference = runs[0].time.values, _flat(runs[0][name])
    with figure_style():
        for panel, column in enumerate(columns):
            above, below = panels[0, panel], panels[1, panel]
            columns_of_runs = [_flat(data[name])[:, column] for data in runs]
            factor, unit = si_prefix(np.concatenate(columns_of_runs), _unit(runs[0][name], column))
            apart = [
                _difference(t0, reference[:, column], d.time.values, y)
                for d, y in zip(runs, columns_of_runs, strict=True)
            ]
            finer, fine_unit = si_prefix(
                np.concatenate([d for _, d in apart[1:]]), _unit(runs[0][name], column)
            )
            for i, (label, data, values) in enumerate(zip(labels, runs, columns_of_runs, strict=True)):
                style: dict[str, Any] = {"color": SHADES[i % len(SHADES)], "lw": 1.4 if i else 2.6}
                if not i:
                    style["alpha"] = 0.55
                above.plot(*decimate(data.time.values, factor * values), label=label, **style)
                if i:
                    below.plot(*decimate(apart[i][0], finer * apart[i][1]), **style)
            below.axhline(0.0, color=SHADES[0], lw=0.8)
            part = _part(runs[0], name, column)
            above.set_ylabel(f"{part} [{unit}]".strip() if unit else part)
            below.set_ylabel(f"difference [{fine_unit}]" if fine_unit else "difference")
            below.set_xlabel("time [s]")
        handles, words = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, words, loc="outside upper left", ncols=3, borderaxespad=0, handlelength=1.8)
        figure.align_ylabels()
    return figure


def simulations_page(title: str, labels: Sequence[str], runs: Sequence[Any]) -> Page:
    """Return the comparison of several simulations: parameters that differ, results and signals."""
    from dovetail.testing import dump

    data, tables = [run.recording for run in runs], [dump(run.test) for run in runs]
    system = runs[0].test.numerical
    names = common(data, system.FIRST if isinstance(system, roles.Captioned) else ())
    changed = parameters.differences(tables, {"": type(runs[0].test)})
    rows: list[list[str | float | TableCell]] = [
        [path, *values] for path, values in changed.items() if path != "title"
    ]
    differ: list[Block] = (
        [PageTable(["parameter", *labels], rows)] if rows else [Paragraph("All parameters are equal.")]
    )
    results = [fidelity.results(run) for run in runs]
    measures = list(dict.fromkeys(name for each in results for name in each))
    ended = [["outcome", *(run.outcome.value for run in runs)]]
    came = [*ended, *([name, *(each.get(name, "") for each in results)] for name in measures)]
    blocks: list[Block] = [
        PageSection("Differences", differ),
        PageSection("Results", [PageTable(["", *labels], came)]),
        PageSection(
            "Overlay",
            overlays(labels, data, names) if names else [Paragraph("No common signals.")],
        ),
        *(
            Collapsible(f"Simulation file: {label}", tomli_w.dumps(t))
            for label, t in zip(labels, tables, strict=True)
        ),
    ]
    return Page(title, Verdict(_apart(labels, data, names)), blocks, subtitle="Comparison of simulations")


def apart(labels: Sequence[str], runs: Sequence[Recording], name: str) -> tuple[bool, str]:
    """Return whether a signal of any run differs from the first run, and a sentence with the largest difference."""
    differences = [_largest(runs[0], data, name) for data in runs[1:]]
    most = max(range(len(differences)), key=lambda i: (not differences[i].alike, differences[i].relative))
    if differences[most].alike:
        return False, f"{_what(name)[:1].upper()}{_what(name)[1:]}: no difference to {labels[0]}."
    what = f"{_what(name)[:1].upper()}{_what(name)[1:]}"
    share = f" ({differences[most].share()} of the peak there)" if differences[most].share() else ""
    of = f" of {labels[1 + most]}" if len(runs) > 2 else ""
    return True, f"{what}{of}: largest difference to {labels[0]} {differences[most].text()}{share}."


def _apart(labels: Sequence[str], runs: Sequence[Recording], names: Sequence[str]) -> str:
    """Return a sentence with the largest difference between simulations."""
    if not names:
        return f"{len(runs)} simulations without common signals."
    differ, sentence = apart(labels, runs, names[0])
    return f"{'Different' if differ else 'Identical'}: {sentence[:1].lower()}{sentence[1:]}"


@dataclass(frozen=True)
class _Difference:
    """Largest difference of a signal, and its largest value in the first run in the same unit."""

    away: float
    size: float
    unit: str

    @property
    def relative(self) -> float:
        """Difference divided by the largest value."""
        return self.away / self.size if self.size > 0 else float(np.inf if self.away > 0 else 0.0)

    @property
    def alike(self) -> bool:
        """Whether the difference is rounding error."""
        return self.away <= DUST * max(self.size, OWN.get(self.unit, 0.0))

    def text(self) -> str:
        """Return the difference with its unit."""
        factor, unit = si_prefix([self.away], self.unit)
        return "none" if self.alike else f"{factor * self.away:.3g} {unit}".strip()

    def share(self) -> str:
        """Return the relative difference in percent; empty if the first run is zero."""
        if self.alike:
            return "0 %"
        return f"{100 * self.relative:.3g} %" if self.size > DUST * OWN.get(self.unit, 0.0) else ""


def _largest(first: Recording, other: Recording, name: str) -> _Difference:
    """Return the largest difference of a signal over its components.

    Components in one unit form one vector: a small component is compared with the largest value of that unit. With
    lengths and angles, the larger relative difference counts.
    """
    columns = _flat(first[name]).T
    sizes: dict[str, float] = {}
    largest: dict[str, float] = {}
    for column, y in enumerate(columns):
        unit = _unit(first[name], column)
        sizes[unit] = max(sizes.get(unit, 0.0), float(np.nanmax(np.abs(y), initial=0.0)))
        _, away = _difference(first.time.values, y, other.time.values, _flat(other[name])[:, column])
        largest[unit] = max(largest.get(unit, 0.0), float(np.nanmax(np.abs(away), initial=0.0)))
    each = [_Difference(away, sizes[unit], unit) for unit, away in largest.items()]
    return max(each, key=lambda d: (not d.alike, d.relative))


def _over(first: Recording, other: Recording) -> float:
    """Return the time [s] that both runs recorded."""
    ends = [(float(data.time.values[0]), data.last_time) for data in (first, other)]
    return max(min(end for _, end in ends) - max(start for start, _ in ends), 0.0)


def _moves(values: RecordedSignal) -> bool:
    """Return whether a signal exceeds the rounding error in its unit."""
    flat = np.abs(_flat(values))
    return any(
        np.nanmax(flat[:, i], initial=0.0) > DUST * OWN.get(_unit(values, i), 0.0)
        for i in range(flat.shape[1])
    )


def _difference(
    t0: np.ndarray, y0: np.ndarray, t: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    both = (t0 >= t[0]) & (t0 <= t[-1])
    return t0[both], np.interp(t0[both], t, y) - y0[both]


def _columns(runs: Sequence[Recording], name: str) -> list[int]:
    """Return the components of a signal that move most, in their order."""
    reach = np.max([np.nanmax(np.abs(_flat(data[name])), axis=0) for data in runs], axis=0)
    most = [int(i) for i in np.argsort(-reach)[:COLUMNS] if reach[i] > DUST * reach.max()]
    return sorted(most) or [0]


def _flat(values: RecordedSignal) -> np.ndarray:
    return values.transpose("time", ...).values.reshape(values.sizes["time"], -1)


def _unit(values: RecordedSignal, column: int = 0) -> str:
    each = list(values.attrs.get("axis_units", ()))
    return str(each[column] if column < len(each) else values.attrs.get("units", "1")).split(",")[0]


def _part(data: Recording, name: str, column: int) -> str:
    """Return the name of a component of a signal."""
    values = data[name]
    if values.ndim == 1:
        return _what(name)
    place = np.unravel_index(column, values.shape[1:])
    names = [
        str(data.coords[dim].values[i])
        if dim in data.coords
        else f"{str(dim).rpartition('_')[0] or dim} {i + 1}"
        for dim, i in zip(values.dims[1:], place, strict=True)
    ]
    return _what(" ".join(names))


def _what(name: str) -> str:
    return name.replace("_", " ")
