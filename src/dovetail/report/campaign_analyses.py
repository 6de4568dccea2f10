"""What a campaign's file asks, answered in sentences; how its runs ended, as a share and as a map.

On the map the limit that stability sets is drawn where one of its axes is the actuator's delay: at each value of the
other axis, the largest delay at which the loop as it runs does not grow (`test.stability()`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from dovetail.campaign import Store
from dovetail.campaign.analysis_results import answer
from dovetail.campaign.probability import OffAxisError, largest, probability
from dovetail.campaign.worst_cases import worst
from dovetail.core.errors import DovetailError, answered
from dovetail.core.si_prefix import si_prefix
from dovetail.report.maps import edges
from dovetail.report.page import Block, Folded, Picture, Text
from dovetail.report.style import COLOURS, beside, new_figure, styled
from dovetail.testing.outcome import Outcome

DELAY = "rig.actuator.delay"
FINISHED, LIMIT = (
    "#bfe3d0",
    "#101317",
)  # fields of runs that ended well, and a line over them, also in the dark
STOPPED = ("#a5408c", "#d55e00", "#b8860b", "#56606a", "#56b4e9")  # those that did not; none of them is green
ALONG = 12  # values of the other axis at which the limit is computed
Columns = Mapping[str, np.ndarray]


def sentences(store: Store, table: Columns, units: Mapping[str, str]) -> list[Block]:
    """An answer to each question: a sentence, and what a table of it says folded below."""
    blocks: list[Block] = []
    for question in store.campaign.answers:
        try:
            said, more = _said(store, table, question, units)
            blocks.append(Text(said))
            blocks += [Folded("In numbers", "\n".join(more))] if more else []
        except DovetailError as error:
            blocks.append(Text(f"No answer: {error}", "caution"))
    return blocks


def _said(store: Store, table: Any, q: Mapping[str, Any], units: Mapping[str, str]) -> tuple[str, list[str]]:
    measure = str(q.get("measure", "")).replace("_", " ")
    if q["kind"] == "largest":
        return _up_to(table, q, units), []
    if q["kind"] == "probability":
        found = probability(table, q["rule"])
        return (
            f"{100 * found.share:.3g} % of the points ({found.count} of {found.of}): "
            f"{in_words(q['rule'], store.campaign.subject == 'test')}.",
            [],
        )
    if q["kind"] == "worst":
        cases = worst(store.campaign, table, q["measure"], 1)
        if cases:
            at = place(cases[0].point, units)
            return (
                f"The worst {measure} is {quantity(cases[0].value, units.get(q['measure'], '1'))}, at {at}.",
                [],
            )
    first, *rest = answer(store, table, q)
    first = re.sub(r"\b(\w+) = ([-+.\de]+)", lambda m: _valued(m, units), first)
    first = re.sub(r"\b([a-z]+)_([a-z0-9_]+)\b", lambda m: m[0].replace("_", " "), first).rstrip(":")
    return f"{first[:1].upper()}{first[1:]}{':' if rest else '.'}", rest


def _up_to(table: Any, q: Mapping[str, Any], units: Mapping[str, str]) -> str:
    """How far an axis may go, or that none or all of it keeps the bound."""
    of, measure, share = worded(q["of"]), worded(q["measure"]), q.get("share", 0.95)
    below = quantity(q["below"], units.get(q["measure"], "1"))
    stays = f"{measure} below {below} in {100 * share:g} % of the points"
    try:
        value = largest(table, q["of"], q["measure"], q["below"], share)
    except OffAxisError as found:
        at, reached = (
            quantity(v, units.get(q[k], "1")) for v, k in ((found.value, "of"), (found.reached, "measure"))
        )
        if found.kept:
            return f"All values of {of}, up to {at}, keep {stays}: there it is {reached}."
        return f"No value of {of} keeps {stays}: already at {at} it is {reached}."
    most = quantity(value, units.get(q["of"], "1"))
    return (
        f"Up to {of} {most}, {measure} stays below {below} in {100 * share:g} % of the points at each value."
    )


def _valued(match: re.Match[str], units: Mapping[str, str]) -> str:
    """An axis and its value, in the unit that suits it."""
    unit = units.get(match[1])
    return match[0] if unit is None else f"{match[1]} {quantity(float(match[2]), unit)}"


def worded(name: str) -> str:
    """A name as it is read."""
    return name.replace("_", " ")


def in_words(rule: str, tested: bool = True) -> str:
    """A rule as it is read: names without underscores, outcomes of a test by theirs; those of a model are its own."""
    names = [outcome.name.lower().replace("_", " ") for outcome in Outcome]

    def named(match: re.Match[str]) -> str:
        code = int(match[2])
        return (
            f"outcome {'is' if match[1] == '==' else 'is not'} {names[code] if code < len(names) else code}"
        )

    return worded(re.sub(r"outcome\s*(==|!=)\s*(\d+)", named, rule) if tested else rule)


def quantity(value: float, unit: str) -> str:
    """A number in the unit that suits it."""
    factor, told = si_prefix([value], unit)
    return f"{factor * float(value):.4g} {told}".strip()


def place(point: Mapping[str, Any], units: Mapping[str, str]) -> str:
    """A point in words."""
    return ", ".join(
        f"{worded(name)} {quantity(float(value), units.get(name, '1'))}"
        if isinstance(value, int | float | np.number) and not isinstance(value, bool)
        else f"{worded(name)} {value}"
        for name, value in point.items()
    )


def stopped(table: Columns) -> tuple[float, str]:
    """Share of the runs that were stopped, and by what most of them; nothing of a campaign of something else."""
    codes = _codes(table)
    if codes is None:
        return 0.0, ""
    outcomes = [Outcome.from_code(int(code)) for code in codes[np.isfinite(codes)]]
    bad = [outcome for outcome in outcomes if not outcome.completed]
    most = max(set(bad), key=bad.count) if bad else None
    return len(bad) / max(len(outcomes), 1), "" if most is None else most.value.split(", so ")[0].rstrip(
        "."
    ).lower()


def outcome_map(store: Store, table: Columns) -> list[Block]:
    """How the runs of a grid ended, over its two axes of numbers, with the limit of stability where there is one."""
    axes = [axis for axis in store.campaign.axes if axis.numeric]
    codes = _codes(table) if store.campaign.subject == "test" else None
    if codes is None or store.campaign.kind != "grid" or len(axes) != 2 or len(store.campaign.axes) != 2:
        return []
    a, b = sorted(axes, key=lambda axis: axis.paths != (DELAY,))  # the delay to the right
    x, y = (np.asarray(table[axis.name], float) for axis in (a, b))
    xs, ys = np.unique(x), np.unique(y)
    if len(np.unique(codes[np.isfinite(codes)])) < 2 or len(xs) < 2 or len(ys) < 2:
        return []
    (fx, ux), (fy, uy) = si_prefix(xs, a.unit), si_prefix(ys, b.unit)
    grid = np.full((len(ys), len(xs)), np.nan)
    grid[np.searchsorted(ys, y), np.searchsorted(xs, x)] = codes
    limit = _limit(store, a, b, ys)
    figure, panels = new_figure(height=3.4)
    ax = panels[0, 0]
    with styled():
        ax.grid(visible=False)
        for i, code in enumerate(np.unique(grid[np.isfinite(grid)])):
            outcome = Outcome.from_code(int(code))
            colour = FINISHED if outcome.completed else STOPPED[i % len(STOPPED)]
            shown = np.where(grid == code, 1.0, np.nan)
            from matplotlib.colors import ListedColormap

            ax.pcolormesh(
                fx * edges(xs), fy * edges(ys), shown, cmap=ListedColormap([colour]), rasterized=True
            )
            ax.scatter([], [], marker="s", s=60, color=colour, label=_ended(outcome))
        if limit is not None:
            ax.plot(fx * limit[0], fy * limit[1], color=LIMIT, lw=1.8, label="limit of stability")
        ax.set(xlim=(fx * edges(xs)[0], fx * edges(xs)[-1]), ylim=(fy * edges(ys)[0], fy * edges(ys)[-1]))
        ax.set(xlabel=_label(a.name, ux), ylabel=_label(b.name, uy))
        columns = beside(ax.get_legend_handles_labels()[1])
        legend = figure.legend(loc="outside upper left", ncols=columns, borderaxespad=0, handletextpad=0.5)
        for handle in legend.legend_handles if limit is not None else ():
            if isinstance(handle, Line2D):
                handle.set_color(COLOURS["ink"])  # beside the map there is no light field below it
    line = ""
    if limit is not None:
        line = " The line is where the loop as it runs neither grows nor decays."
        bears = np.interp(y, limit[1], limit[0], left=np.nan, right=np.nan)
        if np.any((x > bears) & (codes == Outcome.FINISHED.code)):
            line += " Beyond it what grows slowly may come to its end before it meets a limit."
    return [Picture(figure, f"How the runs ended, over {worded(a.name)} and {worded(b.name)}.{line}")]


def _ended(outcome: Outcome) -> str:
    """How runs ended, in a word or two."""
    if outcome is Outcome.FINISHED:
        return "to its end"
    name = worded(outcome.name.lower())
    return name if outcome.completed else f"stopped: {name}"


def _limit(store: Store, a: Any, b: Any, ys: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Largest delay [s] that the loop bears, and the values of the other axis; None where nothing is known of it."""
    campaign = store.campaign
    if campaign.subject != "test" or a.paths != (DELAY,) or len(b.paths) != 1:
        return None
    from dovetail import testing
    from dovetail.testing.test_table import change

    try:
        test = testing.parse(change(campaign.table, dict(campaign.fixed), "campaign"))
        some = ys[np.unique(np.linspace(0, len(ys) - 1, ALONG).astype(int))]
        found = [answered(test.with_values(**{b.paths[0]: float(value)}).stability) for value in some]
    except DovetailError:
        return None
    bears = [np.nan if s is None else float(np.min(s.margin)) + float(np.max(s.delay)) for s in found]
    known = np.isfinite(bears)
    return (np.asarray(bears)[known], some[known]) if known.sum() > 1 else None


def _codes(table: Columns) -> np.ndarray | None:
    """Outcomes of the runs with a rig, else of all; None of a campaign of something else, or with codes of its own."""
    name = next((n for n in ("outcome_rehearse", "outcome") if n in table), None)
    if name is None:
        return None
    codes = np.asarray(table[name], float)
    good = codes[np.isfinite(codes)]
    whole = len(good) and np.all(good == good.round()) and good.min() >= 0 and good.max() < len(Outcome)
    return codes if whole else None


def _label(name: str, unit: str) -> str:
    return f"{worded(name)} [{unit}]" if unit else worded(name)
