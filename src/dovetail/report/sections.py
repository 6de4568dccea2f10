"""The sections of a report on a run, each a list of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dovetail import fidelity
from dovetail.core.errors import DovetailError
from dovetail.report import figures
from dovetail.report import verdict as verdicts
from dovetail.report.judged import Judged, limit_uses
from dovetail.report.page import Block, PageTable, Pair, Picture, TableCell, Text
from dovetail.report.verdict import Margins, ms

NOTHING = "no answer"
NOT_ANALYSED = "The stability of this loop was not analysed."
STOPPED_EARLY = "The run stopped before the ideal did; both are compared up to there."


def outcome(view: Judged) -> list[Block]:
    """How the run ended, and how close its limits came."""
    data = view.data
    sentence = verdicts.ending(view.outcome)
    done = verdicts.completed(view.outcome)
    blocks: list[Block] = [Text(sentence, "plain" if done is not False else "bad")]
    if view.trip is not None:
        blocks.append(Text(f"What was reached: {view.trip}."))
    count = data.sizes["time"]
    if count > 1:
        t = data.time.values
        rate = (count - 1) / (t[-1] - t[0])
        blocks.append(
            Text(f"Recorded: {t[-1] - t[0]:.4g} s, {count} samples at {rate:.6g} Hz, mode {view.mode}.")
        )
    blocks += [Text(note, "caution") for note in view.notes]
    uses = list(view.view.limits) if view.view.limits is not None else limit_uses(view)
    uses = [use for use in uses if np.isfinite(use.limit) and use.limit > 0]
    if uses:
        caption = "How close each limit came. A bar at the dashed line met its limit and stopped the test."
        blocks.append(Picture(figures.limits(uses), caption))
    return blocks


def stability(views: Sequence[Judged]) -> list[Block]:
    """Critical delay, margin and growth of each run with a rig, and the curve they lie on."""
    blocks: list[Block] = []
    ideal, several = [view.label for view in views if view.rigless], len(views) > 1
    if ideal and several:
        told = "have no rig: nothing in them" if len(ideal) > 1 else "has no rig: nothing in it"
        blocks.append(Text(f"{' and '.join(ideal)} {told} is late."))
        views = [view for view in views if not view.rigless]
    elif ideal:
        blocks.append(
            Text("No rig is in this run, so nothing in it is late. What follows is of the test on its rig.")
        )
    if not views:
        return blocks
    if all(view.margins.stable is None and view.margins.critical_delay is None for view in views):
        reasons = [each for view in views for each in view.margins.why.rstrip(".").split("; ")]
        why = "; ".join(filter(None, dict.fromkeys(reasons)))
        blocks.append(Text(f"Whether this loop is stable cannot be said: {why}." if why else NOT_ANALYSED))
    else:
        blocks.append(
            Text(
                "A rig answers late. The late force acts as negative damping: a little delay spoils "
                "accuracy, and beyond the critical delay the oscillation grows by itself. The critical delay "
                "belongs to the machine under test, not to the rig."
            )
        )
        known = [n for n in _MARGIN_ROWS if any(getattr(v.margins, n) is not None for v in views)]
        unless_zero = ("sensor_delay", "command_hold")
        known = [n for n in known if n not in unless_zero or any(getattr(v.margins, n) for v in views)]
        rows = [[_MARGIN_ROWS[n][0], *(_margin(v.margins, n) for v in views)] for n in known]
        names = [view.label for view in views] if several else ["value"]
        blocks.append(PageTable(["", *names], rows, numbers=range(1, len(views) + 1)))
        said = dict.fromkeys(remark for view in views for remark in view.margins.remarks)
        blocks += [Text(remark, "caution") for remark in said]
    curve = next((view.view.curve for view in views if view.view.curve is not None), None) or _curve(views)
    if curve is not None:
        critical = views[0].margins.critical_delay
        on_it = [v for v in views if _same(v.margins.critical_delay, critical)]
        marked = {_marked(v, several): v.margins.lateness for v in on_it if v.margins.lateness is not None}
        whose = f" of {views[0].label}; others have other curves" if len(on_it) < len(views) else ""
        caption = (
            f"Growth rate{whose} against the delay in the loop, that of rig, force sensor and holding together. "
            "Below zero a disturbance dies out; above, in the shaded part, it grows."
        )
        delays, growth = curve
        blocks.append(Picture(figures.growth_against_delay(delays, growth, critical, marked), caption))
    return blocks


def _marked(view: Judged, several: bool) -> str:
    """A run's name on the curve, which knows the delay of its rig and no compensator."""
    name = view.label if several else "this test"
    margins = view.margins
    beyond = (margins.lateness or 0.0) >= (margins.critical_delay or 0.0)
    made_up_for = margins.stable is True and margins.compensated and beyond
    return f"{name}, uncompensated" if made_up_for else name


