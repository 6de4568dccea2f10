"""The studio without its pages: a test under edit, what it would do while a value moves, work in other processes.

Depends on: core, stability, testing, links, assess, campaign, studies, report, cli.
Pages build on it (`docs/design/studio.md`); it knows nothing of them.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.app import export
    from dovetail.app.actions import Deed
    from dovetail.app.blocks import Choice, DrawnBlock, Value
    from dovetail.app.control_lock import Holding
    from dovetail.app.document import Document
    from dovetail.app.drafts import Drafts
    from dovetail.app.explore import Feel
    from dovetail.app.explore_process import Beside
    from dovetail.app.explore_result import Answer, Trace
    from dovetail.app.history import Past, recent
    from dovetail.app.jobs import Job, Jobs
    from dovetail.app.slider_ranges import Knob, knobs
    from dovetail.app.stability_map import StabilityMap

lazily(__name__)


__all__ = [
    "Answer",
    "Beside",
    "Choice",
    "Deed",
    "Document",
    "Drafts",
    "DrawnBlock",
    "Feel",
    "Holding",
    "Job",
    "Jobs",
    "Knob",
    "Past",
    "StabilityMap",
    "Trace",
    "Value",
    "export",
    "knobs",
    "recent",
]
