"""What a campaign says in words: ranges of its measures, why points failed, and the answers its file asks for.

::

    [[answers]]
    kind = "largest"            # how far an axis may go
    of = "delay"
    measure = "rms_e1"
    below = 0.1
    share = 0.95                # of the rest of the design space

Others: `worst` (measure, number), `probability` (rule), `pareto` (measures; a minus in front of what should be
large), `rank` (measure; one-at-a-time), `sobol` and `morris` (measure; of such designs), `surface` (measure, degree),
`trade-off` (measure, along, other; of a grid).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from dovetail.campaign import analyses, sensitivity
from dovetail.campaign.main_effects import rank, trade_off
from dovetail.campaign.pareto import non_dominated
from dovetail.campaign.probability import OffAxisError, largest, probability
from dovetail.campaign.response_surface import fit_surface
from dovetail.campaign.store import Store, open_results
from dovetail.campaign.worst_cases import worst
from dovetail.core.errors import DovetailError, ParameterError

Table = dict[str, np.ndarray]


class Answers(list[str]):
    """Lines for people to read; `unanswered` counts the questions that cannot be answered.

    That a bound is kept nowhere on an axis, or everywhere, is an answer.
    """

    unanswered = 0


def analyse(folder: str | Path, questions: Sequence[Mapping[str, Any]] | None = None) -> Answers:
    """What a campaign's folder holds, in words; each question of its file with its answer, or why there is none.

    Other `questions` may be asked of the same points: nothing is computed but the answers.
    """
    store = Store.resume(folder)
    data = open_results(folder, flat=True)
    lines = Answers([*_ranges(data), *_failures(store)])
    table = rows(data)
    asked = store.campaign.answers if questions is None else questions
    for question in asked or _usual(store, data):
        try:
            lines += answer(store, table, question)
        except OffAxisError as found:
            lines.append(f"{'all' if found.kept else 'none'} of {question['of']}: {found}")
        except DovetailError as error:
            lines.append(f"no answer: {error}")
            lines.unanswered += 1
    return lines


def rows(data: xr.Dataset) -> Table:
    """A flat dataset as columns with a row for each point and seed; a measure of a mode is `name_mode`.

    Where a measure has several modes, `name` alone is that of the last one.
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
            whole = np.broadcast_to(part.values.reshape(count, -1), (count, seeds))
            table[name] = whole.ravel()
        if len(modes):
            table[str(key)] = table[f"{key}_{modes[-1]}"]
    return table


def answer(store: Store, table: Table, question: Mapping[str, Any]) -> list[str]:
    """Lines of one answer."""
    kinds: dict[str, Callable[..., list[str]]] = {
        "largest": _largest,
        "worst": _worst,
        "probability": _probability,
        "pareto": _pareto,
        "rank": _rank,
        "sobol": _sobol,
        "morris": _morris,
        "surface": _surface,
        "trade-off": _trade_off,
    }
    wrong = analyses.faults([question], table, store.campaign.kind, "answer")
    if wrong:
        raise ParameterError(
            "; ".join(f"{fault.place.removeprefix('answer.0.')}: {fault.text}" for fault in wrong)
        )
    return kinds[question["kind"]](store, table, question)


def _largest(store, table, q):
    share = q.get("share", 0.95)
    value = largest(table, q["of"], q["measure"], q["below"], share)
    unit = next((axis.unit for axis in store.campaign.axes if axis.name == q["of"]), "1")
    return [
        f"largest {q['of']} with {q['measure']} below {q['below']:g} in {100 * share:g} % of the rest: "
        f"{value:.4g}{'' if unit == '1' else ' ' + unit}"
    ]


def _worst(store, table, q):
    lines = [f"worst {q['measure']}:"]
    for case in worst(store.campaign, table, q["measure"], q.get("number", 3)):
        lines += [f"  {case.value:.5g} at point {case.place}", f"    {case.command}"]
    return lines


def _probability(store, table, q):
    found = probability(table, q["rule"])
    if store.campaign.kind in ("random", "latin-hypercube", "sobol"):
        return [f"{q['rule']}: {found}"]
    return [f"{q['rule']}: {100 * found.share:.3g} % of the points ({found.count} of {found.of})"]