def _same(delay: float | None, other: float | None) -> bool:
    """Whether two critical delays are the same, or neither is known."""
    if delay is None or other is None:
        return delay is other
    return bool(delay == other or np.isclose(delay, other, rtol=1e-6))


def _curve(views: Sequence[Judged]) -> tuple[np.ndarray, np.ndarray] | None:
    """Growth rate against delay of the first run, to beyond the critical delay and every run's own."""
    test, critical = views[0].tested, views[0].margins.critical_delay
    if test is None or critical is None or not 0 < critical < np.inf:
        return None
    from dovetail.testing.linearised import delay_equation, with_slope

    delays = np.linspace(0.0, 1.25 * max([1.3 * critical, *(v.margins.lateness or 0.0 for v in views)]), 41)
    try:
        equation = delay_equation(with_slope(test)[0])
        return delays, np.array([equation.with_delays(float(delay)).growth() for delay in delays])
    except DovetailError:
        return None


_MARGIN_ROWS = {
    "critical_delay": ("critical delay", 1e3, "ms"),
    "delay": ("delay of the rig", 1e3, "ms"),
    "sensor_delay": ("delay of the force sensor", 1e3, "ms"),
    "command_hold": ("added by holding the command over a tick", 1e3, "ms"),
    "half_tick": ("added by holding the force over a tick", 1e3, "ms"),
    "margin": ("margin left", 1e3, "ms"),
    "frequency": ("frequency at which it would go unstable", 1.0, "Hz"),
    "growth_rate": ("growth rate of the loop as it runs (negative: decays)", 1.0, "1/s"),
    "pole_frequency": ("frequency of that growth", 1.0, "Hz"),
}


def _margin(margins: Margins, name: str) -> str | TableCell:
    _, factor, unit = _MARGIN_ROWS[name]
    value = getattr(margins, name)
    if value is None:
        return "not known"
    if np.isinf(value):
        return "none: any delay is stable" if name == "critical_delay" else "unlimited"
    text = f"{factor * value:.3g} {unit}"
    if name == "margin" and value < 0 and margins.stable is not True:
        return TableCell(text, "bad")
    if name == "margin" and margins.near:
        return TableCell(text, "caution")
    return TableCell(text, "bad") if name == "growth_rate" and value >= 0 else text


def error(view: Judged) -> list[Block]:
    """The errors against the ideal, and what the rig does to the motion."""
    found = view.comparison
    if view.rigless:
        return [Text("This run is the ideal: there is no rig in it that could add an error.")]
    if found is None:
        return [
            Text(
                "There is no ideal to hold this run against; only the local error can be seen in the figures."
            )
        ]
    blocks: list[Block] = _one_axis(found) if len(view.axis_names()) == 1 else _each_axis(view, found)
    if found.stopped_early:
        blocks.append(Text(STOPPED_EARLY))
    about = [note for note in found.notes if not (view.still() and note.endswith("does not move there"))]
    blocks += [Text(f"{note[:1].upper()}{note[1:]}.", "plain") for note in about]
    return blocks


