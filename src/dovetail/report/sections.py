"""Sections of the report on a run, each a list of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dovetail import fidelity
from dovetail.core.errors import DovetailError
from dovetail.core.quantities import QUANTITIES
from dovetail.core.si_prefix import FRACTION, NOT_DETERMINED, value_text
from dovetail.fidelity.compare import COMPARED
from dovetail.fidelity.impacts import coarse_tick
from dovetail.report import figures
from dovetail.report import verdict as verdicts
from dovetail.report.judged import Judged, limit_uses
from dovetail.report.page import Block, Collapsible, FigureBlock, PageTable, Paragraph, SideBySide, TableCell
from dovetail.report.verdict import Margins
from dovetail.testing.modes import mode_named

MAX_IMPACTS = 40  # contacts of a run in the table
ERRORS = 6  # quantities of a comparison that are errors; the others describe the rig
NOT_ANALYSED = "Stability was not analysed."
STOPPED_EARLY = "The run ended before the reference; the errors cover the time up to its end."


def outcome(view: Judged) -> list[Block]:
    """Return the outcome of the run, and the largest value in % of each limit."""
    data = view.data
    sentence = verdicts.ending(view.outcome)
    done = verdicts.completed(view.outcome)
    blocks: list[Block] = [Paragraph(sentence, "plain" if done is not False else "bad")]
    if view.trip is not None:
        blocks.append(Paragraph(f"Limit reached: {view.trip}."))
    count = data.sizes["time"]
    if count > 1:
        t = data.time.values
        rate = (count - 1) / (t[-1] - t[0])
        blocks.append(
            Paragraph(f"Recorded: {t[-1] - t[0]:.4g} s, {count} samples at {rate:.6g} Hz, mode {view.mode}.")
        )
    blocks += [Paragraph(note, "caution") for note in view.notes]
    uses = list(view.view.limits) if view.view.limits is not None else limit_uses(view)
    uses = [use for use in uses if np.isfinite(use.limit) and use.limit > 0]
    if uses:
        caption = "Largest value in % of each limit. A bar at the dashed line reached its limit and stopped the test."
        blocks.append(FigureBlock(figures.limits(uses), caption))
    return blocks


def stability(views: Sequence[Judged]) -> list[Block]:
    """Return critical delay, margin and growth rate of each run with a rig, and growth rate against delay."""
    blocks: list[Block] = []
    reference, several = [view.label for view in views if view.is_reference], len(views) > 1
    if reference and several:
        verb = "have" if len(reference) > 1 else "has"
        blocks.append(Paragraph(f"{' and '.join(reference)} {verb} no rig and no delay."))
        views = [view for view in views if not view.is_reference]
    elif reference:
        blocks.append(
            Paragraph(
                "No rig in this run, so no delay acts in it. The values below are those of the test on its rig."
            )
        )
    if not views:
        return blocks
    undetermined = all(view.margins.stable is None and view.margins.critical_delay is None for view in views)
    if undetermined:
        reasons = [each for view in views for each in view.margins.why.rstrip(".").split("; ")]
        why = "; ".join(filter(None, dict.fromkeys(reasons)))
        if any(view.margins.contacts is not None for view in views):
            blocks.append(Paragraph("The energy of the contacts decides."))
        text = f"Stability {'' if why.startswith('not determined') else 'not determined: '}{why}."
        blocks.append(Paragraph(text if why else NOT_ANALYSED))
    else:
        blocks.append(
            Paragraph(
                "A rig imposes its command with a delay. The delayed force acts as negative damping: a small delay "
                "reduces accuracy; beyond the critical delay the oscillation grows. The critical delay is a property "
                "of the machine under test, not of the rig."
            )
        )
    blocks += _margin_table(views, several)
    remarks = dict.fromkeys(remark for view in views for remark in verdicts.all_remarks(view.margins))
    if not undetermined:  # their reasons are the remarks
        blocks += [Paragraph(f"{remark[:1].upper()}{remark[1:].rstrip('.')}.") for remark in remarks]
    curve = next((view.view.curve for view in views if view.view.curve is not None), None) or _curve(views)
    if curve is not None:
        critical = views[0].margins.critical_delay
        on_it = [v for v in views if _same(v.margins.critical_delay, critical)]
        marked = {
            _curve_label(v, several): v.margins.loop_delay for v in on_it if v.margins.loop_delay is not None
        }
        whose = (
            f" of {views[0].label}; the other runs have different curves" if len(on_it) < len(views) else ""
        )
        caption = (
            f"Growth rate{whose} against loop delay (rig, force sensor, command hold and force hold). "
            "Below zero a disturbance decays; above zero (shaded) it grows."
        )
        delays, growth = curve
        blocks.append(FigureBlock(figures.growth_against_delay(delays, growth, critical, marked), caption))
    return blocks


def _curve_label(view: Judged, several: bool) -> str:
    """Return the label of a run on the curve, which is computed without compensator."""
    name = view.label if several else "this test"
    margins = view.margins
    beyond = (margins.loop_delay or 0.0) >= (margins.critical_delay or 0.0)
    made_up_for = margins.stable is True and margins.has_compensation and beyond
    return f"{name}, uncompensated" if made_up_for else name


def _same(delay: float | None, other: float | None) -> bool:
    """Return whether two critical delays are equal, or both unknown."""
    if delay is None or other is None:
        return delay is other
    return bool(delay == other or np.isclose(delay, other, rtol=1e-6))


def _curve(views: Sequence[Judged]) -> tuple[np.ndarray, np.ndarray] | None:
    """Return growth rate against delay of the first run, beyond the critical delay and the delay of every run."""
    test, critical = views[0].runnable, views[0].margins.critical_delay
    if test is None or critical is None or not 0 < critical < np.inf:
        return None
    from dovetail.testing.linearised import delay_equation, with_slope

    delays = np.linspace(0.0, 1.25 * max([1.3 * critical, *(v.margins.loop_delay or 0.0 for v in views)]), 41)
    try:
        equation = delay_equation(with_slope(test)[0])
        return delays, np.array([equation.with_delays(float(delay)).growth() for delay in delays])
    except DovetailError:
        return None


_MARGIN_ROWS = (
    *("critical_delay", "rig_delay", "sensor_delay", "command_hold_delay", "force_hold_delay", "loop_delay"),
    *("margin", "critical_frequency", "growth_rate", "pole_frequency"),
)
_LOOP = {"growth_rate": "loop_growth_rate"}  # quantity of a field with another name


def _margin_table(views: Sequence[Judged], several: bool) -> list[Block]:
    """Return the table of delays, margin and growth rate: each with its definition, or one column for each run."""
    known = [n for n in _MARGIN_ROWS if any(getattr(v.margins, n) is not None for v in views)]
    unless_zero = ("sensor_delay", "command_hold_delay")
    known = [n for n in known if n not in unless_zero or any(getattr(v.margins, n) for v in views)]
    if not known:
        return []
    quantities = [QUANTITIES[_LOOP.get(n, n)] for n in known]
    rows = [[q.name, *(_margin(v.margins, n) for v in views)] for q, n in zip(quantities, known, strict=True)]
    if not several:
        rows = [[*row, q.definition] for row, q in zip(rows, quantities, strict=True)]
        return [PageTable(["quantity", "value", "definition"], rows, numbers=(1,), has_explanations=True)]
    return [
        PageTable(["", *(view.label for view in views)], rows, numbers=range(1, len(views) + 1)),
        definitions([_LOOP.get(n, n) for n in known]),
    ]


def _margin(margins: Margins, name: str) -> str | TableCell:
    value = getattr(margins, name)
    if value is None:
        return NOT_DETERMINED
    text = QUANTITIES[_LOOP.get(name, name)].text(value)
    if name == "margin" and value < 0 and margins.stable is not True:
        return TableCell(text, "bad")
    if name == "margin" and margins.near:
        return TableCell(text, "caution")
    return TableCell(text, "bad") if name == "growth_rate" and value >= 0 else text


def contacts(view: Judged) -> list[Block]:
    """Return a table of the contacts of the run and of its reference, and whether contacts gain energy."""
    logs = {"reference": view.reference_impacts, view.mode: view.impacts}
    rows = [(name, impact.texts()) for name, log in logs.items() for impact in log[:MAX_IMPACTS]]
    if not rows:
        return []
    blocks: list[Block] = []
    if view.margins.contacts is not None:
        text = str(view.margins.contacts)
        blocks.append(
            Paragraph(f"{text[:1].upper()}{text[1:]}.", "bad" if view.margins.contacts.gains else "plain")
        )
    tick = view.runnable.dt if view.holds_force and view.runnable is not None else 0.0
    if warning := coarse_tick(view.impacts, view.reference_impacts, tick):
        blocks.append(Paragraph(f"{warning[:1].upper()}{warning[1:]}.", "caution"))
    if longest := max((len(log) for log in logs.values() if len(log) > MAX_IMPACTS), default=0):
        blocks.append(Paragraph(f"The table lists the first {MAX_IMPACTS} of {longest} contacts."))
    head = ["run", *rows[0][1]]
    return [
        *blocks,
        PageTable(head, [[name, *texts.values()] for name, texts in rows], numbers=range(1, len(head))),
    ]


def error(view: Judged) -> list[Block]:
    """Return the errors against the reference, and the effect of the rig on the motion."""
    comparison = view.comparison
    if view.is_reference:
        return [Paragraph("This run is the reference solution: it has no rig and no rig error.")]
    if comparison is None:
        return [Paragraph("No reference solution for this test; the figures show the tracking error only.")]
    blocks: list[Block] = (
        _one_axis(comparison) if len(view.axis_names()) == 1 else _each_axis(view, comparison)
    )
    if comparison.stopped_early:
        blocks.append(Paragraph(STOPPED_EARLY))
    about = [
        note for note in comparison.notes if not (view.still() and note.startswith("not determined on "))
    ]
    blocks += [Paragraph(f"{note[:1].upper()}{note[1:]}.", "plain") for note in about]
    return blocks


def _one_axis(comparison: fidelity.Comparison) -> list[Block]:
    """Return the table of errors and of the effect of the rig: one row for each quantity, with its definition."""
    rows = [
        [QUANTITIES[name].name, comparison.text(name, 0), QUANTITIES[name].definition] for name in COMPARED
    ]
    return [PageTable(["quantity", "value", "definition"], rows, numbers=(1,), has_explanations=True)]


def _each_axis(view: Judged, comparison: fidelity.Comparison) -> list[Block]:
    """Return the tables of several axes, one row for each moving axis."""
    names = view.axis_names()
    blocks = error_tables(["axis"], [([names[i]], comparison, i) for i in view.moving()])
    if view.still():
        blocks.append(Paragraph(still_axes(view)))
    return blocks


def error_tables(
    words: Sequence[str], rows: Sequence[tuple[list[str], fidelity.Comparison, int]]
) -> list[Block]:
    """Return tables of errors and of the effect of the rig: one row for each axis of a run, one column for each value.

    `words` are the heads of the first columns, whose cells each row begins with.
    """
    first = len(words)
    tables = {
        "Errors relative to the rms reference displacement": COMPARED[:ERRORS],
        "Effect of the rig on the motion": COMPARED[ERRORS:],
    }
    blocks: list[Block] = []
    for caption, names in tables.items():
        texts = [[comparison.text(name, i) for name in names] for _, comparison, i in rows]
        known = [k for k in range(len(names)) if any(row[k] != NOT_DETERMINED for row in texts)]
        if known:
            head = [*words, *(QUANTITIES[names[k]].name for k in known)]
            cells = [
                [*begin, *(row[k] for k in known)] for (begin, _, _), row in zip(rows, texts, strict=True)
            ]
            blocks.append(PageTable(head, cells, caption, range(first, len(head))))
    return [*blocks, definitions(COMPARED)]


def definitions(names: Sequence[str]) -> Collapsible:
    """Return the definitions of quantities."""
    lines = [f"{QUANTITIES[name].name}: {QUANTITIES[name].definition}" for name in names]
    return Collapsible("Definitions", "\n".join(lines))


def still_axes(view: Judged) -> str:
    """Return a sentence on the axes that do not move."""
    names = view.still()
    text = f"{', '.join(names[:-1])} and {names[-1]} do" if len(names) > 1 else f"{names[0]} does"
    return f"{text} not move: no comparison and no figure."


def pictures(view: Judged) -> list[Block]:
    """Return figures of motion, errors, synchronisation, spectrum and force, as far as recorded."""
    data, reference, axes = view.data, view.reference, view.moving()
    closely = figures.has_detail_view(data) if "displacement" in data and data.sizes["time"] > 1 else False
    look = " Right or below: detail of the shaded part." if closely else ""
    blocks: list[Block] = []

    def add(make, *needs: str) -> None:
        blocks.extend(drawn(view, make, *needs))

    z, x = "displacement", "measured_displacement"
    if view.is_reference:
        add(
            lambda: FigureBlock(
                figures.free_motion(data, axes=axes), f"Displacement of the interface.{look}"
            ),
            z,
        )
        add(lambda: _spectra(view), z)
        add(lambda: FigureBlock(figures.force(data, axes=axes), "Force of the specimen."), "feedback_force")
        return blocks or [Paragraph("No signals recorded.")]
    over = " (grey: reference)" if reference is not None else ""
    add(
        lambda: FigureBlock(
            figures.motion(data, reference, axes=axes),
            f"Demand of the numerical substructure and measured displacement of the rig{over}.{look}",
        ),
        z,
        x,
    )
    add(
        lambda: FigureBlock(
            figures.errors(data, reference, axes=axes),
            "Errors in time. A growing error indicates instability; a bounded error is caused by the rig delay.",
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
        lambda: FigureBlock(
            figures.force(data, reference, axes=axes), f"Force fed back to the numerical substructure{over}."
        ),
        "feedback_force",
    )
    added = "Energy added by the rig since the start. Rising: the rig adds energy (delay); falling: the rig damps."
    if mode_named(view.mode).rig_responds:
        add(lambda: FigureBlock(figures.energy(data, axes=axes), added), z, x, "feedback_force")
    if not blocks:
        blocks.append(Paragraph("No signals recorded."))
    return blocks


def drawn(view: Judged, make: Callable[[], Block], *needs: str) -> list[Block]:
    """Return a figure if its signals were recorded and can be analysed, else a remark or nothing."""
    if any(name not in view.data for name in needs) or view.data.sizes["time"] < 2:
        return []
    try:
        return [make()]
    except DovetailError as error:
        return [Paragraph(f"Figure not available: {error}.")]


def loop_and_spectrum(view: Judged) -> SideBySide:
    """Return synchronisation and spectrum of the only axis."""
    return SideBySide(_subspace(view, 0), _spectrum(view, 0))


def budget(parts: Sequence[fidelity.Contribution]) -> list[Block]:
    """Return the error that each component of the rig causes alone."""
    rows: list[list[str | float | TableCell]] = []
    for part in parts:
        ran = "finished" if part.completed else TableCell("stopped by limit", "bad")
        errors = (QUANTITIES[name].text(value) for name, value in (("rms.e1", part.e1), ("rms.e2", part.e2)))
        rows.append([part.component, *errors, ran])
    caption = (
        "One rig component at a time, all others ideal. The rows do not add "
        "up: errors can cancel, and one component can decide whether the error of another grows."
    )
    return [
        PageTable(["component", "response error", "tracking error", "outcome"], rows, caption, numbers=(1, 2))
    ]


def _subspace(view: Judged, axis: int) -> FigureBlock:
    critical = view.margins.critical_delay
    band = critical if critical is not None and np.isfinite(critical) else None
    caption = f"Synchronisation{_on_axis(view, axis)} in the last cycles. Ideal actuator: diagonal; delay opens a loop."
    if band is not None:
        caption += " Inside the dashed loop the delay is below the critical delay."
        try:
            fraction = np.ravel(fidelity.fraction_outside_delay_band(view.data, band))[axis]
            caption += f" {value_text(fraction, FRACTION)} of all samples of the run lie outside."
        except DovetailError:
            pass  # run too short
    return FigureBlock(figures.synchronisation(view.data, band, axis=axis), caption)


def _subspaces(view: Judged) -> FigureBlock:
    critical = view.margins.critical_delay
    band = critical if critical is not None and np.isfinite(critical) else None
    caption = "Synchronisation in the last cycles. Ideal actuator: diagonal; delay opens a loop."
    caption += " Inside the dashed loop the delay is below the critical delay." if band is not None else ""
    return FigureBlock(figures.synchronisations(view.data, band, axes=view.moving()), caption)


def _spectra(view: Judged) -> FigureBlock:
    frequency = None if view.is_reference else view.margins.pole_frequency or view.margins.critical_frequency
    marked = " Dashed: frequency of a possible instability." if frequency else ""
    rigs = "" if view.is_reference else " Peaks absent in the reference are caused by the rig."
    caption = f"Amplitude spectra of the demand.{marked}{rigs}"
    figure = figures.spectra(view.data, view.reference, frequency=frequency, axes=view.moving())
    return FigureBlock(figure, caption)


def _on_axis(view: Judged, axis: int) -> str:
    name = view.axis_names()[axis]
    return f" on axis {name}" if name else ""


def _spectrum(view: Judged, axis: int) -> FigureBlock:
    frequency = view.margins.pole_frequency or view.margins.critical_frequency
    figure = figures.spectrum(view.data, view.reference, frequency=frequency, axis=axis)
    marked = " Dashed: frequency of a possible instability." if frequency else ""
    caption = (
        f"Amplitude spectrum of the demand{_on_axis(view, axis)}.{marked} "
        "Peaks absent in the reference are caused by the rig."
    )
    return FigureBlock(figure, caption)


def summary(views: Sequence[Judged]) -> PageTable:
    """Return a table with one row for each run."""
    rows: list[list[str | float | TableCell]] = []
    for view in views:
        m, c = view.margins, view.comparison
        ran = f"{view.data.last_time:.4g} s" if view.data.sizes["time"] else "no samples"
        if view.is_reference:
            rows.append([view.label, TableCell(verdicts.REFERENCE, view.verdict.tone), *["no rig"] * 4, ran])
            continue
        rows.append(
            [
                view.label,
                TableCell(verdicts.word(m, view.outcome), verdicts.tone(m, view.outcome)),
                _margin(m, "rig_delay"),
                _margin(m, "margin"),
                *(NOT_DETERMINED if c is None else c.text(name) for name in ("rms.e1", "rms.e2")),
                ran,
            ]
        )
    names = (QUANTITIES[name].name for name in ("rig_delay", "margin", "rms.e1", "rms.e2"))
    caption = "Errors on the axis where they are largest"
    return PageTable(["run", "verdict", *names, "duration"], rows, caption, numbers=(2, 3, 4, 5, 6))