def _pareto(store, table, q):
    signs = [-1.0 if str(name).startswith("-") else 1.0 for name in q["measures"]]
    names = [str(name).lstrip("-") for name in q["measures"]]
    costs = np.stack([s * table[n].astype(float) for s, n in zip(signs, names, strict=True)], axis=1)
    front = non_dominated(costs)
    front = front[np.argsort(costs[front, 0])]
    lines = [f"{len(front)} of {len(costs)} points are beaten by none in {', '.join(q['measures'])}:"]
    for row in front[: q.get("number", 10)]:
        at = ", ".join(f"{axis.name} {_short(table[axis.name][row])}" for axis in store.campaign.axes)
        lines.append(f"  {', '.join(f'{n} {table[n][row]:.4g}' for n in names)} at {at}")
    return lines


def _rank(store, table, q):
    tables = {}
    default = {axis.name: axis.default for axis in store.campaign.axes}
    for axis in store.campaign.axes:
        alone = np.all([table[o] == v for o, v in default.items() if o != axis.name], axis=0)
        # words have no order: their range counts, their trend does not
        order = np.flatnonzero(alone)
        order = order[np.argsort(table[axis.name][order].astype(str if not axis.numeric else float))]
        tables[axis.name] = xr.Dataset({q["measure"]: (axis.name, table[q["measure"]][order])})
    lines = [f"influence on {q['measure']}:"]
    for row in rank(tables, q["measure"]):
        lines.append(f"  {row.name:<26} {100 * row.share:5.1f} %  over {row.influence:.4g}")
    return lines


def _sobol(store, table, q):
    lines = [f"Sobol indices of {q['measure']}:"]
    for row in sensitivity.sobol(store.campaign, table[q["measure"]]):
        first, total = row.first_interval, row.total_interval
        lines.append(
            f"  {row.name:<26} alone {row.first:6.3f} ({first[0]:.3f} to {first[1]:.3f})   "
            f"in all {row.total:6.3f} ({total[0]:.3f} to {total[1]:.3f})"
        )
    return lines


def _morris(store, table, q):
    lines = [f"elementary effects on {q['measure']} over the range of each axis:"]
    for row in sensitivity.morris(store.campaign, table[q["measure"]]):
        lines.append(f"  {row.name:<26} size {row.size:.4g}   mean {row.mean:+.4g}   spread {row.spread:.4g}")
    return lines


def _surface(store, table, q):
    axes = [axis.name for axis in store.campaign.axes if axis.numeric]
    found = fit_surface(table, q["measure"], axes, q.get("degree", 2))
    return [
        f"{q['measure']} as a polynomial of degree {q.get('degree', 2)} of {', '.join(axes)}, each over [-1, 1]:",
        f"  {found}",
    ]


def _trade_off(store, table, q):
    grid = open_results(store.folder)[q["measure"]]
    rest = [d for d in grid.dims if d not in (q["along"], q["other"])]
    found = trade_off(grid.mean(rest), q["along"], q["other"], q.get("share", 0.05))
    if found is None:
        return [f"{q['other']} never matters to {q['measure']}"]
    return [f"{q['other']} matters to {q['measure']} up to {q['along']} = {found:.4g}, and no longer beyond"]


def _usual(store: Store, data: xr.Dataset) -> list[dict[str, Any]]:
    """What a design is made to answer, where the file asks nothing."""
    kind = {"one-at-a-time": "rank", "saltelli": "sobol", "morris": "morris"}.get(store.campaign.kind)
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
                lines.append(f"  {label:<34} no point has a value")
                continue
            unit = array.attrs.get("units", "1")
            told = f"{finite.min():.4g} to {finite.max():.4g}{'' if unit == '1' else ' ' + unit}"
            endless = int(np.isinf(values).sum())
            told += f", median {np.median(finite):.4g}" + (f"; {endless} infinite" if endless else "")
            lines.append(f"  {label:<34} {told}")
    return lines + _outcomes(data)


def _outcomes(data: xr.Dataset) -> list[str]:
    """How the runs of a test ended; what a model calls its outcome is its own."""
    if "outcome" not in data:
        return []
    values = data["outcome"].values.ravel()
    names = data["outcome"].attrs.get(
        "meanings", [str(i) for i in range(1 + int(np.nanmax(values, initial=0)))]
    )
    count = Counter(names[int(code)].lower() for code in values[np.isfinite(values)])
    return [f"  {'outcome':<34} " + ", ".join(f"{number} {name}" for name, number in count.most_common())]


def _failures(store: Store) -> list[str]:
    """Failed points by cause, the most frequent first."""
    reasons = store.reasons()
    if not reasons:
        return []
    lines = [f"{len(reasons)} points failed:"]
    for text, number in Counter(reasons.values()).most_common(5):
        first = next(i for i, reason in reasons.items() if reason == text)
        lines.append(f"  {number:>6}  {text} (first: point {first})")
    return lines


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, int | float | np.floating) else str(value)
