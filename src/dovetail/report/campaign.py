"""Report on a campaign: analyses, parameters, results, sensitivities and maps."""

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
from dovetail.report.campaign_analyses import readable_name
from dovetail.report.html import write_page
from dovetail.report.maps import bars, curve, curves, field, scatter
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
from dovetail.report.test_section import versions

MEASURES, MAPS = 4, 3  # measures with figures; maps of each measure
WORST = 5
LINES = 8  # lines in one figure that can be distinguished
BINS = 8  # bins of a continuous parameter, for its fraction of the variance
ERROR = re.compile(
    r"(rms|peak)_e[12]?(_[a-z]+)?"
)  # measures that are fractions of the rms reference displacement
LIST = ("outcome", "end_time")  # measures of every test
Columns = dict[str, np.ndarray]


def write_campaign(folder: str | Path, path: str | Path) -> Path:
    """Write the report on the campaign in a folder."""
    return write_page(campaign_page(folder), path)


def campaign_page(folder: str | Path) -> Page:
    """Return the report on the campaign in a folder, complete or not."""
    store = Store.resume(folder)
    data = open_results(folder, flat=True)
    table = flat_rows(data)
    names = measures(store, table)
    units = {str(name): str(data[name].attrs.get("units", "1")) for name in data.variables}
    units |= {name: units.get(name.rpartition("_")[0], "1") for name in names if name not in units}
    units |= {parameter.name: parameter.unit for parameter in store.campaign.parameters}
    if store.campaign.subject == "test":
        units |= {name: FRACTION for name in table if ERROR.fullmatch(name)}
    title = store.campaign.title or Path(folder).name
    analyses = [
        *campaign_analyses.sentences(store, table, units),
        *campaign_analyses.outcome_map(store, table),
    ]
    blocks: list[Block] = [
        *([PageSection("Analyses", analyses)] if analyses else []),
        PageSection("Parameters", _parameter_table(store)),
        PageSection("Results", _ranges(table, names, units)),
    ]
    for name in names[:MEASURES]:
        blocks.append(PageSection(readable_name(name), _measure(store, table, name, units)))
    reasons = store.failure_reasons()
    if reasons:
        causes = Counter(reasons.values()).most_common(10)
        blocks.append(
            PageSection("Failed points", [PageTable(["points", "reason"], [[str(n), t] for t, n in causes])])
        )
    blocks.append(PageSection("Provenance", _provenance(store)))
    return Page(title, _verdict(store, table, names), blocks, subtitle=_subtitle(store))


def measures(store: Store, table: Columns) -> list[str]:
    """Return the numeric measures, varying ones first."""
    parameters = {parameter.name for parameter in store.campaign.parameters} | {"point", "seed"}
    names = [
        name
        for name in table
        if name not in parameters and name not in LIST and not name.startswith(tuple(f"{n}_" for n in LIST))
    ]
    # a name without mode repeats the value of the last mode
    repeated = {name for name in names if any(o != name and o.startswith(f"{name}_") for o in names)}
    usable = [n for n in names if n not in repeated and np.isfinite(np.asarray(table[n], float)).any()]
    # varying measures first, and the rig before the reference
    return sorted(usable, key=lambda n: (not np.ptp(_finite(table[n])) > 0, n.endswith("_reference")))


def variance_fractions(store: Store, table: Columns, measure: str) -> tuple[list[tuple[str, float]], str]:
    """Return the fraction of a measure's variance that each parameter explains, largest first, and the method."""
    campaign = store.campaign
    try:
        if campaign.design_kind == "saltelli":
            indices = [(row.name, row.total) for row in sensitivity.sobol(campaign, table[measure])]
            return indices, "Total Sobol index: fraction of the variance to which the parameter contributes."
        if campaign.design_kind == "morris":
            effects = sensitivity.morris(campaign, table[measure])
            return [(row.name, row.size) for row in effects], "Mean magnitude of the elementary effects."
    except DovetailError:
        pass  # failed points: use the available points as any other design
    values = np.asarray(table[measure], float)
    good = np.isfinite(values)
    variance = float(np.var(values[good]))
    fractions = []
    for parameter in campaign.parameters:
        groups = _groups(table[parameter.name][good], parameter.numeric)
        means = np.array([values[good][groups == g].mean() for g in range(groups.max() + 1)])
        weights = np.bincount(groups) / max(len(groups), 1)
        between = float(np.sum(weights * (means - values[good].mean()) ** 2))
        fractions.append((parameter.name, between / variance if variance > 0 else 0.0))
    method = "Fraction of the variance that the parameter explains alone, from the means at its values."
    return sorted(fractions, key=lambda row: -row[1]), method


