"""Page of a recorded run, in a real browser if available."""

import io
import threading

import numpy as np
import pytest
from matplotlib.image import imread

import dovetail as dv
from dovetail.core.errors import AnalysisError
from dovetail.scene import available_scenes, build_scene, cameras
from dovetail.scene.polylines import segments
from dovetail.scene.scene import ASPECT
from dovetail.studies.registry import find_test
from dovetail.view import RunPage
from dovetail.view.browser import slider_marks

pytest.importorskip("viser")


def test_the_page_shows_the_given_time(cs1, serving, until):
    page = serving(RunPage(build_scene(cs1), port=0))
    page.playback.seek(0.5)
    until(lambda: "t = 0.5000 s" in page.clock.content)
    assert page.scrubber.value == pytest.approx(0.5)


def test_close_marks_share_a_label():
    assert slider_marks([(0.0, "a"), (1.0, "a"), (2.0, "b"), (9.0, "c")], 10.0) == (
        (0.0, "a"),
        1.0,
        2.0,
        (9.0, "c"),
    )


def test_the_first_picture_has_a_sky_before_scenery_loads(until, looked_on):
    _, tab = looked_on
    canvas = "document.querySelector('canvas[data-engine]')"
    until(
        lambda: tab.evaluate(f"{canvas} && getComputedStyle({canvas}).backgroundImage.startsWith('linear')")
    )
    assert (
        tab.evaluate(f"getComputedStyle({canvas}).opacity") == "1"
    )  # it fades in with surroundings, not without
    assert tab.evaluate("window.__viserMutable.scene.environment") is None


def test_the_first_camera_fits_the_screen_until_it_is_moved(until, looked_on):
    page, tab = looked_on
    (client,) = page.server.get_clients().values()

    def suits():
        wanted = cameras.on_screen(page.scene, "overview", client.camera.aspect)(0)
        return np.allclose(client.camera.position, wanted.eye, rtol=1e-3)

    until(
        lambda: client.camera.aspect < ASPECT - 0.05 and suits(), 60.0
    )  # the panel stands beside the picture
    wide = (
        client.camera.aspect
    )  # before: a busy machine may have told of the new one when the next line is done
    tab.set_viewport_size({"width": 700, "height": 450})
    until(lambda: client.camera.aspect < wide and suits(), 60.0)
    box = tab.locator("canvas[data-engine]").bounding_box()
    tab.mouse.move(box["width"] / 2, box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["width"] / 2 + 60, box["height"] / 2)
    tab.mouse.up()
    until(lambda: not page.new_clients, 60.0)
    tab.set_viewport_size({"width": 800, "height": 450})
    assert not suits()


def test_the_follow_camera_moves_with_the_subject(until, looked_on):
    page, tab = looked_on
    tab.get_by_role("button", name="follow").click()
    until(lambda: page.focus is not None, 60.0)
    client = next(iter(page.server.get_clients().values()))
    page.playback.seek(1.0)
    until(lambda: page.shown == page.scene.at(1.0))
    until(lambda: np.allclose(client.camera.look_at, page.scene.focus(page.shown), atol=1e-6), 60.0)
    tab.get_by_role("button", name="overview").click()
    until(lambda: page.focus is None, 60.0)


def test_another_view_of_the_run_keeps_the_time(cs1, serving, until):
    page = serving(
        RunPage({"one": build_scene(cs1), "other": build_scene(cs1, cs1.test.reference())}, port=0)
    )
    page.playback.seek(1.0)
    page.requested = "other"
    until(lambda: page.scene is page.scenes["other"] and page.shown == page.scene.at(1.0))
    assert len(page.viser_scene.solids) == len(page.scene.solids)


def test_the_page_opens_at_once_and_adds_the_reference_when_computed(cs1, serving, until):
    page = RunPage(build_scene(cs1), port=0)
    asked, may = threading.Event(), threading.Event()

    def pictures():
        asked.set()
        may.wait(300)
        return {"": build_scene(cs1, cs1.test.reference())}

    page.show_when_ready("reference", pictures)
    serving(page)
    assert asked.wait(300)
    page.playback.seek(0.5)
    until(lambda: "t = 0.5000 s" in page.clock.content)  # it is looked at meanwhile
    assert "Computing" in page.notice.content
    may.set()
    until(lambda: any(solid.name == "reference" for solid in page.viser_scene.scene.solids))
    until(lambda: page.shown == page.scene.at(0.5))


