"""Browser view of a run: 3-D scene, playback at any speed, plots of signals.

Depends on: core, testing, links, scene. It cannot delay a running loop.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.view.browser import RunPage
    from dovetail.view.live import LivePage
    from dovetail.view.playback import Playback

lazily(__name__)


__all__ = ["LivePage", "Playback", "RunPage"]
