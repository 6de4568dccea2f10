"""Keys of the page, in a real browser."""

import numpy as np
import pytest

pytest.importorskip("viser")


def test_space_plays_and_holds_and_arrows_step_without_turning_the_view(until, looked_on):
    page, tab = looked_on
    tab.get_by_role(
        "button", name="Rewind"
    ).click()  # a button that has the focus takes no key of ours for its own
    until(lambda: page.events)
    client = next(iter(page.server.get_clients().values()))
    tab.keyboard.press("Space")
    until(lambda: page.playback.position > 0)
    tab.keyboard.press("Space")
    until(lambda: not page.playback.playing)
    assert [what for _, what in page.events] == ["rewind", "play", "pause"]
    at, before = page.playback.position, np.array(client.camera.position)
    tab.keyboard.press("ArrowRight", delay=200)
    until(lambda: page.playback.position > at)
    assert page.playback.position == pytest.approx(at + (page.playback.last - page.playback.first) / 100)
    until(lambda: not page.keys.views)
    here = np.array(client.camera.position)
    assert np.linalg.norm(here - before) < 1e-3 * np.linalg.norm(before - client.camera.look_at)
    tab.keyboard.press("ArrowLeft")
    until(lambda: page.playback.position == pytest.approx(at))
