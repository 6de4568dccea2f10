"""The page on a campaign: what was varied, what came of it, maps over the design space, and what matters most."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from dovetail.campaign import Store, open_results, sensitivity, worst_cases
from dovetail.campaign.analysis_results import rows as flat_rows
from dovetail.core.errors import DovetailError
from dovetail.core.si_prefix import FRACTION, si_prefix
from dovetail.report import campaign_analyses
from dovetail.report.campaign_analyses import worded
from dovetail.report.maps import bars, curve, curves, field, scatter
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
from dovetail.report.test_section import versions

MEASURES, MAPS = 4, 3  # that get pictures; maps of each
WORST = 5
LINES = 8  # in one picture: more cannot be told apart
BINS = 8  # of a measured axis, for its share of the variation
ERROR = re.compile(r"(rms|peak)_e[12]?(_[a-z]+)?")  # measures that are shares of the ideal's rms
LIST = ("outcome", "end_time")  # measures that every test has
Columns = dict[str, np.ndarray]


def write_campaign(folder: str | Path, path: str | Path) -> Path:
    """Write the page on the campaign in a folder."""
    return campaign_page(folder).write(path)


def campaign_page(folder: str | Path) -> Page:
    """The page on the campaign in a folder, complete or not."""
    store = Store.resume(folder)
    data = open_results(folder, flat=True)
    table = flat_rows(data)
    names = measures(store, table)
    units = {str(name): str(data[name].attrs.get("units", "1")) for name in data.variables}
    units |= {name: units.get(name.rpartition("_")[0], "1") for name in names if name not in units}
    units |= {axis.name: axis.unit for axis in store.campaign.axes}
    if store.campaign.subject == "test":
        units |= {name: FRACTION for name in table if ERROR.fullmatch(name)}
    title = store.campaign.title or Path(folder).name
    found = [*campaign_analyses.sentences(store, table, units), *campaign_analyses.outcome_map(store, table)]
    blocks: list[Block] = [
        *([PageSection("Answers", found)] if found else []),
        PageSection("What was varied", _varied(store)),
        PageSection("What came of it", _ranges(table, names, units)),
    ]
    for name in names[:MEASURES]:
        blocks.append(PageSection(worded(name), _measure(store, table, name, units)))
    reasons = store.reasons()
    if reasons:
        causes = Counter(reasons.values()).most_common(10)
        blocks.append(
            PageSection(
                "Points that failed", [PageTable(["points", "why"], [[str(n), t] for t, n in causes])]
            )
        )
    blocks.append(PageSection("Provenance", _provenance(store)))
    return Page(title, _verdict(store, table, names), blocks, subtitle=_subtitle(store))


def measures(store: Store, table: Columns) -> list[str]:
    """Measures with numbers, those of the campaign's file first."""
    axes = {axis.name for axis in store.campaign.axes} | {"point", "seed"}
    found = [
        name
        for name, column in table.items()
        if name not in axes and name not in LIST and not name.startswith(tuple(f"{n}_" for n in LIST))
    ]
    named = {name for name in found if any(other != name and other.startswith(f"{name}_") for other in found)}
    found = [name for name in found if name not in named]  # a name alone is that of the last mode: said twice
    usable = [n for n in found if np.isfinite(np.asarray(table[n], float)).any()]
    # what varies first, and what the rig does before the ideal
    return sorted(usable, key=lambda n: (not np.ptp(_finite(table[n])) > 0, n.endswith("_emulate")))


def shares(store: Store, table: Columns, measure: str) -> tuple[list[tuple[str, float]], str]:
    """What each axis explains of a measure, strongest first, and in words how that was found."""
    campaign = store.campaign
    try:
        if campaign.kind == "saltelli":
            found = [(row.name, row.total) for row in sensitivity.sobol(campaign, table[measure])]
            return found, "Total Sobol index: the share of the variance that the axis takes part in."
        if campaign.kind == "morris":
            effects = sensitivity.morris(campaign, table[measure])
            return [(row.name, row.size) for row in effects], "Mean size of the elementary effects."
    except DovetailError:
        pass  # points failed: what is there is looked at as any other design
    values = np.asarray(table[measure], float)
    good = np.isfinite(values)
    spread = float(np.var(values[good]))
    found = []
    for axis in campaign.axes:
        groups = _groups(table[axis.name][good], axis.numeric)
        means = np.array([values[good][groups == g].mean() for g in range(groups.max() + 1)])
        weights = np.bincount(groups) / max(len(groups), 1)
        between = float(np.sum(weights * (means - values[good].mean()) ** 2))
        found.append((axis.name, between / spread if spread > 0 else 0.0))
    how = "Share of the variance that the axis explains alone, from the means over its values."
    return sorted(found, key=lambda row: -row[1]), how