def _one_axis(found: fidelity.Comparison) -> list[Block]:
    """Errors and what the rig does, a row each, with what each means."""
    rows = [
        [name, _percent(found.rms[key], 0), _percent(found.peak[key], 0), _ERRORS[name]]
        for name, key in _KEY.items()
    ]
    table = [[what, _each(found, key, 0), about] for what, key, about in _RIG]
    caption = "What the rig does to the motion, from the recorded traces"
    return [
        PageTable(
            ["error", "rms", "peak", "what it is"],
            rows,
            "Errors, in % of the rms of the ideal displacement",
            numbers=(1, 2),
            told=True,
        ),
        PageTable(["", "value", "what it means"], table, caption, numbers=(1,), told=True),
    ]


def _each_axis(view: Judged, found: fidelity.Comparison) -> list[Block]:
    """The same of several axes: a row for each that moves."""
    names = view.axis_names()
    blocks = error_tables(["axis"], [([names[i]], found, i) for i in view.moving()])
    if view.still():
        blocks.append(Text(still_axes(view)))
    return blocks


def error_tables(
    words: Sequence[str], rows: Sequence[tuple[list[str], fidelity.Comparison, int]]
) -> list[Block]:
    """Errors, and what the rig does: a row for each axis of a run, a column for each number that one of them has.

    A row begins with what stands under the first `words` of the head.
    """
    first = len(words)
    head = [f"{name.split()[0]} {size}" for name in _KEY for size in ("rms", "peak")]
    errors = [
        [*begin, *(_percent(by[key], i) for key in _KEY.values() for by in (found.rms, found.peak))]
        for begin, found, i in rows
    ]
    caption = "Errors, in % of the rms of the ideal displacement. " + "; ".join(
        f"{name.split()[0]}: {about.split(';')[0]}" for name, about in _ERRORS.items()
    )
    blocks: list[Block] = [PageTable([*words, *head], errors, caption, range(first, first + len(head)))]
    known = [row for row in _RIG if any(_each(found, row[1], i) != NOTHING for _, found, i in rows)]
    if known:
        table = [[*begin, *(_each(found, key, i) for _, key, _ in known)] for begin, found, i in rows]
        caption = "What the rig does to the motion, from the recorded traces. " + "; ".join(
            f"{what}: {about.split(';')[0]}" for what, _, about in known
        )
        head = [what for what, _, _ in known]
        blocks.append(PageTable([*words, *head], table, caption, range(first, first + len(head))))
    return blocks


def still_axes(view: Judged) -> str:
    """The axes that do not move, in a sentence."""
    names = view.still()
    told = f"{', '.join(names[:-1])} and {names[-1]} do" if len(names) > 1 else f"{names[0]} does"
    return f"{told} not move: there is nothing to compare or to draw of {'them' if len(names) > 1 else 'it'}."


_KEY = {"e₁ numerical": "e1", "e₂ local": "e2", "e global": "e"}
_ERRORS = {
    "e₁ numerical": "ideal minus demand: how far the simulated part is from where it should be",
    "e₂ local": "demand minus measured: how badly the rig follows; the only one a real test can measure",
    "e global": "ideal minus measured: how far the specimen is from where it should be; e = e₁ + e₂",
}
_RIG = [
    ("delay", "delay", "of the measured behind the demanded motion; positive is late"),
    ("amplitude ratio", "gain", "measured to demanded; 1 is perfect"),
    ("rest", "rest", "of the local error that no constant delay and ratio explain: noise, friction, steps"),
    (
        "synchronisation loop",
        "orientation",
        "anticlockwise is late and adds energy, clockwise is early and damps",
    ),
    ("growth rate of e₁", "growth_rate", "positive: the error grows by itself"),
    ("energy the rig adds", "energy_added", "over the run; positive works like negative damping"),
    ("as a share", "energy_share", "of the energy that crossed the interface either way"),
]
_SHOWN = {
    "delay": (1e3, "ms"),
    "gain": (1.0, ""),
    "rest": (100.0, "%"),
    "growth_rate": (1.0, "1/s"),
    "energy_added": (1.0, "J"),
    "energy_share": (100.0, "%"),
}


