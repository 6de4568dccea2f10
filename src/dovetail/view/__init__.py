"""Looking at a run: the mechanism in the browser, played at any speed, with its signals beside it.

Depends on: core, mechanics, air, sea, transfer, specimens, testing, links, fidelity, report, studies. Pages on runs ask
it for a picture; nothing else depends on it, and nothing it does can delay a loop.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.view.browser import RunPage
    from dovetail.view.live import LivePage
    from dovetail.view.player import Player
    from dovetail.view.stage import Arrow, Line, Plot, Stage
    from dovetail.view.stages import pictures_of, stage_of

lazily(__name__)


__all__ = ["Arrow", "Line", "LivePage", "Player", "Plot", "RunPage", "Stage", "pictures_of", "stage_of"]
