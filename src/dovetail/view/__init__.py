"""Looking at a run: the mechanism in the browser, played at any speed, with its signals beside it.

Depends on: core, testing, links, scene. It cannot delay a running loop.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.view.browser import RunPage
    from dovetail.view.live import LivePage
    from dovetail.view.playback import Player

lazily(__name__)


__all__ = ["LivePage", "Player", "RunPage"]
