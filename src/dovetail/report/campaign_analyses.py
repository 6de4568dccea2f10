"""Results of the analyses of a campaign as sentences; outcomes of its runs as fraction and as map.

If one parameter of the map is the actuator delay, the stability limit is drawn: for each value of the other parameter,
the largest delay at which the sampled loop does not grow (`test.stability()`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from dovetail.campaign import Store
from dovetail.campaign.analysis_results import result_lines
from dovetail.campaign.probability import OutOfRangeError, largest_admissible, probability
from dovetail.campaign.worst_cases import worst_cases
from dovetail.core.errors import DovetailError, value_or_none
from dovetail.core.si_prefix import si_prefix
from dovetail.report.maps import edges
from dovetail.report.page import Block, Collapsible, FigureBlock, Paragraph
from dovetail.report.style import COLOURS, figure_style, legend_columns, new_figure
from dovetail.testing.outcome import Outcome

DELAY = "rig.actuator.delay"
FINISHED, LIMIT = ("#bfe3d0", "#101317")  # completed runs, and the stability limit; the same in dark mode
STOPPED = ("#a5408c", "#d55e00", "#b8860b", "#56606a", "#56b4e9")  # stopped runs; no green
LIMIT_POINTS = 12  # values of the other parameter at which the limit is computed
Columns = Mapping[str, np.ndarray]


def sentences(store: Store, table: Columns, units: Mapping[str, str]) -> list[Block]:
    """Return the result of each analysis: a sentence, and its values in a collapsible block."""
    blocks: list[Block] = []
    for analysis in store.campaign.analyses:
        try:
            sentence, values = _sentence(store, table, analysis, units)
            blocks.append(Paragraph(sentence))
            blocks += [Collapsible("Values", "\n".join(values))] if values else []
        except DovetailError as error:
            blocks.append(Paragraph(f"Analysis not possible: {error}", "caution"))
    return blocks


def _sentence(
    store: Store, table: Any, analysis: Mapping[str, Any], units: Mapping[str, str]
) -> tuple[str, list[str]]:
    """Return the result of an analysis as a sentence, and lines with its values."""
    kind, measure = analysis["kind"], str(analysis.get("measure", ""))
    if kind == "largest-admissible":
        return _largest_admissible(table, analysis, units), []
    if kind == "probability":
        result = probability(table, analysis["condition"])
        condition = format_condition(analysis["condition"], store.campaign.subject == "test")
        return (
            f"{100 * result.fraction:.3g} % of the points ({result.count} of {result.total}): {condition}.",
            [],
        )
    if kind == "worst-cases":
        cases = worst_cases(store.campaign, table, measure, 1)
        if cases:
            value, point = (
                quantity(cases[0].value, units.get(measure, "1")),
                format_point(cases[0].point, units),
            )
            return f"The worst {readable_name(measure)} is {value}, at {point}.", []
    first, *rest = result_lines(store, table, analysis)
    first = re.sub(r"\b(\w+) = ([-+.\de]+)", lambda m: _with_unit(m, units), first)
    first = re.sub(r"\b([a-z]+)_([a-z0-9_]+)\b", lambda m: readable_name(m[0]), first).rstrip(":")
    return f"{first[:1].upper()}{first[1:]}{':' if rest else '.'}", rest


def _largest_admissible(table: Any, analysis: Mapping[str, Any], units: Mapping[str, str]) -> str:
    """Return a sentence with the largest admissible value of a parameter."""
    name, fraction = analysis["parameter"], analysis.get("fraction", 0.95)
    parameter, measure = readable_name(name), readable_name(analysis["measure"])
    limit = quantity(analysis["limit"], units.get(analysis["measure"], "1"))
    share = f"({100 * fraction:g} % of points)"
    try:
        value = largest_admissible(table, name, analysis["measure"], analysis["limit"], fraction)
    except OutOfRangeError as error:
        at = quantity(error.value, units.get(name, "1"))
        reached = quantity(error.reached, units.get(analysis["measure"], "1"))
        where = f"for all {parameter}" if error.is_met else f"at any {parameter}"
        met = "met" if error.is_met else "not met"
        return f"{measure} < {limit} {share} is {met} {where}: {reached} at {at}."
    return f"{measure} < {limit} up to {parameter} = {quantity(value, units.get(name, '1'))} {share}."


def _with_unit(match: re.Match[str], units: Mapping[str, str]) -> str:
    """Return a parameter and its value in a prefixed unit."""
    unit = units.get(match[1])
    return match[0] if unit is None else f"{match[1]} {quantity(float(match[2]), unit)}"


def readable_name(name: str) -> str:
    """Return a name with spaces instead of underscores."""
    return name.replace("_", " ")


def format_condition(condition: str, of_test: bool = True) -> str:
    """Return a condition for display: names with spaces, and outcome codes of a test as names (not of a model)."""
    names = [readable_name(outcome.name.lower()) for outcome in Outcome]

    def outcome_name(match: re.Match[str]) -> str:
        code = int(match[2])
        return (
            f"outcome {'is' if match[1] == '==' else 'is not'} {names[code] if code < len(names) else code}"
        )

    text = re.sub(r"outcome\s*(==|!=)\s*(\d+)", outcome_name, condition) if of_test else condition
    return readable_name(text)


def quantity(value: float, unit: str) -> str:
    """Format a number in a prefixed unit."""
    factor, prefixed_unit = si_prefix([value], unit)
    return f"{factor * float(value):.4g} {prefixed_unit}".strip()


def format_point(point: Mapping[str, Any], units: Mapping[str, str]) -> str:
    """Return the parameter values of a point as text."""
    return ", ".join(
        f"{readable_name(name)} {quantity(float(value), units.get(name, '1'))}"
        if isinstance(value, int | float | np.number) and not isinstance(value, bool)
        else f"{readable_name(name)} {value}"
        for name, value in point.items()
    )


def stopped_fraction(table: Columns) -> tuple[float, str]:
    """Return the fraction of stopped runs and their most frequent reason; 0 if the subject is not a test."""
    codes = _codes(table)
    if codes is None:
        return 0.0, ""
    outcomes = [Outcome.from_code(int(code)) for code in codes[np.isfinite(codes)]]
    stopped = [outcome for outcome in outcomes if not outcome.completed]
    if not stopped:
        return 0.0, ""
    reason = max(set(stopped), key=stopped.count).value.removeprefix("Stopped: ")
    return len(stopped) / len(outcomes), reason.rstrip(".").lower()


def outcome_map(store: Store, table: Columns) -> list[Block]:
    """Return the outcomes of a grid over its two numeric parameters, with the stability limit if available."""
    campaign = store.campaign
    numeric = [parameter for parameter in campaign.parameters if parameter.numeric]
    codes = _codes(table) if campaign.subject == "test" else None
    if codes is None or campaign.design_kind != "grid" or not len(numeric) == len(campaign.parameters) == 2:
        return []
    a, b = sorted(numeric, key=lambda parameter: parameter.paths != (DELAY,))  # delay on the horizontal axis
    x, y = (np.asarray(table[parameter.name], float) for parameter in (a, b))
    xs, ys = np.unique(x), np.unique(y)
    if len(np.unique(codes[np.isfinite(codes)])) < 2 or len(xs) < 2 or len(ys) < 2:
        return []
    (fx, ux), (fy, uy) = si_prefix(xs, a.unit), si_prefix(ys, b.unit)
    grid = np.full((len(ys), len(xs)), np.nan)
    grid[np.searchsorted(ys, y), np.searchsorted(xs, x)] = codes
    limit = _stability_limit(store, a, b, ys)
    figure, panels = new_figure(height=3.4)
    ax = panels[0, 0]
    with figure_style():
        ax.grid(visible=False)
        for i, code in enumerate(np.unique(grid[np.isfinite(grid)])):
            outcome = Outcome.from_code(int(code))
            colour = FINISHED if outcome.completed else STOPPED[i % len(STOPPED)]
            cells = np.where(grid == code, 1.0, np.nan)
            from matplotlib.colors import ListedColormap

            ax.pcolormesh(
                fx * edges(xs), fy * edges(ys), cells, cmap=ListedColormap([colour]), rasterized=True
            )
            ax.scatter([], [], marker="s", s=60, color=colour, label=_outcome_label(outcome))
        if limit is not None:
            ax.plot(fx * limit[0], fy * limit[1], color=LIMIT, lw=1.8, label="stability limit")
        ax.set(xlim=(fx * edges(xs)[0], fx * edges(xs)[-1]), ylim=(fy * edges(ys)[0], fy * edges(ys)[-1]))
        ax.set(xlabel=_label(a.name, ux), ylabel=_label(b.name, uy))
        columns = legend_columns(ax.get_legend_handles_labels()[1])
        legend = figure.legend(loc="outside upper left", ncols=columns, borderaxespad=0, handletextpad=0.5)
        for handle in legend.legend_handles if limit is not None else ():
            if isinstance(handle, Line2D):
                handle.set_color(COLOURS["ink"])  # the legend has no light background
    line = ""
    if limit is not None:
        line = " Line: stability limit of the sampled loop."
        largest_stable = np.interp(y, limit[1], limit[0], left=np.nan, right=np.nan)
        if np.any((x > largest_stable) & (codes == Outcome.FINISHED.code)):
            line += " Beyond it, a run with slow growth can finish before it reaches a limit."
    caption = f"Outcome of the runs over {readable_name(a.name)} and {readable_name(b.name)}.{line}"
    return [FigureBlock(figure, caption)]


def _outcome_label(outcome: Outcome) -> str:
    """Return the legend label of an outcome."""
    if outcome is Outcome.FINISHED:
        return "finished"
    name = readable_name(outcome.name.lower())
    return name if outcome.completed else f"stopped: {name}"


def _stability_limit(store: Store, a: Any, b: Any, ys: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the largest stable delay [s] and the values of the other parameter; None if not determined."""
    campaign = store.campaign
    if campaign.subject != "test" or a.paths != (DELAY,) or len(b.paths) != 1:
        return None
    from dovetail import testing
    from dovetail.testing.test_table import change

    try:
        test = testing.parse(change(campaign.table, dict(campaign.fixed), "campaign"))
        values = ys[np.unique(np.linspace(0, len(ys) - 1, LIMIT_POINTS).astype(int))]
        results = [value_or_none(test.with_values(**{b.paths[0]: float(v)}).stability) for v in values]
    except DovetailError:
        return None
    delays = np.array(
        [np.nan if s is None else float(np.min(s.margin)) + float(np.max(s.rig_delay)) for s in results]
    )
    finite = np.isfinite(delays)
    return (delays[finite], values[finite]) if finite.sum() > 1 else None


def _codes(table: Columns) -> np.ndarray | None:
    """Return outcome codes of the runs with a rig, else of all runs; None for other subjects or other codes."""
    name = next((n for n in ("outcome_rehearse", "outcome") if n in table), None)
    if name is None:
        return None
    codes = np.asarray(table[name], float)
    good = codes[np.isfinite(codes)]
    valid = len(good) and np.all(good == good.round()) and good.min() >= 0 and good.max() < len(Outcome)
    return codes if valid else None


def _label(name: str, unit: str) -> str:
    return f"{readable_name(name)} [{unit}]" if unit else readable_name(name)