def _groups(column: np.ndarray, numeric: bool) -> np.ndarray:
    """Points by the values of an axis; a measured axis in bins of equal counts."""
    distinct, place = np.unique(column.astype(float if numeric else str), return_inverse=True)
    if len(distinct) <= 2 * BINS:
        return place
    edges = np.quantile(column.astype(float), np.linspace(0, 1, BINS + 1)[1:-1])
    return np.searchsorted(edges, column.astype(float))


def _varied(store: Store) -> list[Block]:
    campaign = store.campaign
    rows: list[list[str | float | TableCell]] = []
    points = campaign.points()
    for axis in campaign.axes:
        column = points[axis.name]
        distinct = list(dict.fromkeys(column.tolist()))
        span = (
            ", ".join(map(str, distinct))
            if not axis.numeric
            else "{:.4g} to {:.4g}".format(
                *(si_prefix(distinct, axis.unit)[0] * np.array([min(distinct), max(distinct)]))
            )
        )
        unit = si_prefix(distinct, axis.unit)[1] if axis.numeric else ""
        rows.append([worded(axis.name), ", ".join(axis.paths), span, unit, str(len(distinct))])
    head = ["axis", "parameter", "values", "unit", "how many"]
    seeds = f", {len(campaign.seeds)} seeds each" if len(campaign.seeds) > 1 else ""
    said = f"{store.total} points, design: {campaign.kind}{seeds}. Subject: {campaign.of}."
    return [Text(said), PageTable(head, rows, numbers=(4,))]


def _ranges(table: Columns, names: Sequence[str], units: dict[str, str]) -> list[Block]:
    rows: list[list[str | float | TableCell]] = []
    for name in names:
        values = _finite(table[name])
        factor, unit = si_prefix(values, units.get(name, "1"))
        quantiles = [f"{factor * v:.4g}" for v in np.quantile(values, [0, 0.05, 0.5, 0.95, 1])]
        rows.append([worded(name), *quantiles, unit, str(len(values))])
    head = ["measure", "least", "5 %", "median", "95 %", "most", "unit", "points"]
    return [PageTable(head, rows, numbers=(1, 2, 3, 4, 5, 7))]


def _measure(store: Store, table: Columns, name: str, units: dict[str, str]) -> list[Block]:
    """Ranking, maps and worst points of one measure."""
    ranked, how = shares(store, table, name)
    given = table
    table, label = _scaled(store, table, name, units)
    numeric = [axis for axis in store.campaign.axes if axis.numeric]
    blocks: list[Block] = []
    if len(ranked) > 1:
        named = [(worded(axis), share) for axis, share in ranked]
        blocks.append(Picture(bars(named), f"What matters to {worded(name)}. {how}"))
    order = {axis: i for i, (axis, _) in enumerate(ranked)}
    numeric.sort(key=lambda axis: order[axis.name])
    one = store.campaign.kind in ("one-at-a-time", "morris") or len(numeric) < 2
    if one:
        for axis in numeric[:MAPS]:
            chosen = _alone(store, given, axis) if store.campaign.kind == "one-at-a-time" else slice(None)
            x, y = table[axis.name][chosen].astype(float), np.asarray(table[name], float)[chosen]
            caption = f"{label} over {worded(axis.name)}."
            named_axes = [other for other in store.campaign.axes if not other.numeric]
            if store.campaign.kind == "grid" and len(named_axes) == 1 and len(named_axes[0].values) <= LINES:
                words = table[named_axes[0].name][chosen]
                caption = f"{label} over {worded(axis.name)}, a line for each {worded(named_axes[0].name)}."
                blocks.append(
                    Picture(curves(x, y, words, _axis_label(axis, given[axis.name]), label), caption)
                )
                continue
            blocks.append(Picture(curve(x, y, _axis_label(axis, given[axis.name]), label), caption))
    else:
        place = {axis.name: i for i, axis in enumerate(store.campaign.axes)}
        for pair in list(itertools.combinations(numeric, 2))[:MAPS]:
            a, b = sorted(pair, key=lambda axis: place[axis.name])  # the same way round on every map
            blocks.append(
                _map(
                    store, table, name, label, a, b, [_axis_label(axis, given[axis.name]) for axis in (a, b)]
                )
            )
    try:
        worst = worst_cases.worst(store.campaign, given, name, WORST)
    except DovetailError:
        worst = []
    rows = [
        [
            campaign_analyses.quantity(case.value, units.get(name, "1")),
            campaign_analyses.place(case.point, units),
            _rounded(case.command),
        ]
        for case in worst
    ]
    if rows:
        caption = "Largest in size, and the command that runs each alone"
        blocks.append(
            PageTable([worded(name), "at", "command"], rows, caption, numbers=(0,), dense=True, told=True)
        )
    return blocks


