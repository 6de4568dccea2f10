"""Application layer of the studio, without pages: test editing, interactive exploration, jobs in other processes.

Depends on: core, mechanics, stability, testing, fidelity, links, assess, campaign, studies, report.
The pages of `dovetail.studio` build on it (`docs/design/studio.md`); it does not import them.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.app import export
    from dovetail.app.actions import Action
    from dovetail.app.arming import Arming
    from dovetail.app.blocks import BlockView, PartOption, Value
    from dovetail.app.control_lock import ControlLock
    from dovetail.app.document import Document
    from dovetail.app.drafts import Drafts
    from dovetail.app.explore import Explorer
    from dovetail.app.explore_process import ExploreProcess
    from dovetail.app.explore_result import ExploreResult, Trace
    from dovetail.app.history import RunEntry, recent_runs
    from dovetail.app.jobs import Job, Jobs
    from dovetail.app.slider_ranges import SliderRange, slider_ranges
    from dovetail.app.stability_map import StabilityMap

lazily(__name__)


__all__ = [
    "Action",
    "Arming",
    "BlockView",
    "ControlLock",
    "Document",
    "Drafts",
    "ExploreProcess",
    "ExploreResult",
    "Explorer",
    "Job",
    "Jobs",
    "PartOption",
    "RunEntry",
    "SliderRange",
    "StabilityMap",
    "Trace",
    "Value",
    "export",
    "recent_runs",
    "slider_ranges",
]