def _each(found: fidelity.Comparison, key: str, axis: int) -> str:
    value = getattr(found, key)
    if key == "orientation":
        sense = value if isinstance(value, str) else value[axis]
        return sense or NOTHING
    factor, unit = _SHOWN[key]
    return _number(factor * float(np.ravel(value)[axis]), unit)


def _percent(value: fidelity.traces.Value, axis: int) -> str:
    return _number(100 * float(np.ravel(value)[axis]), "%")


def _number(value: float, unit: str) -> str:
    """A number for reading: three figures, and nothing smaller than matters."""
    if np.isnan(value):
        return NOTHING
    if abs(value) < 5e-4:
        return f"0 {unit}".strip() if value == 0 else f"< 0.001 {unit}".strip()
    return f"{value:.3g} {unit}".strip()


def pictures(view: Judged) -> list[Block]:
    """Motion, errors, synchronisation, spectrum and force, as far as they were recorded."""
    data, ideal, axes = view.data, view.ideal, view.moving()
    closely = figures.looks_closely(data) if "displacement" in data and data.sizes["time"] > 1 else False
    look = " Beside or below it, a close look at the shaded part." if closely else ""
    blocks: list[Block] = []

    def add(make, *needs: str) -> None:
        blocks.extend(drawn(view, make, *needs))

    z, x = "displacement", "measured_displacement"
    if view.rigless:
        add(lambda: Picture(figures.free_motion(data, axes=axes), f"Displacement of the interface.{look}"), z)
        add(lambda: _spectra(view), z)
        add(lambda: Picture(figures.force(data, axes=axes), "Force of the specimen."), "force")
        return blocks or [Text("The run recorded nothing that could be drawn.")]
    over = "; the wide grey line is the ideal" if ideal is not None else ""
    add(
        lambda: Picture(
            figures.motion(data, ideal, axes=axes),
            f"Displacement demanded by the simulated part and measured on the rig{over}.{look}",
        ),
        z,
        x,
    )
    add(
        lambda: Picture(
            figures.errors(data, ideal, axes=axes),
            "The errors in time. One that keeps growing is an instability; one that stays bounded comes from "
            "the rig's delay.",
        ),
        z,
        x,
    )
    if len(view.axis_names()) == 1:
        add(lambda: loop_and_spectrum(view), z, x)
    else:
        add(lambda: _subspaces(view), z, x)
        add(lambda: _spectra(view), z)
    add(
        lambda: Picture(
            figures.force(data, ideal, axes=axes), f"Force fed back to the simulated part{over}."
        ),
        "force",
    )
    added = (
        "Energy that the rig has added since the start, as late motion does; where it falls the rig damps."
    )
    if view.mode != "replay":
        add(lambda: Picture(figures.energy(data, axes=axes), added), z, x, "force")
    if not blocks:
        blocks.append(Text("The run recorded nothing that could be drawn."))
    return blocks


def drawn(view: Judged, make: Callable[[], Block], *needs: str) -> list[Block]:
    """A figure where its signals were recorded and its trace can be judged."""
    if any(name not in view.data for name in needs) or view.data.sizes["time"] < 2:
        return []
    try:
        return [make()]
    except DovetailError as error:
        return [Text(f"A figure is missing, as {error}.")]


def loop_and_spectrum(view: Judged) -> Pair:
    """Synchronisation and spectrum of the only axis."""
    return Pair(_subspace(view, 0), _spectrum(view, 0))


