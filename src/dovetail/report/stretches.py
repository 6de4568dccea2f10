"""Report section of a run in which the operator changed tunable parameters: verdict and errors of each stretch."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial

import numpy as np

from dovetail import fidelity
from dovetail.core.errors import DovetailError, value_or_none, value_or_reason
from dovetail.core.recording import Recording
from dovetail.core.si_prefix import NOT_DETERMINED, value_text
from dovetail.report.judged import Judged
from dovetail.report.page import Block, PageTable, Paragraph
from dovetail.testing.assessment import Assessment
from dovetail.testing.paths import declared_at
from dovetail.testing.run import Run
from dovetail.testing.tunable_history import Stretch, constant_stretches


def assess_run(run: Run) -> tuple[Assessment | None, str]:
    """Return the assessment of a run, or the reason why there is none.

    If tunable parameters were changed, it is that of the stretch with the smallest delay margin.
    """
    stretches = constant_stretches(run)
    determined = [
        (result.margin, i)
        for i, result in enumerate(_quick_assessments(run, stretches))
        if result is not None and result.is_determined
    ]
    if not determined:
        return value_or_reason(run.test.stability)
    stretch = stretches[min(determined)[1]]
    worst, reason = value_or_reason(stretch.test(run.test).stability)
    if worst is None:
        return None, reason
    values = ", ".join(
        f"{path} {text}" for path, text in zip(stretch.values, _texts(run, stretch), strict=True)
    )
    remark = (
        f"{_times(stretch)} with {values}: smallest margin of {len(stretches)} stretches of constant values"
    )
    return dataclasses.replace(worst, remarks=(*worst.remarks, remark)), ""


def stretches_section(view: Judged) -> list[Block]:
    """Return a table of the stretches with constant values; empty if no value was changed."""
    run = view.view.run
    stretches = constant_stretches(run) if isinstance(run, Run) else []
    if not isinstance(run, Run) or not stretches:
        return []
    rows = [
        [
            _times(stretch),
            *_texts(run, stretch),
            result.verdict if result is not None else "Not determined",
            *_errors(view, stretch),
        ]
        for stretch, result in zip(stretches, _quick_assessments(run, stretches), strict=True)
    ]
    headings = ["time", *stretches[0].values, "stability", "response error", "tracking error"]
    text = (
        "The verdict of this report is that of the stretch with the smallest delay margin. "
        "The reference solution has the recorded values."
    )
    return [PageTable(headings, rows, "Stretches of constant values; rms errors"), Paragraph(text)]


def moved_stretches(run: Run) -> list[Block]:
    """Return a table of the stretches of a pseudo-dynamic test: moves and largest distance from the target."""
    rows = []
    for stretch in constant_stretches(run):
        data = _part(run.recording, stretch)
        moves = data["move_number"].values
        error = np.abs(data["measured_displacement"].values - data["command"].values)
        distance = np.max(error.reshape(len(moves), -1)[:, :3])
        rows.append(
            [
                _times(stretch),
                *_texts(run, stretch),
                f"{moves[0]:.0f} to {moves[-1]:.0f}",
                value_text(float(distance), "m"),
            ]
        )
    headings = ["time", *run.test.tunable, "moves", "largest distance from the target"]
    return [PageTable(headings, rows, "Stretches of constant values")] if rows else []


def _quick_assessments(run: Run, stretches: Sequence[Stretch]) -> list[Assessment | None]:
    """Return the assessment of each stretch without rehearsal; None if it was not determined."""
    results: dict[tuple[float, ...], Assessment | None] = {}
    for stretch in stretches:
        values = tuple(stretch.values.values())
        if values not in results:
            results[values] = value_or_none(partial(stretch.test(run.test).stability, quick=True))
    return [results[tuple(stretch.values.values())] for stretch in stretches]


def _errors(view: Judged, stretch: Stretch) -> list[str]:
    """Return the rms response error and tracking error of a stretch as text."""
    if view.reference is None:
        return [NOT_DETERMINED] * 2
    try:
        comparison = fidelity.compare(_part(view.data, stretch), _part(view.reference, stretch))
    except (DovetailError, KeyError):
        return [NOT_DETERMINED] * 2
    return [comparison.text(name) for name in ("rms.e1", "rms.e2")]


def _part(data: Recording, stretch: Stretch) -> Recording:
    times = data.time.values
    first, last = np.searchsorted(times, [stretch.start - 1e-9, stretch.end + 1e-9])
    return data.isel(time=slice(int(first), int(last)))


def _times(stretch: Stretch) -> str:
    return f"{stretch.start:.4g} to {stretch.end:.4g} s"


def _texts(run: Run, stretch: Stretch) -> list[str]:
    """Return the values of a stretch with their units."""
    units = {
        path: declared.unit if (declared := declared_at(run.test, path)) else "" for path in stretch.values
    }
    return [value_text(value, units[path]) for path, value in stretch.values.items()]
