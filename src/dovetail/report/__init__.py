"""Figures and HTML reports of runs, comparisons, campaigns and maps.

Depends on: core, mechanics, transfer, specimens, compensation, stability, testing, fidelity, assess, campaign, studies,
scene.
A run makes its figures and pages through `core.extensions`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.report import figures
    from dovetail.report.figures import LimitUse
    from dovetail.report.judged import RunView
    from dovetail.report.page import (
        Collapsible,
        Drawing,
        FigureBlock,
        Page,
        PageSection,
        PageTable,
        Paragraph,
        SideBySide,
        TableCell,
        Verdict,
    )
    from dovetail.report.plot import plot
    from dovetail.report.run_page import rehearsal_page, rehearsals_page, write, write_run
    from dovetail.report.section_list import section

lazily(__name__)


__all__ = [
    "Collapsible",
    "Drawing",
    "FigureBlock",
    "LimitUse",
    "Page",
    "PageSection",
    "PageTable",
    "Paragraph",
    "RunView",
    "SideBySide",
    "TableCell",
    "Verdict",
    "figures",
    "plot",
    "rehearsal_page",
    "rehearsals_page",
    "section",
    "write",
    "write_run",
]