def budget(parts: Sequence[fidelity.Contribution]) -> list[Block]:
    """What each part of the rig does by itself."""
    rows: list[list[str | float | TableCell]] = []
    for part in parts:
        ran = "to its end" if part.completed else TableCell("stopped at a limit", "bad")
        rows.append([part.what, _number(100 * part.e1, "%"), _number(100 * part.e2, "%"), ran])
    caption = (
        "Each alone on an otherwise perfect rig, rms in % of the ideal displacement. The lines do not add up: "
        "errors may cancel, and one may decide whether another grows."
    )
    return [PageTable(["what", "e₁ rms", "e₂ rms", "ran"], rows, caption, numbers=(1, 2))]


def _subspace(view: Judged, axis: int) -> Picture:
    critical = view.margins.critical_delay
    band = critical if critical is not None and np.isfinite(critical) else None
    caption = (
        f"Synchronisation{_on_axis(view, axis)} in the last cycles: "
        "a perfect rig draws the diagonal, a late one opens a loop."
    )
    if band is not None:
        caption += " Inside the dashed loop the delay is below critical."
        try:
            share = np.ravel(fidelity.share_outside(view.data, band))[axis]
            caption += f" Over the run {100 * share:.2g} % of the samples lie outside."
        except DovetailError:
            pass  # too short a run to say
    return Picture(figures.synchronisation(view.data, band, axis=axis), caption)


def _subspaces(view: Judged) -> Picture:
    critical = view.margins.critical_delay
    band = critical if critical is not None and np.isfinite(critical) else None
    caption = "Synchronisation in the last cycles: a perfect rig draws the diagonal, a late one opens a loop."
    caption += " Inside the dashed loop the delay is below critical." if band is not None else ""
    return Picture(figures.synchronisations(view.data, band, axes=view.moving()), caption)


def _spectra(view: Judged) -> Picture:
    frequency = None if view.rigless else view.margins.pole_frequency or view.margins.frequency
    marked = " The dashed line is where an instability would appear." if frequency else ""
    rigs = "" if view.rigless else " A line that the ideal does not have comes from the rig."
    caption = f"Amplitude spectra of the demand.{marked}{rigs}"
    figure = figures.spectra(view.data, view.ideal, frequency=frequency, axes=view.moving())
    return Picture(figure, caption)


def _on_axis(view: Judged, axis: int) -> str:
    name = view.axis_names()[axis]
    return f" on axis {name}" if name else ""


def _spectrum(view: Judged, axis: int) -> Picture:
    frequency = view.margins.pole_frequency or view.margins.frequency
    figure = figures.spectrum(view.data, view.ideal, frequency=frequency, axis=axis)
    marked = " The dashed line is where an instability would appear." if frequency else ""
    caption = (
        f"Amplitude spectrum of the demand{_on_axis(view, axis)}.{marked} "
        "A line that the ideal does not have comes from the rig."
    )
    return Picture(figure, caption)


def summary(views: Sequence[Judged]) -> PageTable:
    """A line for each run."""
    rows: list[list[str | float | TableCell]] = []
    for view in views:
        m, c = view.margins, view.comparison
        ran = f"{float(view.data.time[-1]):.4g} s" if view.data.sizes["time"] else "nothing"
        if view.rigless:
            rows.append([view.label, TableCell(verdicts.IDEAL, view.verdict.tone), *["no rig"] * 4, ran])
            continue
        rows.append(
            [
                view.label,
                TableCell(verdicts.word(m, view.outcome), verdicts.tone(m, view.outcome)),
                "not known" if m.delay is None else ms(m.delay),
                _margin(m, "margin"),
                "not known" if c is None else _number(100 * float(np.nanmax(c.rms["e1"])), "%"),
                "not known" if c is None else _number(100 * float(np.nanmax(c.rms["e2"])), "%"),
                ran,
            ]
        )
    head = ["run", "verdict", "delay", "margin", "e₁ rms", "e₂ rms", "ran for"]
    caption = "e₁: how far the simulated part is from the ideal; e₂: how badly the rig follows"
    return PageTable(head, rows, caption, numbers=(2, 3, 4, 5, 6))