def _map(
    store: Store, table: Columns, name: str, label: str, a: Any, b: Any, labels: Sequence[str]
) -> Picture:
    x, y, z = (np.asarray(table[n], float) for n in (a.name, b.name, name))
    xs, ys = np.unique(x), np.unique(y)
    others = [axis for axis in store.campaign.axes if axis.name not in (a.name, b.name)]
    if len(xs) * len(ys) <= len(x) * 1.0001 and store.campaign.kind == "grid":
        grid = np.full((len(ys), len(xs)), np.nan)
        counts = np.zeros_like(grid)
        i, j = np.searchsorted(ys, y), np.searchsorted(xs, x)
        good = np.isfinite(z)
        np.add.at(counts, (i[good], j[good]), 1)
        sums = np.zeros_like(grid)
        np.add.at(sums, (i[good], j[good]), z[good])
        np.divide(sums, counts, out=grid, where=counts > 0)
        averaged = [worded(axis.name) for axis in others] + (["seed"] if "seed" in table else [])
        mean = f", mean over {', '.join(averaged)}" if averaged else ""
        white = " White: no value." if np.isnan(grid).any() else ""
        caption = f"{label} over {worded(a.name)} and {worded(b.name)}{mean}.{white}"
        return Picture(field(xs, ys, grid, labels[0], labels[1], label), caption)
    others_vary = "; the other axes vary too" if others else ""
    caption = f"{label} at every point, over {worded(a.name)} and {worded(b.name)}{others_vary}."
    return Picture(scatter(x, y, z, labels[0], labels[1], label), caption)


def _alone(store: Store, table: Columns, axis: Any) -> np.ndarray:
    """Points at which all other axes have their defaults."""
    same = [table[o.name] == o.default for o in store.campaign.axes if o.name != axis.name]
    return np.flatnonzero(np.all(same, axis=0)) if same else np.arange(len(table[axis.name]))


def _verdict(store: Store, table: Columns, names: Sequence[str]) -> Verdict:
    done, failed = store.count(), len(store.reasons())
    said = (
        f"{done} of {store.total} points computed"
        if done < store.total
        else f"All {store.total} points computed"
    )
    said += f", {failed} failed." if failed else ", none failed."
    if names:
        ranked, _ = shares(store, table, names[0])
        if len(ranked) > 1:
            said += f" What matters most to {worded(names[0])} is {worded(ranked[0][0])}."
    share, why = campaign_analyses.stopped(table) if store.campaign.subject == "test" else (0.0, "")
    if share > 0:
        said += f" {100 * share:.3g} % of the runs were stopped, most as {why}."
    return Verdict(said, "caution" if failed or share > 0 or done < store.total else "plain")


def _provenance(store: Store) -> list[Block]:
    spec = store.campaign.spec()
    text = tomli_w.dumps({key: value for key, value in spec.items() if value is not None and key != "axes"})
    return [versions({}), Folded("The campaign as it was computed", text)]


def _subtitle(store: Store) -> str:
    modes = " and ".join(store.campaign.modes) if store.campaign.subject == "test" else store.campaign.subject
    return f"Campaign: {modes} at {store.total} points"


def _finite(column: np.ndarray) -> np.ndarray:
    values = np.asarray(column, float)
    return values[np.isfinite(values)]


def _scaled(store: Store, table: Columns, name: str, units: dict[str, str]) -> tuple[Columns, str]:
    """The table with a measure and all axes in units that suit them, and what the measure is called."""
    factor, unit = si_prefix(_finite(table[name]), units.get(name, "1"))
    scaled = {name: factor * np.asarray(table[name], float)}
    for axis in store.campaign.axes:
        if axis.numeric:
            values = np.asarray(table[axis.name], float)
            scaled[axis.name] = si_prefix(values, axis.unit)[0] * values
    return {**table, **scaled}, f"{worded(name)}{f' [{unit}]' if unit else ''}"


def _rounded(command: str) -> str:
    """A command without digits that are rounding: 0.00875 for 0.008749999999999999."""
    return re.sub(r"(?<![\w.])-?\d+\.\d{9,}(?:e-?\d+)?", lambda m: f"{float(m[0]):.12g}", command)


def _axis_label(axis: Any, values: np.ndarray) -> str:
    unit = si_prefix(values, axis.unit)[1]
    return f"{worded(axis.name)} [{unit}]" if unit else worded(axis.name)
