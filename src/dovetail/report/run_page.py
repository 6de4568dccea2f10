"""Report on one run, or on several runs of one test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dovetail import fidelity
from dovetail.core.errors import ParameterError
from dovetail.core.si_prefix import value_text
from dovetail.report import comparison, parameters, sections, test_section, tiles
from dovetail.report import verdict as verdicts
from dovetail.report.html import write_page
from dovetail.report.judged import Judged, RunView
from dovetail.report.keyframe import key_frame
from dovetail.report.operator_section import operator_section
from dovetail.report.overlay import apart, common, overlays
from dovetail.report.page import Block, Page, PageSection, PageTable, Paragraph, Tone, Verdict
from dovetail.report.pseudodynamic import pseudodynamic_page
from dovetail.report.section_list import page_sections
from dovetail.report.simulation import simulation_page
from dovetail.report.stretches import assess_run, stretches_section
from dovetail.testing.modes import all_modes, mode_named

PAGES = {
    "simulation": simulation_page,
    "pseudodynamic": lambda run: pseudodynamic_page([run]),
}  # other reports


def rehearsal_page(
    run: Any,
    reference: Any = None,
    stability: Any = None,
    *,
    budget: Sequence[fidelity.Contribution] = (),
    **more: Any,
) -> Page:
    """Return the report on one run. `budget`: error of each rig component alone; `more`: fields of `RunView`."""
    view = Judged(RunView(run, reference, stability, **more))
    listed = [
        ("Test", test_section.test_section(view)),
        ("Outcome", sections.outcome(view)),
        ("Operator and timing", operator_section(view)),
        ("Tunable parameters", stretches_section(view)),
        ("Stability", sections.stability([view])),
        ("Contacts", sections.contacts(view)),
        ("Error introduced by the rig", sections.error(view)),
        ("Error contributions", sections.budget(budget) if budget else []),
        ("Figures", sections.pictures(view)),
        ("Parameters", test_section.every_parameter(view) if view.test else []),
    ]
    blocks = [
        *page_sections(run, listed),
        PageSection("Provenance", test_section.provenance([view])),
    ]
    still = key_frame(run)
    return Page(view.title, view.verdict, blocks, _subtitle(view), tiles.hybrid_tiles(view), still)


def rehearsals_page(title: str, views: Sequence[RunView]) -> Page:
    """Return the report on several runs of one test: common parts once, then each run in short."""
    if not views:
        raise ParameterError("views: no runs given; a report needs at least one")
    judged = [Judged(view) for view in views]
    first = judged[0]
    tested: list[Block] = test_section.test_section(first)
    changed = parameters.differences([view.test for view in judged], test_section.declared_by())
    if changed:
        rows = [[path, *values] for path, values in changed.items() if path != "title"]
        caption = "Differences between the runs (drawing: first run)"
        tested.insert(0, PageTable(["parameter", *(v.label for v in judged)], rows, caption))
    blocks: list[Block] = [
        PageSection("Summary", [sections.summary(judged)]),
        *_laid_over(judged),
        PageSection("Test", tested),
        PageSection("Stability", sections.stability(judged)),
    ]
    blocks.append(PageSection("Error introduced by the rig", comparison.errors(judged)))
    blocks.append(PageSection("Individual runs", comparison.alone(judged, _have_common_signals(judged))))
    blocks.append(PageSection("Provenance", test_section.provenance(judged)))
    what, *others = dict.fromkeys(map(_subtitle, judged))
    subtitle = "; ".join([what, *(f"{each[:1].lower()}{each[1:]}" for each in others)])
    return Page(title, _overall(judged), blocks, subtitle=subtitle)


def _have_common_signals(views: Sequence[Judged]) -> bool:
    """Return whether several runs have common signals for an overlay."""
    data = [view.data for view in views]
    return len(data) > 1 and all(each.sizes["time"] > 1 for each in data) and bool(common(data, others=False))


def _laid_over(views: Sequence[Judged]) -> list[Block]:
    """Return overlays of the signals of several runs; empty for one run or a run without samples."""
    data = [view.data for view in views]
    if len(data) < 2 or any(each.sizes["time"] < 2 for each in data):
        return []
    names = common(data, others=False)
    nothing = Paragraph("No common signals: the interfaces have different axes.")
    blocks = overlays([view.label for view in views], data, names) if names else [nothing]
    return [PageSection("Overlay", blocks)]


def write(path: str | Path, title: str, runs: Sequence[RunView]) -> Path:
    """Write the report on several runs to a file."""
    return write_page(rehearsals_page(title, runs), path)


def write_run(
    run: Any,
    path: str | Path,
    reference: Any = None,
    stability: Any = None,
    budget: Sequence[fidelity.Contribution] = (),
    interactive: bool = False,
    phones: bool = True,
) -> Path:
    """Write the report on one run of any mode; reference and stability are computed if they are not given.

    An `interactive` report contains a script with 3-D playback and zoomable plots. `phones` draws each figure a second
    time for narrow screens.
    """
    page = _page(run, reference, stability, budget)
    if interactive:
        from dovetail.report.interactive import playable

        page = playable(page, run, reference)
    return write_page(page, path, phones)


def _page(run: Any, reference: Any, stability: Any, budget: Sequence[fidelity.Contribution]) -> Page:
    kind = mode_named(run.mode).report
    if kind in PAGES:
        return PAGES[kind](run)
    reference = run.reference() if reference is None else reference
    why = ""
    if stability is None:
        stability, why = assess_run(run)
    return rehearsal_page(run, reference, stability, budget=budget, why=why)


def _overall(views: Sequence[Judged]) -> Verdict:
    if len(views) == 1:
        return views[0].verdict
    by_word: dict[str, list[str]] = {}
    for view in views:
        word = verdicts.REFERENCE if view.is_reference else verdicts.word(view.margins, view.outcome)
        by_word.setdefault(word.lower(), []).append(view.label)
    parts = [_said_of(labels, word) for word, labels in by_word.items()]
    tones = [view.verdict.tone for view in views]
    worst: Tone = "bad" if "bad" in tones else "caution" if "caution" in tones else "good"
    known = [view.margins.critical_delay for view in views if not view.is_reference]
    critical = known[0] if known and all(each == known[0] for each in known) else None
    limit = (
        f" The critical delay is {value_text(critical, 's')}."
        if critical is not None and np.isfinite(critical)
        else ""
    )
    return Verdict(f"{len(views)} runs: {'; '.join(parts)}.{limit}{_apart(views)}", worst)


def _said_of(labels: Sequence[str], word: str) -> str:
    """Return a clause with the verdict of some runs."""
    names = " and ".join(f"“{label}”" for label in labels)
    if word.endswith("not determined"):
        return f"{word} for {names}"
    return f"{names}: {word}"


def _apart(views: Sequence[Judged]) -> str:
    """Return the difference of the runs to the first as a sentence; empty without a common signal."""
    data = [view.data for view in views]
    names = common(data, others=False) if all(each.sizes["time"] > 1 for each in data) else []
    return f" {apart([view.label for view in views], data, names[0])[1]}" if names else ""


def _subtitle(view: Judged) -> str:
    return all_modes()[view.mode].title if view.mode in all_modes() else view.mode