def _groups(column: np.ndarray, numeric: bool) -> np.ndarray:
    """Return the group of each point by the value of a parameter; continuous parameters in bins of equal counts."""
    distinct, indices = np.unique(column.astype(float if numeric else str), return_inverse=True)
    if len(distinct) <= 2 * BINS:
        return indices
    edges = np.quantile(column.astype(float), np.linspace(0, 1, BINS + 1)[1:-1])
    return np.searchsorted(edges, column.astype(float))


def _parameter_table(store: Store) -> list[Block]:
    campaign = store.campaign
    rows: list[list[str | float | TableCell]] = []
    points = campaign.points()
    for parameter in campaign.parameters:
        column = points[parameter.name]
        distinct = list(dict.fromkeys(column.tolist()))
        span = (
            ", ".join(map(str, distinct))
            if not parameter.numeric
            else "{:.4g} to {:.4g}".format(
                *(si_prefix(distinct, parameter.unit)[0] * np.array([min(distinct), max(distinct)]))
            )
        )
        unit = si_prefix(distinct, parameter.unit)[1] if parameter.numeric else ""
        rows.append(
            [readable_name(parameter.name), ", ".join(parameter.paths), span, unit, str(len(distinct))]
        )
    head = ["parameter", "path", "values", "unit", "count"]
    seeds = f", {len(campaign.seeds)} seeds each" if len(campaign.seeds) > 1 else ""
    text = f"{store.total} points. Design: {campaign.design_kind}{seeds}. Subject: {campaign.subject_name}."
    return [Paragraph(text), PageTable(head, rows, numbers=(4,))]


def _ranges(table: Columns, names: Sequence[str], units: dict[str, str]) -> list[Block]:
    rows: list[list[str | float | TableCell]] = []
    for name in names:
        values = _finite(table[name])
        factor, unit = si_prefix(values, units.get(name, "1"))
        quantiles = [f"{factor * v:.4g}" for v in np.quantile(values, [0, 0.05, 0.5, 0.95, 1])]
        rows.append([readable_name(name), *quantiles, unit, str(len(values))])
    head = ["measure", "min", "5 %", "median", "95 %", "max", "unit", "points"]
    return [PageTable(head, rows, numbers=(1, 2, 3, 4, 5, 7))]


def _measure(store: Store, table: Columns, name: str, units: dict[str, str]) -> list[Block]:
    """Return sensitivities, maps and worst cases of one measure."""
    campaign = store.campaign
    ranked, method = variance_fractions(store, table, name)
    scaled, label = _in_prefixed_units(store, table, name, units)
    numeric = [parameter for parameter in campaign.parameters if parameter.numeric]
    blocks: list[Block] = []
    if len(ranked) > 1:
        rows = [(readable_name(parameter), fraction) for parameter, fraction in ranked]
        blocks.append(FigureBlock(bars(rows), f"Sensitivity of {readable_name(name)}. {method}"))
    rank = {parameter: i for i, (parameter, _) in enumerate(ranked)}
    numeric.sort(key=lambda parameter: rank[parameter.name])
    labels = {parameter.name: _parameter_label(parameter, table[parameter.name]) for parameter in numeric}
    if campaign.design_kind in ("one-at-a-time", "morris") or len(numeric) < 2:
        for parameter in numeric[:MAPS]:
            blocks.append(_curve(store, table, scaled, name, label, parameter, labels[parameter.name]))
    else:
        position = {parameter.name: i for i, parameter in enumerate(campaign.parameters)}
        for pair in list(itertools.combinations(numeric, 2))[:MAPS]:
            a, b = sorted(
                pair, key=lambda parameter: position[parameter.name]
            )  # same orientation in every map
            blocks.append(_map(store, scaled, name, label, a, b, (labels[a.name], labels[b.name])))
    try:
        cases = worst_cases(campaign, table, name, WORST)
    except DovetailError:
        cases = []
    rows_of_cases = [
        [
            campaign_analyses.quantity(case.value, units.get(name, "1")),
            campaign_analyses.format_point(case.point, units),
            _round_command(case.command),
        ]
        for case in cases
    ]
    if rows_of_cases:
        head = [readable_name(name), "at", "command"]
        caption = "Worst cases, with the command to run each"
        blocks.append(
            PageTable(head, rows_of_cases, caption, numbers=(0,), dense=True, has_explanations=True)
        )
    return blocks


def _curve(
    store: Store, table: Columns, scaled: Columns, name: str, label: str, parameter: Any, x_label: str
) -> FigureBlock:
    """Return a measure over one parameter, with one line for each value of a text parameter of a grid."""
    kind = store.campaign.design_kind
    chosen = _others_at_default(store, table, parameter) if kind == "one-at-a-time" else slice(None)
    x, y = scaled[parameter.name][chosen].astype(float), np.asarray(scaled[name], float)[chosen]
    over = f"{label} over {readable_name(parameter.name)}"
    texts = [other for other in store.campaign.parameters if not other.numeric]
    if kind == "grid" and len(texts) == 1 and len(texts[0].values) <= LINES:
        lines = scaled[texts[0].name][chosen]
        caption = f"{over}, one line for each {readable_name(texts[0].name)}."
        return FigureBlock(curves(x, y, lines, x_label, label), caption)
    return FigureBlock(curve(x, y, x_label, label), f"{over}.")


