"""Runs laid over each other: the same signals in one picture, and below it what each differs by from the first.

Differences are taken at the first run's samples, over the time that both were recorded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tomli_w
import xarray as xr
from matplotlib.figure import Figure

from dovetail.core import roles
from dovetail.report import parameters
from dovetail.report.charts import SHADES
from dovetail.report.decimate import decimate
from dovetail.report.page import (
    Block,
    Folded,
    Page,
    PageSection,
    PageTable,
    Picture,
    TableCell,
    Text,
    Verdict,
)
from dovetail.report.style import new_figure, prefixed, styled
from dovetail.report.view import DUST

USUAL = (
    "displacement",
    "measured_force",
    "tension",
    "contact_force",
    "attitude_angles",
)  # people look at first
COLUMNS = 3  # of a signal with many: those that differ or move most
SIGNALS = 4  # that are laid over each other


def common(runs: Sequence[xr.Dataset], first: Sequence[str] = ()) -> list[str]:
    """Signals that all have, alike in shape and over time: those of `first`, then the usual ones, then others."""
    shared = [
        str(name)
        for name in runs[0].data_vars
        if all(name in data and data[name].shape[1:] == runs[0][name].shape[1:] for data in runs)
        and "time" in runs[0][name].dims
        and np.any(runs[0][name].values)
    ]
    wanted = [name for name in (*first, *USUAL) if name in shared]
    return list(dict.fromkeys([*wanted, *(wanted or shared)]))[:SIGNALS]


def overlays(labels: Sequence[str], runs: Sequence[xr.Dataset], names: Sequence[str]) -> list[Block]:
    """A table of the largest differences, and a picture for each signal."""
    rows: list[list[str | float | TableCell]] = []
    pictures: list[Block] = []
    for name in names:
        columns = _columns(runs, name)
        for other, data in zip(labels[1:], runs[1:], strict=True):
            away, size = _largest(runs[0], data, name)
            factor, unit = prefixed([away], _unit(runs[0][name]))
            share = f"{100 * away / size:.3g} %" if size > 0 else ""
            rows.append(
                [_what(name), other, "none" if away <= DUST * size else f"{factor * away:.3g} {unit}", share]
            )
        caption = f"{_what(name)}: all runs, and below each less {labels[0]}."
        pictures.append(Picture(overlay(labels, runs, name, columns), f"{caption[:1].upper()}{caption[1:]}"))
    head = ["signal", "run", f"largest difference from {labels[0]}", "of its largest"]
    return [PageTable(head, rows, numbers=(2, 3)), *pictures]


def overlay(labels: Sequence[str], runs: Sequence[xr.Dataset], name: str, columns: Sequence[int]) -> Figure:
    """One signal of all runs, a column of panels for each of its parts; differences from the first below."""
    figure, panels = new_figure(
        2, len(columns), height=3.8, sharex=True, gridspec_kw={"height_ratios": [1.5, 1]}
    )
    t0, reference = runs[0].time.values, _flat(runs[0][name])
    with styled():
        for panel, column in enumerate(columns):
            above, below = panels[0, panel], panels[1, panel]
            shown = [_flat(data[name])[:, column] for data in runs]
            factor, unit = prefixed(np.concatenate(shown), _unit(runs[0][name], column))
            apart = [
                _difference(t0, reference[:, column], d.time.values, y)
                for d, y in zip(runs, shown, strict=True)
            ]
            finer, fine_unit = prefixed(
                np.concatenate([d for _, d in apart[1:]]), _unit(runs[0][name], column)
            )
            for i, (label, data, values) in enumerate(zip(labels, runs, shown, strict=True)):
                style: dict[str, Any] = {"color": SHADES[i % len(SHADES)], "lw": 1.4 if i else 2.6}
                if not i:
                    style["alpha"] = 0.55
                above.plot(*decimate(data.time.values, factor * values), label=label, **style)
                if i:
                    below.plot(*decimate(apart[i][0], finer * apart[i][1]), **style)
            below.axhline(0.0, color=SHADES[0], lw=0.8)
            part = _part(runs[0][name], column)
            above.set_ylabel(f"{part} [{unit}]".strip() if unit else part)
            below.set_ylabel(f"difference [{fine_unit}]" if fine_unit else "difference")
            below.set_xlabel("time [s]")
        handles, words = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, words, loc="outside upper left", ncols=3, borderaxespad=0, handlelength=1.8)
        figure.align_ylabels()
    return figure


def simulations_page(title: str, labels: Sequence[str], runs: Sequence[Any]) -> Page:
    """Several simulations beside each other: what differs between them, what came of it, and their signals."""
    from dovetail.testing import dump

    data, tables = [run.data for run in runs], [dump(run.test) for run in runs]
    system = runs[0].test.system
    names = common(data, system.FIRST if isinstance(system, roles.Captioned) else ())
    changed = parameters.differences(tables, {"": type(runs[0].test)})
    rows: list[list[str | float | TableCell]] = [
        [path, *values] for path, values in changed.items() if path != "title"
    ]
    differ: list[Block] = (
        [PageTable(["parameter", *labels], rows)] if rows else [Text("Their parameters are the same.")]
    )
    told = [roles.measured(run.test.system, run.data) for run in runs]
    measures = list(dict.fromkeys(name for each in told for name in each))
    ended = [["how it ended", *(run.outcome.value for run in runs)]]
    came = [*ended, *([name, *(each.get(name, "") for each in told)] for name in measures)]
    blocks: list[Block] = [
        PageSection("What differs between them", differ),
        PageSection("What came of it", [PageTable(["", *labels], came)]),
        PageSection(
            "Laid over each other",
            overlays(labels, data, names) if names else [Text("They share no signal.")],
        ),
        *(
            Folded(f"{label} as it was run", tomli_w.dumps(t))
            for label, t in zip(labels, tables, strict=True)
        ),
    ]
    return Page(title, Verdict(_apart(labels, data, names)), blocks, subtitle="Simulations side by side")


def _apart(labels: Sequence[str], runs: Sequence[xr.Dataset], names: Sequence[str]) -> str:
    """How far the runs are from each other, in a sentence."""
    if not names:
        return f"{len(runs)} simulations that share no signal."
    away, size = max((_largest(runs[0], data, names[0]) for data in runs[1:]), key=lambda found: found[0])
    if away <= DUST * size:
        return f"Alike: no {_what(names[0])} differs from that of {labels[0]}."
    factor, unit = prefixed([away], _unit(runs[0][names[0]]))
    most = f"{factor * away:.3g} {unit} ({100 * away / size:.3g} %)"
    return f"Apart: {_what(names[0])} by {most} from {labels[0]} at most."


def _largest(first: xr.Dataset, other: xr.Dataset, name: str) -> tuple[float, float]:
    """The largest difference of a signal, of any of its parts, and the largest value in the first run of those alike.

    Parts in one unit are parts of one vector: what is small in the first run is not measured by itself.
    """
    columns = _flat(first[name]).T
    sizes: dict[str, float] = {}
    found = []
    for column, y in enumerate(columns):
        unit = _unit(first[name], column)
        sizes[unit] = max(sizes.get(unit, 0.0), float(np.nanmax(np.abs(y), initial=0.0)))
        _, apart = _difference(first.time.values, y, other.time.values, _flat(other[name])[:, column])
        found.append((float(np.nanmax(np.abs(apart), initial=0.0)), unit))
    away, unit = max(found, key=lambda pair: pair[0])
    return away, sizes[unit]


def _difference(
    t0: np.ndarray, y0: np.ndarray, t: np.ndarray, y: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    both = (t0 >= t[0]) & (t0 <= t[-1])
    return t0[both], np.interp(t0[both], t, y) - y0[both]


def _columns(runs: Sequence[xr.Dataset], name: str) -> list[int]:
    """Parts of a signal that are worth a panel: those that move most, in their order."""
    reach = np.max([np.nanmax(np.abs(_flat(data[name])), axis=0) for data in runs], axis=0)
    most = [int(i) for i in np.argsort(-reach)[:COLUMNS] if reach[i] > DUST * reach.max()]
    return sorted(most) or [0]


def _flat(values: xr.DataArray) -> np.ndarray:
    return values.transpose("time", ...).values.reshape(values.sizes["time"], -1)


def _unit(values: xr.DataArray, column: int = 0) -> str:
    each = list(values.attrs.get("axis_units", ()))
    return str(each[column] if column < len(each) else values.attrs.get("units", "1")).split(",")[0]


def _part(values: xr.DataArray, column: int) -> str:
    """What one part of a signal is called."""
    if values.ndim == 1:
        return _what(str(values.name))
    place = np.unravel_index(column, values.shape[1:])
    names = [
        str(values.coords[dim].values[i])
        if dim in values.coords
        else f"{str(dim).rpartition('_')[0] or dim} {i + 1}"
        for dim, i in zip(values.dims[1:], place, strict=True)
    ]
    return " ".join(names)


def _what(name: str) -> str:
    return name.replace("_", " ")