def test_errors_of_the_computation_are_shown_on_the_page(cs1, serving, until):
    def pictures():
        raise AnalysisError("no model of the specimen")

    page = serving(RunPage(build_scene(cs1), port=0))
    page.show_when_ready("reference", pictures)
    until(lambda: "not available" in page.notice.content)


def test_play_hold_stop_and_the_scrubber_in_a_browser(cs1, until, looked_on):
    page, tab = looked_on
    assert tab.get_by_text(page.scene.title).count() == 1  # as text, not as markup
    tab.get_by_role("button", name="Play").click()
    until(lambda: page.playback.position > 0)
    tab.get_by_role("button", name="Pause").click()
    until(lambda: not page.playback.playing)
    shown_as_recorded(tab, page, cs1)
    number = tab.get_by_role("textbox").first
    number.fill("1.5")
    number.press("Enter")
    until(lambda: abs(page.playback.position - 1.5) < 1e-3)
    tab.reload()
    tab.get_by_text("t = 1.5000 s").wait_for()  # a reload finds the current state
    tab.get_by_role("button", name="Rewind").click()
    tab.get_by_text("t = 0.0000 s").wait_for()
    assert [what for _, what in page.events] == ["play", "pause", "seek", "rewind"]


CURSOR_RATE = """
() => Object.values(window.__viserTestpoints?.uplots ?? {}).map(({chart}) => {
  const head = chart.data[chart.data.length - 1];
  return [chart.title?.textContent ?? chart.root.textContent, chart.data[0][head.findIndex(y => y > 1)]];
})
"""


def test_every_plot_has_the_cursor_at_the_shown_time(until, looked_on):
    page, tab = looked_on
    count = len(page.scene.plots)
    until(lambda: len(tab.evaluate(CURSOR_RATE)) == count)
    page.playback.seek(1.25)
    over_time = [place for title, place in tab.evaluate(CURSOR_RATE) if "synchronisation" not in title]
    assert len(over_time) == count - 1
    until(
        lambda: (
            [p for t, p in tab.evaluate(CURSOR_RATE) if "synchronisation" not in t] == [1.25] * (count - 1)
        )
    )


PLOT = """
() => {
  const {chart} = Object.values(window.__viserTestpoints.uplots)[0];
  chart.over.scrollIntoView({block: 'center'});
  const frame = chart.over.getBoundingClientRect();
  return [frame.left, frame.top + frame.height / 2, chart.valToPos(0.5, 'x'), chart.valToPos(1.5, 'x')];
}
"""


def test_a_click_in_a_plot_sets_the_time_and_a_drag_does_not(until, looked_on):
    page, tab = looked_on
    until(lambda: len(tab.evaluate(CURSOR_RATE)) == len(page.scene.plots))
    left, top, early, late = tab.evaluate(PLOT)
    tab.mouse.click(left + late, top)
    until(lambda: abs(page.playback.position - 1.5) < 0.03)  # a pixel is some 10 ms here
    tab.mouse.click(left + early, top)
    until(lambda: abs(page.playback.position - 0.5) < 0.03)
    assert [what for _, what in page.events] == ["seek", "seek"]
    tab.mouse.move(left + early, top)
    tab.mouse.down()
    tab.mouse.move(left + late, top, steps=4)
    tab.mouse.up()  # a zoom
    until(lambda: tab.evaluate(SPANS)[0][0] > 0.3)
    assert abs(page.playback.position - 0.5) < 0.03
    tab.mouse.dblclick(left + early, top)  # all of it again
    until(lambda: tab.evaluate(SPANS)[0][0] == 0.0)


SPANS = """
() => Object.values(window.__viserTestpoints?.uplots ?? {}).map(
  ({chart}) => [chart.scales.x.min, chart.scales.x.max])
"""


SMALL = """() => [...document.querySelectorAll('body *')].filter(element =>
  element.getBoundingClientRect().width && parseFloat(getComputedStyle(element).fontSize) < 11
  && [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())).length"""


