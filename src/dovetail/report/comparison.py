"""Several runs of a test on one page: what they have in common is said once, what belongs to one run is short."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail.fidelity import Comparison
from dovetail.report import figures, sections
from dovetail.report.judged import Judged
from dovetail.report.page import Block, PageSection, Picture, Text

OWN = (
    "Only what is not said above. All figures of a run, and each of its parameters, are in its own report, which "
    "“dovetail report FOLDER” writes into the folder of the run."
)


def errors(views: Sequence[Judged]) -> list[Block]:
    """The errors of all runs against their ideals in one table, axis by axis; axes without any in a sentence."""
    held = [(view, view.comparison) for view in views if not view.rigless and view.comparison is not None]
    bare = [view.label for view in views if not view.rigless and view.comparison is None]
    blocks: list[Block] = []
    if held:
        names = held[0][0].axis_names()
        alike = all(view.axis_names() == names for view, _ in held)
        blocks += _tables(held) if alike else [block for each in held for block in _tables([each])]
    if bare:
        told = "have no ideal that they" if len(bare) > 1 else "has no ideal that it"
        blocks.append(Text(f"{_listed(bare)} {told} could be held against."))
    return blocks or [Text("No rig is in these runs that could add an error.")]


def _tables(held: Sequence[tuple[Judged, Comparison]]) -> list[Block]:
    """Errors of runs with the same axes."""
    names = held[0][0].axis_names()
    known = [i for i in range(len(names)) if any(_known(found, i) for _, found in held)]
    if len(names) == 1:
        return sections.error_tables(["run"], [([view.label], found, 0) for view, found in held])
    rows = [([names[i], view.label], found, i) for i in known for view, found in held if i in view.moving()]
    blocks = sections.error_tables(["axis", "run"], rows) if rows else []
    if without := [name for i, name in enumerate(names) if i not in known]:
        do = "do" if len(without) > 1 else "does"
        blocks.append(Text(f"{_listed(without)} {do} not move in the ideal: there is no error to compare."))
    return blocks


def _known(found: Comparison, axis: int) -> bool:
    """Whether the errors on an axis have a size to be measured by."""
    return bool(np.isfinite(np.ravel(found.rms["e1"])[axis]))


def alone(views: Sequence[Judged], shared: bool) -> list[Block]:
    """Each run by itself: how it ended, its limits and one picture; its motion where none of it is `shared`."""
    blocks: list[Block] = [Text(OWN)]
    for view in views:
        said: list[Block] = []
        if view.margins.stable is not None:
            said.append(Text(view.verdict.sentence, view.verdict.tone))
        said += sections.outcome(view)
        found = view.comparison
        if found is not None and found.stopped_early:
            said.append(Text(sections.STOPPED_EARLY))
        blocks.append(PageSection(view.label, [*said, *_picture(view, shared)]))
    return blocks


def _picture(view: Judged, shared: bool) -> list[Block]:
    """What says most of a run."""
    if not shared:
        return sections.pictures(view)[:1]
    if view.rigless:
        return []
    z, x = "displacement", "measured_displacement"
    if len(view.axis_names()) == 1:
        return sections.drawn(view, lambda: sections.loop_and_spectrum(view), z, x)
    caption = "Errors in time, on the axes that move."
    return sections.drawn(
        view, lambda: Picture(figures.errors(view.data, view.ideal, axes=view.moving()), caption), z, x
    )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
