"""Page of a running test: displayed samples and operator actions."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.links.live_run import Live, find_live_run
from dovetail.links.ring import Ring
from dovetail.studies.registry import find_test
from dovetail.testing import Tunable
from dovetail.testing.operator import read_events
from dovetail.view import LivePage
from dovetail.view.live import Feed, wait_for_recording

pytest.importorskip("viser")


@pytest.fixture(scope="module")
def test():
    loaded = dv.load(find_test("substructuring/cs1"), {"duration": 20.0})
    return dv.Test(
        **{f: getattr(loaded, f) for f in ("numerical", "rig", "excitation", "duration", "rate", "title")},
        tunable={"numerical.c": Tunable(min=5.0, max=30.0)},
    )


SIGNALS = {"displacement": (), "measured_displacement": (), "measured_force": (), "tick_lateness": ()}


def moved(ring, count):
    for _ in range(count):
        n = ring.row_count + 1
        z = 0.01 * np.sin(0.02 * n)
        ring.show(np.array([z, 0.9 * z, -20 * z, 1e-6 * n]))


@pytest.fixture
def going_on(test, tmp_path):
    """A loop that writes its window, and the folder it runs in."""
    with Live(test, tmp_path, "realtime") as live:
        ring = Ring(SIGNALS, test.tick_count, test.dt, live.window)
        yield live, ring


def test_the_feed_is_thinned_and_ends_with_the_newest_sample(test, going_on):
    live, ring = going_on
    feed = Feed(test, find_live_run(live.folder).open_ring(), "realtime")
    assert feed.read() is None
    moved(ring, 15_007)
    data = feed.read()
    assert data.sizes["time"] <= 601
    assert data.last_time == pytest.approx(15.007)
    assert data["displacement"].values[-1] == 0.01 * np.sin(0.02 * 15_007)
    assert data.time.values[0] > 4.5  # ten seconds
    scene = feed.scene()
    assert feed.largest >= 0.01
    assert {plot.title.split(" [")[0] for plot in scene.plots} >= {"displacement", "tick lateness"}


def test_the_picture_keeps_its_size_while_the_motion_changes(test, going_on):
    live, ring = going_on
    feed = Feed(test, find_live_run(live.folder).open_ring(), "realtime")
    moved(ring, 200)
    feed.read()
    first = feed.largest
    moved(ring, 5000)
    feed.read()
    assert feed.largest == first


def test_the_page_shows_the_live_run_and_sends_requests(test, going_on, serving, until, chromium):
    live, ring = going_on
    live.operator.register_tunables(test)
    page = serving(LivePage(find_live_run(live.folder), port=0))
    moved(ring, 1000)
    tab = chromium.new_page()
    tab.goto(f"http://127.0.0.1:{page.port}")
    tab.get_by_text("t = 1.000 s of 20 s").wait_for()
    tab.get_by_role("button", name="Hold").click()
    until(lambda: live.operator.update(1.0) or live.operator.held)
    tab.get_by_text("1.000 s hold").wait_for()  # as the run noted it
    moved(ring, 500)
    tab.get_by_text("t = 1.500 s of 20 s").wait_for()
    tab.reload()
    tab.get_by_text("t = 1.500 s of 20 s").wait_for()  # a reload finds the current state
    number = tab.get_by_role("textbox").first
    number.fill("20")
    number.press("Enter")
    until(lambda: live.operator.update(1.5) or live.operator.values["numerical.c"] == 20.0)
    tab.get_by_role("button", name="Stop").click()
    until(lambda: live.operator.update(1.5) or live.operator.stopped)
    tab.close()
    assert {event.action for event in read_events(live.folder)} == {"hold", "set", "stop"}


def test_the_page_shows_the_end_of_the_run(test, tmp_path):
    with Live(test, tmp_path, "realtime") as live:
        ring = Ring(SIGNALS, test.tick_count, test.dt, live.window)
        page = LivePage(find_live_run(tmp_path), port=0)
        moved(ring, 10)
        assert not page.serve(0.0)
        assert page.frames == 1
    assert page.serve(0.0)  # one look is enough
    assert page.panel.buttons["stop"].disabled
    assert not wait_for_recording(tmp_path, timeout=0.0)
    page.close()