def test_page_and_scene_have_a_dark_mode_also_on_a_phone(until, looked_on, chromium):
    """On a phone the panel is a sheet below the picture, where letters are large enough and plots are whole."""
    page, tab = looked_on
    axes_overlay = {"x": 2, "y": 440, "width": 4, "height": 4}
    bright = pixels(tab, axes_overlay)
    tab.get_by_text("dark mode", exact=True).click()
    tab.locator("[data-mantine-color-scheme=dark]").wait_for(state="attached")
    until(lambda: pixels(tab, axes_overlay) < 0.4 < bright)
    page.playback.seek(1.25)
    until(lambda: page.cursor_sample == page.scene.at(1.25))
    phone = chromium.new_page()
    phone.set_viewport_size({"width": 420, "height": 800})
    phone.goto(f"http://127.0.0.1:{page.port}")
    button = phone.get_by_role("button", name="Play")
    button.wait_for()
    box = button.bounding_box()
    assert box["y"] > 300  # the picture has the upper part to itself
    assert 0 <= box["x"] < 120  # the sheet is as wide as the screen
    assert phone.get_by_role("button", name="Rewind").bounding_box()["x"] + box["width"] <= 420
    assert phone.evaluate("document.documentElement.scrollWidth") <= 420
    until(lambda: phone.evaluate(SMALL) == 0)
    spans = [[float(plot.x.min()), float(plot.x.max())] for plot in page.scene.plots]
    until(lambda: np.shape(phone.evaluate(SPANS)) == (len(spans), 2))
    phone.wait_for_timeout(500)  # they are drawn anew in the dark
    np.testing.assert_allclose(phone.evaluate(SPANS), spans)
    button.click()
    until(lambda: page.playback.position > 1.25)
    phone.close()
    tab.get_by_text("dark mode", exact=True).click()
    tab.locator("[data-mantine-color-scheme=light]").wait_for(state="attached")


def pixels(tab, clip):
    """How bright a piece of the page is, from 0 to 1."""
    return float(imread(io.BytesIO(tab.screenshot(clip=clip)), format="png")[..., :3].mean())


STUDIES = {
    "substructuring/lag-damper-emulated": {"duration": 0.3},
    "docking/six-dof": {},
    "refuelling/full-scale": {"duration": 0.6},
    "capture/deploy": {"duration": 1.0},
    "shipboard/case-6-drop": {"duration": 0.1},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", STUDIES)
def test_each_study_can_be_played_paused_scrubbed_and_stopped(name, serving, until, looking):
    test = dv.load(find_test(name), STUDIES[name])
    run = test.simulate() if test.rig is None else test.rehearse()
    page = serving(RunPage(available_scenes(run), port=0))
    tab = looking(page)
    tab.get_by_role("button", name="Play").click()
    until(lambda: page.playback.position > 0)
    tab.get_by_role("button", name="Pause").click()
    until(lambda: not page.playback.playing)
    shown_as_recorded(tab, page, run)
    thumb = tab.get_by_role("slider").first
    box = thumb.bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.mouse.down()
    before = page.playback.position
    middle = (page.playback.first + page.playback.last) / 2
    way = 40 if before < middle else -40  # pixels; a short run may be at its end already
    tab.mouse.move(box["x"] + way, box["y"] + box["height"] / 2, steps=5)
    tab.mouse.up()
    until(lambda: page.playback.position != before and ("seek" in [what for _, what in page.events]))
    shown_as_recorded(tab, page, run)
    tab.get_by_role("button", name="Rewind").click()
    until(lambda: page.shown == 0)
    tab.close()


def shown_as_recorded(tab, page, run):
    """The page's clock and words are those of one sample of the recording, and so is what is drawn."""
    k = page.scene.at(page.playback.position)
    tab.get_by_text(f"t = {page.scene.times[k]:.4f} s").wait_for()
    words = page.scene.notes(k)
    assert words.split(";")[0][:20] in tab.locator("body").inner_text()
    assert float(page.scene.times[k]) in run.data.time.values
    for line, handle in zip(page.scene.lines, page.viser_scene.lines, strict=True):
        np.testing.assert_allclose(handle.points[:, 0], segments(line.points(k))[:, 0], rtol=1e-5, atol=1e-5)
    for solid, handle in zip(page.scene.solids, page.viser_scene.solids, strict=True):
        np.testing.assert_allclose(handle.position, solid.pose(k)[1], rtol=1e-5, atol=1e-5)
