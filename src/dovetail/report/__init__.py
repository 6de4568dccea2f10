"""Figures and pages that tell what a run showed and whether to believe it.

Depends on: core, mechanics, transfer, specimens, compensation, stability, testing, fidelity, assess, campaign, studies,
scene, view.
Nothing depends on it; a run asks it for a figure or a page when told to.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.report import figures
    from dovetail.report.figures import LimitUse
    from dovetail.report.judged import RunView
    from dovetail.report.page import (
        Drawing,
        Folded,
        Page,
        PageSection,
        PageTable,
        Pair,
        Picture,
        TableCell,
        Text,
        Verdict,
    )
    from dovetail.report.plot import plot
    from dovetail.report.run_page import rehearsal_page, rehearsals_page, write, write_run

lazily(__name__)


__all__ = [
    "Drawing",
    "Folded",
    "LimitUse",
    "Page",
    "PageSection",
    "PageTable",
    "Pair",
    "Picture",
    "RunView",
    "TableCell",
    "Text",
    "Verdict",
    "figures",
    "plot",
    "rehearsal_page",
    "rehearsals_page",
    "write",
    "write_run",
]
