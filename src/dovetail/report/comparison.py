"""Comparison of several runs of a test on one page: common results once, then each run in short."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail.fidelity import Comparison
from dovetail.report import figures, sections, tiles
from dovetail.report.judged import Judged
from dovetail.report.page import Block, FigureBlock, PageSection, Paragraph

OWN = (
    "Differences only; full results are in the report of each run, which “dovetail report FOLDER” writes into the "
    "run folder."
)


def errors(views: Sequence[Judged]) -> list[Block]:
    """Return the errors of all runs against their references, by axis; axes without errors in a sentence."""
    held = [
        (view, view.comparison) for view in views if not view.is_reference and view.comparison is not None
    ]
    bare = [view.label for view in views if not view.is_reference and view.comparison is None]
    blocks: list[Block] = []
    if held:
        names = held[0][0].axis_names()
        alike = all(view.axis_names() == names for view, _ in held)
        blocks += _tables(held) if alike else [block for each in held for block in _tables([each])]
    if bare:
        verb = "have" if len(bare) > 1 else "has"
        blocks.append(Paragraph(f"{_enumeration(bare)} {verb} no reference solution."))
    return blocks or [Paragraph("No rig in these runs: no rig error.")]


def _tables(held: Sequence[tuple[Judged, Comparison]]) -> list[Block]:
    """Return the error tables of runs with the same axes."""
    names = held[0][0].axis_names()
    known = [i for i in range(len(names)) if any(_is_defined(comparison, i) for _, comparison in held)]
    if len(names) == 1:
        return sections.error_tables(["run"], [([view.label], comparison, 0) for view, comparison in held])
    rows = [
        ([names[i], view.label], comparison, i)
        for i in known
        for view, comparison in held
        if i in view.moving()
    ]
    blocks = sections.error_tables(["axis", "run"], rows) if rows else []
    if without := [name for i, name in enumerate(names) if i not in known]:
        do = "do" if len(without) > 1 else "does"
        blocks.append(
            Paragraph(
                f"{_enumeration(without)} {do} not move in the reference: relative errors are not defined."
            )
        )
    return blocks


def _is_defined(comparison: Comparison, axis: int) -> bool:
    """Return whether the error on an axis is defined."""
    return bool(np.isfinite(np.ravel(comparison.rms["e1"])[axis]))


def alone(views: Sequence[Judged], shared: bool) -> list[Block]:
    """Return outcome, limits and one figure of each run; the motion if no signal is `shared`."""
    blocks: list[Block] = [Paragraph(OWN)]
    for view in views:
        paragraphs: list[Block] = []
        if view.margins.stable is not None:
            paragraphs.append(Paragraph(view.verdict.sentence, view.verdict.tone))
        accuracy = tiles.accuracy_tile(view)
        paragraphs.append(Paragraph(f"{accuracy.answer}. {accuracy.text}", accuracy.tone))
        paragraphs += sections.outcome(view)
        comparison = view.comparison
        if comparison is not None and comparison.stopped_early:
            paragraphs.append(Paragraph(sections.STOPPED_EARLY))
        blocks.append(PageSection(view.label, [*paragraphs, *_picture(view, shared)]))
    return blocks


def _picture(view: Judged, shared: bool) -> list[Block]:
    """Return the most informative figure of a run."""
    if not shared:
        return sections.pictures(view)[:1]
    if view.is_reference:
        return []
    z, x = "displacement", "measured_displacement"
    if len(view.axis_names()) == 1:
        return sections.drawn(view, lambda: sections.loop_and_spectrum(view), z, x)
    caption = "Errors in time on the moving axes."
    return sections.drawn(
        view,
        lambda: FigureBlock(figures.errors(view.data, view.reference, axes=view.moving()), caption),
        z,
        x,
    )


def _enumeration(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
