"""The studio without its pages: a test under edit, what it would do while a value moves, work in other processes.

Depends on: core, stability, testing, links, design, campaign, studies, report, view, cli.
Pages build on it (`docs/design/studio.md`); it knows nothing of them.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.studio import handover
    from dovetail.studio.answer import Answer, Trace
    from dovetail.studio.beside import Beside
    from dovetail.studio.blocks import Choice, DrawnBlock, Value
    from dovetail.studio.deed import Deed
    from dovetail.studio.document import Document
    from dovetail.studio.doing import Job, Jobs
    from dovetail.studio.drafts import Drafts
    from dovetail.studio.feel import Feel
    from dovetail.studio.holding import Holding
    from dovetail.studio.knobs import Knob, knobs
    from dovetail.studio.past import Past, recent
    from dovetail.studio.stability_map import StabilityMap

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
    "handover",
    "knobs",
    "recent",
]
