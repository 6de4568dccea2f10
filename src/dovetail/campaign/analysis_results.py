"""Results of a campaign as text: ranges of its measures, failure reasons, and the analyses of its file.

::

    [[analysis]]
    kind = "largest-admissible" # largest value of a parameter with a measure within a limit
    parameter = "delay"
    measure = "rms_e1"
    limit = 0.1
    fraction = 0.95             # of the points at each value of the parameter

Other kinds: `worst-cases` (measure, count), `probability` (condition), `pareto` (measures; a minus sign in front of
those to maximise), `main-effects` (measure; one-at-a-time design), `sobol` and `morris` (measure; designs of these
kinds), `response-surface` (measure, degree), `saturation` (measure, parameter, other_parameter; grid).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from dovetail.campaign import analyses, sensitivity
from dovetail.campaign.main_effects import main_effects, saturation_point
from dovetail.campaign.pareto import non_dominated
from dovetail.campaign.probability import OutOfRangeError, largest_admissible, probability
from dovetail.campaign.response_surface import fit_surface
from dovetail.campaign.store import Store, open_results
from dovetail.campaign.worst_cases import worst_cases
from dovetail.core.errors import DovetailError, ParameterError

Table = dict[str, np.ndarray]


class AnalysisText(list[str]):
    """Lines of text with the results; `failures` counts the analyses without a result.

    A limit that is met at all values of a parameter, or at none, is a result.
    """

    failures = 0


def analyse(folder: str | Path, entries: Sequence[Mapping[str, Any]] | None = None) -> AnalysisText:
    """Return the results in a campaign folder as text; each analysis of its file with its result, or the reason.

    Other analyses can be given as `entries`; no points are computed.
    """
    store = Store.resume(folder)
    data = open_results(folder, flat=True)
    lines = AnalysisText([*_ranges(data), *_failures(store)])
    table = rows(data)
    chosen = store.campaign.analyses if entries is None else entries
    for entry in chosen or _default_analyses(store, data):
        try:
            lines += result_lines(store, table, entry)
        except OutOfRangeError as error:
            lines.append(f"{'all' if error.is_met else 'none'} of {entry['parameter']}: {error}")
        except DovetailError as error:
            lines.append(f"no result: {error}")
            lines.failures += 1
    return lines


def rows(data: xr.Dataset) -> Table:
    """Return a flat dataset as columns with one row per point and seed; a measure of a mode is `name_mode`.

    A measure of several modes has the value of the last mode in the column `name`.
    """
    count, seeds = data.sizes["point"], data.sizes.get("seed", 1)
    table: Table = {"point": np.repeat(np.arange(count), seeds)}
    for name in data.coords:
        if data[name].dims == ("point",):
            column = data[name].values
            table[str(name)] = np.repeat(column.astype(object) if column.dtype.kind == "U" else column, seeds)
    if "seed" in data.dims:
        table["seed"] = np.tile(data["seed"].values, count)
    for key, array in data.data_vars.items():
        if "time" in array.dims:
            continue
        array = array.transpose("point", *(d for d in ("seed", "mode") if d in array.dims))
        modes = array.mode.values if "mode" in array.dims else []
        parts = {f"{key}_{mode}": array.sel(mode=mode) for mode in modes} or {str(key): array}
        for name, part in parts.items():
            column = np.broadcast_to(part.values.reshape(count, -1), (count, seeds))
            table[name] = column.ravel()
        if len(modes):
            table[str(key)] = table[f"{key}_{modes[-1]}"]
    return table


def result_lines(store: Store, table: Table, entry: Mapping[str, Any]) -> list[str]:
    """Return the result of one analysis as lines of text."""
    kinds: dict[str, Callable[..., list[str]]] = {
        "largest-admissible": _largest_admissible,
        "worst-cases": _worst_cases,
        "probability": _probability,
        "pareto": _pareto,
        "main-effects": _main_effects,
        "sobol": _sobol,
        "morris": _morris,
        "response-surface": _response_surface,
        "saturation": _saturation,
    }
    faults = analyses.find_faults([entry], table, store.campaign.design_kind)
    if faults:
        raise ParameterError(
            "; ".join(f"{fault.path.removeprefix('analysis.0.')}: {fault.text}" for fault in faults)
        )
    return kinds[entry["kind"]](store, table, entry)


def _largest_admissible(store, table, entry):
    name, fraction = entry["parameter"], entry.get("fraction", 0.95)
    value = largest_admissible(table, name, entry["measure"], entry["limit"], fraction)
    unit = next((p.unit for p in store.campaign.parameters if p.name == name), "1")
    return [
        f"largest {name} with {entry['measure']} below {entry['limit']:g} in {100 * fraction:g} % of the points: "
        f"{value:.4g}{'' if unit == '1' else ' ' + unit}"
    ]


def _worst_cases(store, table, entry):
    lines = [f"worst {entry['measure']}:"]
    for case in worst_cases(store.campaign, table, entry["measure"], entry.get("count", 3)):
        lines += [f"  {case.value:.5g} at point {case.point_index}", f"    {case.command}"]
    return lines


def _probability(store, table, entry):
    result = probability(table, entry["condition"])
    if store.campaign.design_kind in ("random", "latin-hypercube", "sobol"):
        return [f"{entry['condition']}: {result}"]
    return [
        f"{entry['condition']}: {100 * result.fraction:.3g} % of the points ({result.count} of {result.total})"
    ]


def _pareto(store, table, entry):
    signs = [-1.0 if str(name).startswith("-") else 1.0 for name in entry["measures"]]
    names = [str(name).lstrip("-") for name in entry["measures"]]
    costs = np.stack([s * table[n].astype(float) for s, n in zip(signs, names, strict=True)], axis=1)
    front = non_dominated(costs)
    front = front[np.argsort(costs[front, 0])]
    lines = [f"{len(front)} of {len(costs)} points are Pareto-optimal in {', '.join(entry['measures'])}:"]
    for row in front[: entry.get("count", 10)]:
        at = ", ".join(f"{p.name} {_format_value(table[p.name][row])}" for p in store.campaign.parameters)
        lines.append(f"  {', '.join(f'{n} {table[n][row]:.4g}' for n in names)} at {at}")
    return lines


def _main_effects(store, table, entry):
    tables, measure = {}, entry["measure"]
    default = {parameter.name: parameter.default for parameter in store.campaign.parameters}
    for parameter in store.campaign.parameters:
        name = parameter.name
        others_at_default = np.all(
            [table[other] == value for other, value in default.items() if other != name], axis=0
        )
        order = np.flatnonzero(others_at_default)
        # texts have no order: their range is used, their trend is not
        order = order[np.argsort(table[name][order].astype(str if not parameter.numeric else float))]
        tables[name] = xr.Dataset({measure: (name, table[measure][order])})
    lines = [f"main effects on {measure}:"]
    for row in main_effects(tables, measure):
        lines.append(f"  {row.name:<26} {100 * row.fraction:5.1f} %  range {row.span:.4g}")
    return lines


def _ranks(table, entry) -> str:
    """Return what precedes the name of a measure whose ranks are analysed, because some values are infinite."""
    count = int(np.isinf(np.asarray(table[entry["measure"]], float)).sum())
    return f"the ranks ({count} values are infinite) of " if count else ""


def _sobol(store, table, entry):
    lines = [f"Sobol indices of {_ranks(table, entry)}{entry['measure']}:"]
    for row in sensitivity.sobol(store.campaign, table[entry["measure"]]):
        first, total = row.first_interval, row.total_interval
        lines.append(
            f"  {row.name:<26} first order {row.first:6.3f} ({first[0]:.3f} to {first[1]:.3f})   "
            f"total {row.total:6.3f} ({total[0]:.3f} to {total[1]:.3f})"
        )
    return lines


def _morris(store, table, entry):
    lines = [f"elementary effects on {_ranks(table, entry)}{entry['measure']}:"]
    for row in sensitivity.morris(store.campaign, table[entry["measure"]]):
        lines.append(
            f"  {row.name:<26} mean size {row.size:.4g}   mean {row.mean:+.4g}   spread {row.spread:.4g}"
        )
    return lines


def _response_surface(store, table, entry):
    names = [parameter.name for parameter in store.campaign.parameters if parameter.numeric]
    degree = entry.get("degree", 2)
    surface = fit_surface(table, entry["measure"], names, degree)
    return [
        f"{entry['measure']} as a polynomial of degree {degree} in {', '.join(names)}, each scaled to [-1, 1]:",
        f"  {surface}",
    ]


def _saturation(store, table, entry):
    name, other = entry["parameter"], entry["other_parameter"]
    grid = open_results(store.folder)[entry["measure"]]
    averaged = [d for d in grid.dims if d not in (name, other)]
    value = saturation_point(grid.mean(averaged), name, other, entry.get("fraction", 0.05))
    if value is None:
        return [f"{other} has no influence on {entry['measure']}"]
    return [f"{other} influences {entry['measure']} up to {name} = {value:.4g}, but not above"]


def _default_analyses(store: Store, data: xr.Dataset) -> list[dict[str, Any]]:
    """Return the analyses for which the design is made, for a file without analyses."""
    kinds = {"one-at-a-time": "main-effects", "saltelli": "sobol", "morris": "morris"}
    kind = kinds.get(store.campaign.design_kind)
    names = [n for n in data.data_vars if n not in ("outcome", "end_time") and "time" not in data[n].dims]
    return [{"kind": kind, "measure": str(name)} for name in names] if kind else []


def _ranges(data: xr.Dataset) -> list[str]:
    lines = []
    for key, array in data.data_vars.items():
        if "time" in array.dims or key == "outcome":
            continue
        modes = array.mode.values if "mode" in array.dims else []
        for label, part in [(f"{key}, {m}", array.sel(mode=m)) for m in modes] or [(str(key), array)]:
            values = part.values.ravel()
            finite = values[np.isfinite(values)]
            if not len(finite):
                lines.append(f"  {label:<34} no value at any point")
                continue
            unit = array.attrs.get("units", "1")
            text = f"{finite.min():.4g} to {finite.max():.4g}{'' if unit == '1' else ' ' + unit}"
            infinite = int(np.isinf(values).sum())
            text += f", median {np.median(finite):.4g}" + (f"; {infinite} infinite" if infinite else "")
            lines.append(f"  {label:<34} {text}")
    return lines + _outcomes(data)


def _outcomes(data: xr.Dataset) -> list[str]:
    """Return the outcomes of the runs of a test; an `outcome` of a model has numbers only."""
    if "outcome" not in data:
        return []
    values = data["outcome"].values.ravel()
    names = data["outcome"].attrs.get(
        "meanings", [str(i) for i in range(1 + int(np.nanmax(values, initial=0)))]
    )
    counts = Counter(names[int(code)].lower() for code in values[np.isfinite(values)])
    return [f"  {'outcome':<34} " + ", ".join(f"{count} {name}" for name, count in counts.most_common())]


def _failures(store: Store) -> list[str]:
    """Return failed points by reason, the most frequent first."""
    reasons = store.failure_reasons()
    if not reasons:
        return []
    lines = [f"{len(reasons)} points failed:"]
    for text, count in Counter(reasons.values()).most_common(5):
        first = next(i for i, reason in reasons.items() if reason == text)
        lines.append(f"  {count:>6}  {text} (first: point {first})")
    return lines


def _format_value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, int | float | np.floating) else str(value)
