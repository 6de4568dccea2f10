"""A page in which a run is played: in a real browser, what it shows is what was recorded."""

import base64
import json
import re
import time

import numpy as np
import pytest

import dovetail as dv
from dovetail.report import Page, Verdict, write_run
from dovetail.report.html import render
from dovetail.report.interactive import _spoken, array, moments, scene_json, script
from dovetail.scene import build_scene
from dovetail.scene.signal_plots import curves
from dovetail.studies.registry import find_test

FLAGS = ["--enable-unsafe-swiftshader"]
MOST = 8_000_000  # bytes of a page
READY = "document.querySelectorAll('#player canvas[data-high]').length > 1"


@pytest.fixture(scope="module")
def run():
    return dv.load(find_test("substructuring/cs1"), {"duration": 2.0}).rehearse()


@pytest.fixture(scope="module")
def page(run, tmp_path_factory):
    return write_run(run, tmp_path_factory.mktemp("page") / "interactive.html", interactive=True)


@pytest.fixture(scope="module")
def window(browsers):
    """A window, and what its pages had to complain of."""
    context = browsers(*FLAGS).new_context(viewport={"width": 900, "height": 900}, device_scale_factor=0.5)
    context.set_default_timeout(300_000)
    tab, said = context.new_page(), []
    tab.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    tab.on("pageerror", lambda error: said.append(str(error)))
    yield tab, said
    context.close()


@pytest.fixture
def tab(window, page):
    tab, said = window
    tab.goto(page.as_uri())
    until(tab, READY)
    yield tab
    assert said == []


def until(tab, script, patience=120.0):
    """Wait for something to be so; asked from outside, as the page lets no other script in."""
    end = time.monotonic() + patience
    while not tab.evaluate(script):
        assert time.monotonic() < end, script
        time.sleep(0.05)


def floats(told):
    return np.frombuffer(base64.b64decode(told["data"]), told["kind"])


def test_the_page_allows_one_script_and_is_small(page):
    text = page.read_text("utf-8")
    assert len(text) < MOST
    assert re.search(r"default-src 'none';[^\"]*script-src 'sha256-[A-Za-z0-9+/=]{44}'\"", text)
    assert text.count("<script") == 2  # numbers, and what draws them
    assert script() in text


def test_a_page_has_no_script_by_default():
    text = render(Page("a run", Verdict("it ended")))
    assert "<script" not in text
    assert "script-src" not in text


def test_a_name_in_a_test_cannot_end_the_numbers(run, tmp_path):
    named = dv.testing.Run(run.test, run.mode, run.recording.with_attrs(title="x"), run.outcome)
    scene = build_scene(named)
    text = json.dumps(scene_json(scene, curves(run.data)))
    assert "</" not in text.replace("<", "\\u003c")


def test_extremes_of_every_trace_are_in_the_page(run):
    few = curves(run.data, 50)
    kept = scene_json(build_scene(run), few)["plots"]
    for plot, shown in zip([p for p in few if not p.dots], kept, strict=True):
        for y, values in zip(plot.ys, shown["ys"], strict=True):
            np.testing.assert_allclose(floats(values), y, rtol=1e-6, atol=1e-12)
    high = max(floats(y).max() for y in kept[0]["ys"])
    both = [run.data[name].values for name in ("displacement", "measured_displacement")]
    assert high == pytest.approx(1e3 * max(values.max() for values in both), rel=1e-6)  # in mm


def test_values_that_are_not_finite_repeat_the_previous_one():
    assert floats(array([np.nan, 1.0, np.inf, 2.0])).tolist() == [0.0, 1.0, 1.0, 2.0]


def test_frames_cover_the_run_within_the_size_limit(run):
    chosen = moments(build_scene(run))
    assert chosen[0] == 0
    assert chosen[-1] == len(build_scene(run).times) - 1
    assert len(chosen) <= 600


def test_plots_keep_extremes_zoom_together_and_follow_clicks(run, tab):
    plots = tab.locator("#player .player-plot canvas")
    drawn = [float(v) for v in plots.first.evaluate("c => [c.dataset.low, c.dataset.high]")]
    values = np.stack([run.data[n].values.ravel() for n in ("displacement", "measured_displacement")])
    np.testing.assert_allclose(drawn, [1e3 * values.min(), 1e3 * values.max()], rtol=1e-5)
    plots.first.scroll_into_view_if_needed()
    box = plots.first.bounding_box()
    y, inside = box["y"] + 60, box["width"] - 74
    tab.mouse.move(box["x"] + 64 + 0.25 * inside, y)
    until(
        tab,
        "[...document.querySelectorAll('.player-plot canvas')].every(c => Math.abs(c.dataset.cursor - 0.5) < 0.02)",
    )
    tab.mouse.down()
    tab.mouse.move(box["x"] + 64 + 0.75 * inside, y, steps=3)
    tab.mouse.up()
    until(
        tab,
        "[...document.querySelectorAll('.player-plot canvas')].every(c => Math.abs(c.dataset.to - 1.5) < 0.02)",
    )
    tab.mouse.click(box["x"] + 64 + 0.5 * inside, y)
    until(tab, "Math.abs(document.querySelector('#player').dataset.now - 1.0) < 0.02")
    tab.mouse.dblclick(box["x"] + 64 + 0.5 * inside, y)
    until(tab, "document.querySelector('.player-plot canvas').dataset.to == 2")


def test_it_plays_in_three_dimensions_and_by_keys(tab):
    picture = """() => { const c = document.querySelector('.player-stage canvas'), g = c.getContext('webgl2');
        return new Promise(done => requestAnimationFrame(() => { const p = new Uint8Array(4 * c.width * c.height);
        g.readPixels(0, 0, c.width, c.height, g.RGBA, g.UNSIGNED_BYTE, p); done(g.getError()); })); }"""
    assert tab.evaluate(picture) == 0
    before = tab.locator(".player-stage").screenshot()
    tab.keyboard.press("Space")
    until(tab, "document.querySelector('#player').dataset.now > 0.3")
    tab.keyboard.press("Space")
    until(tab, "document.querySelector('.player-row button').textContent === 'Play'")
    at = float(tab.evaluate("document.querySelector('#player').dataset.now"))
    tab.keyboard.press("ArrowRight")
    until(tab, f"document.querySelector('#player').dataset.now > {at}")
    assert tab.locator(".player-stage").screenshot() != before
    assert f"t = {at + 0.02:.2f}"[:6] in tab.locator(".player-clock").inner_text()


def test_plot_titles_have_no_underscores():
    assert _spoken("measured_displacement_0") == "measured displacement"
    assert _spoken("2") == "2"
