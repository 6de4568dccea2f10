"""The report on a run, or on several side by side: what was tested, what came of it, can it be believed?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dovetail import fidelity
from dovetail.core.errors import ParameterError, answer_or_reason
from dovetail.report import comparison, parameters, sections, test_section, tiles
from dovetail.report import verdict as verdicts
from dovetail.report.judged import Judged, RunView
from dovetail.report.keyframe import key_frame
from dovetail.report.operator_section import operated
from dovetail.report.overlay import apart, common, overlays
from dovetail.report.page import Block, Page, PageSection, PageTable, Text, Tone, Verdict
from dovetail.report.pseudodynamic import creep_page
from dovetail.report.simulation import simulation_page
from dovetail.report.verdict import ms


def rehearsal_page(
    run: Any,
    ideal: Any = None,
    stability: Any = None,
    *,
    budget: Sequence[fidelity.Contribution] = (),
    **more: Any,
) -> Page:
    """The report on one run. `budget` is what each part of the rig does alone; `more` are fields of `RunView`."""
    view = Judged(RunView(run, ideal, stability, **more))
    blocks = [
        PageSection("What was tested", test_section.tested(view)),
        PageSection("Outcome", sections.outcome(view)),
        *_operated(view),
        PageSection("Stability", sections.stability([view])),
        PageSection("Error the rig adds", sections.error(view)),
        *([PageSection("Where the error comes from", sections.budget(budget))] if budget else []),
        PageSection("Figures", sections.pictures(view)),
        *_every_parameter(view),
        PageSection("Provenance", test_section.provenance([view])),
    ]
    still = key_frame(run)
    return Page(view.title, view.verdict, blocks, _subtitle(view), tiles.rehearsed(view), still)


def rehearsals_page(title: str, views: Sequence[RunView]) -> Page:
    """The report on several runs of one test: what they share once, then in short each run."""
    if not views:
        raise ParameterError("got no runs; a report needs one at least")
    judged = [Judged(view) for view in views]
    first = judged[0]
    tested: list[Block] = test_section.tested(first)
    changed = parameters.differences([view.test for view in judged], test_section.declared_by())
    if changed:
        rows = [[path, *values] for path, values in changed.items() if path != "title"]
        caption = "What differs between the runs; the drawing shows the first"
        tested.insert(0, PageTable(["parameter", *(v.label for v in judged)], rows, caption))
    blocks: list[Block] = [
        PageSection("Summary", [sections.summary(judged)]),
        *_laid_over(judged),
        PageSection("What was tested", tested),
        PageSection("Stability", sections.stability(judged)),
    ]
    blocks.append(PageSection("Error the rig adds", comparison.errors(judged)))
    blocks.append(PageSection("Each run by itself", comparison.alone(judged, _shared(judged))))
    blocks.append(PageSection("Provenance", test_section.provenance(judged)))
    what, *others = dict.fromkeys(map(_subtitle, judged))
    subtitle = "; ".join([what, *(f"{each[:1].lower()}{each[1:]}" for each in others)])
    return Page(title, _overall(judged), blocks, subtitle=subtitle)


def _shared(views: Sequence[Judged]) -> bool:
    """Whether signals of several runs can be laid over each other."""
    data = [view.data for view in views]
    return len(data) > 1 and all(each.sizes["time"] > 1 for each in data) and bool(common(data, others=False))


def _laid_over(views: Sequence[Judged]) -> list[Block]:
    """The signals of several runs in one picture each; nothing of a run alone, or of one without samples."""
    data = [view.data for view in views]
    if len(data) < 2 or any(each.sizes["time"] < 2 for each in data):
        return []
    names = common(data, others=False)
    nothing = Text(
        "Their interfaces have other axes: they share no signal that could be laid over each other."
    )
    found = overlays([view.label for view in views], data, names) if names else [nothing]
    return [PageSection("Laid over each other", found)]


def _operated(view: Judged) -> list[Block]:
    blocks = operated(view)
    return [PageSection("Operator and clock", blocks)] if blocks else []


def _every_parameter(view: Judged) -> list[Block]:
    """The long table, after all that a reader came for."""
    return [PageSection("Every parameter", test_section.every_parameter(view))] if view.test else []


def write(path: str | Path, title: str, runs: Sequence[RunView]) -> Path:
    """Write the report on several runs to a file."""
    return rehearsals_page(title, runs).write(path)


def write_run(
    run: Any,
    path: str | Path,
    ideal: Any = None,
    stability: Any = None,
    budget: Sequence[fidelity.Contribution] = (),
    interactive: bool = False,
    phones: bool = True,
) -> Path:
    """Write the report on one run, whatever its mode; what is not given is computed where it can be.

    An `interactive` one has a script in it that plays the run in 3-D beside plots to zoom into. Its figures are drawn
    once more for `phones`.
    """
    page = _page(run, ideal, stability, budget)
    if interactive:
        from dovetail.report.interactive import playable

        page = playable(page, run, ideal)
    return page.write(path, phones)


def _page(run: Any, ideal: Any, stability: Any, budget: Sequence[fidelity.Contribution]) -> Page:
    if run.mode == "simulate":
        return simulation_page(run)
    if run.mode == "creep":
        return creep_page([run])
    ideal = run.ideal() if ideal is None else ideal
    why = ""
    if stability is None:
        stability, why = answer_or_reason(run.test.stability)
    return rehearsal_page(run, ideal, stability, budget=budget, why=why)


def _overall(views: Sequence[Judged]) -> Verdict:
    if len(views) == 1:
        return views[0].verdict
    by_word: dict[str, list[str]] = {}
    for view in views:
        word = verdicts.IDEAL if view.rigless else verdicts.word(view.margins, view.outcome)
        by_word.setdefault(word.lower(), []).append(view.label)
    parts = [_said_of(labels, word) for word, labels in by_word.items()]
    tones = [view.verdict.tone for view in views]
    worst: Tone = "bad" if "bad" in tones else "caution" if "caution" in tones else "good"
    known = [view.margins.critical_delay for view in views if not view.rigless]
    critical = known[0] if known and all(each == known[0] for each in known) else None
    limit = (
        f" The critical delay is {ms(critical)}." if critical is not None and np.isfinite(critical) else ""
    )
    return Verdict(f"{len(views)} runs: {'; '.join(parts)}.{limit}{_apart(views)}", worst)


def _said_of(labels: Sequence[str], word: str) -> str:
    """What a word or two say of some runs, as part of a sentence."""
    names = " and ".join(f"“{label}”" for label in labels)
    if word.endswith("cannot be said"):
        return f"of {names} the {word}"
    return f"{names} {'is' if len(labels) == 1 else 'are'} {word}"


def _apart(views: Sequence[Judged]) -> str:
    """How far the runs are from the first, in a sentence; nothing where they share no signal."""
    data = [view.data for view in views]
    names = common(data, others=False) if all(each.sizes["time"] > 1 for each in data) else []
    return f" {apart([view.label for view in views], data, names[0])[1]}" if names else ""


def _subtitle(view: Judged) -> str:
    what = {"rehearse": "Rehearsal against a virtual rig", "emulate": "The ideal, without a rig"}
    what |= {"run": "Run against a rig", "replay": "Replay of a recording", "creep": "Run in expanded time"}
    return what.get(view.mode, view.mode)