def _map(
    store: Store, table: Columns, name: str, label: str, a: Any, b: Any, labels: Sequence[str]
) -> FigureBlock:
    x, y, z = (np.asarray(table[n], float) for n in (a.name, b.name, name))
    xs, ys = np.unique(x), np.unique(y)
    others = [parameter for parameter in store.campaign.parameters if parameter.name not in (a.name, b.name)]
    if len(xs) * len(ys) <= len(x) * 1.0001 and store.campaign.design_kind == "grid":
        grid = np.full((len(ys), len(xs)), np.nan)
        counts = np.zeros_like(grid)
        i, j = np.searchsorted(ys, y), np.searchsorted(xs, x)
        good = np.isfinite(z)
        np.add.at(counts, (i[good], j[good]), 1)
        sums = np.zeros_like(grid)
        np.add.at(sums, (i[good], j[good]), z[good])
        np.divide(sums, counts, out=grid, where=counts > 0)
        averaged = [readable_name(parameter.name) for parameter in others] + (
            ["seed"] if "seed" in table else []
        )
        mean = f", mean over {', '.join(averaged)}" if averaged else ""
        white = " White: no result." if np.isnan(grid).any() else ""
        caption = f"{label} over {readable_name(a.name)} and {readable_name(b.name)}{mean}.{white}"
        return FigureBlock(field(xs, ys, grid, labels[0], labels[1], label), caption)
    others_vary = "; the other parameters vary as well" if others else ""
    caption = (
        f"{label} at every point, over {readable_name(a.name)} and {readable_name(b.name)}{others_vary}."
    )
    return FigureBlock(scatter(x, y, z, labels[0], labels[1], label), caption)


def _others_at_default(store: Store, table: Columns, parameter: Any) -> np.ndarray:
    """Return the points at which all other parameters have their defaults."""
    same = [table[o.name] == o.default for o in store.campaign.parameters if o.name != parameter.name]
    return np.flatnonzero(np.all(same, axis=0)) if same else np.arange(len(table[parameter.name]))


def _verdict(store: Store, table: Columns, names: Sequence[str]) -> Verdict:
    done, failed = store.point_count(), len(store.failure_reasons())
    text = (
        f"{done} of {store.total} points computed"
        if done < store.total
        else f"All {store.total} points computed"
    )
    text += f", {failed} failed." if failed else ", none failed."
    if names:
        ranked, _ = variance_fractions(store, table, names[0])
        if len(ranked) > 1:
            text += f" Largest effect on {readable_name(names[0])}: {readable_name(ranked[0][0])}."
    fraction, reason = (
        campaign_analyses.stopped_fraction(table) if store.campaign.subject == "test" else (0.0, "")
    )
    if fraction > 0:
        text += f" {100 * fraction:.3g} % of the runs were stopped; most frequent reason: {reason}."
    return Verdict(text, "caution" if failed or fraction > 0 or done < store.total else "plain")


def _provenance(store: Store) -> list[Block]:
    spec = store.campaign.to_dict()
    text = tomli_w.dumps(
        {key: value for key, value in spec.items() if value is not None and key != "parameters"}
    )
    return [versions({}), Collapsible("Campaign file", text)]


def _subtitle(store: Store) -> str:
    modes = " and ".join(store.campaign.modes) if store.campaign.subject == "test" else store.campaign.subject
    return f"Campaign: {modes} at {store.total} points"


def _finite(column: np.ndarray) -> np.ndarray:
    values = np.asarray(column, float)
    return values[np.isfinite(values)]


def _in_prefixed_units(store: Store, table: Columns, name: str, units: dict[str, str]) -> tuple[Columns, str]:
    """Return the table with a measure and all parameters in prefixed units, and the label of the measure."""
    factor, unit = si_prefix(_finite(table[name]), units.get(name, "1"))
    scaled = {name: factor * np.asarray(table[name], float)}
    for parameter in store.campaign.parameters:
        if parameter.numeric:
            values = np.asarray(table[parameter.name], float)
            scaled[parameter.name] = si_prefix(values, parameter.unit)[0] * values
    return {**table, **scaled}, f"{readable_name(name)}{f' [{unit}]' if unit else ''}"


def _round_command(command: str) -> str:
    """Return a command without rounding digits: 0.00875 for 0.008749999999999999."""
    return re.sub(r"(?<![\w.])-?\d+\.\d{9,}(?:e-?\d+)?", lambda m: f"{float(m[0]):.12g}", command)


def _parameter_label(parameter: Any, values: np.ndarray) -> str:
    unit = si_prefix(values, parameter.unit)[1]
    return f"{readable_name(parameter.name)} [{unit}]" if unit else readable_name(parameter.name)
