"""The page itself, in a real browser where there is one."""

import dataclasses
import shutil
import threading
import time

import pytest

import dovetail as dv
from dovetail.studies.registry import find_test
from dovetail.view.browser import plain, rgb

pytest.importorskip("viser")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--ignore-gpu-blocklist"]


def test_names_with_markup_are_text():
    assert plain("<script>alert(1)</script>") == "&lt;script&gt;alert\\(1\\)&lt;/script&gt;"
    assert plain("[a](javascript:b) **c**") == "\\[a\\]\\(javascript:b\\) \\*\\*c\\*\\*"


def test_a_ghost_is_paler():
    assert rgb("#0072b2") == (0, 114, 178)
    assert rgb("#0072b2", ghost=True) == (127, 184, 216)


@pytest.fixture(scope="module")
def page():
    from dovetail.view import Page, stage_of

    run = dv.load(find_test("substructuring/cs1"), {"duration": 2.0}).rehearse()
    stage = dataclasses.replace(stage_of(run), title="A <b>bold</b> [title](x)")
    page = Page(stage, port=0)
    end = threading.Event()

    def serve():
        while not end.is_set():
            page.serve(0.05)

    thread = threading.Thread(target=serve)
    thread.start()
    yield page
    end.set()
    thread.join()
    page.close()


def test_the_page_shows_the_moment_it_was_told(page):
    page.player.seek(0.5)
    deadline = time.monotonic() + 10
    while "t = 0.5000 s" not in page.clock.content and time.monotonic() < deadline:
        time.sleep(0.02)
    assert page.clock.content.startswith("t = 0.5000 s")
    assert page.scrubber.value == 250
    page.player.seek(0.0)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium to look with")
def test_play_hold_and_the_scrubber_in_a_browser(page):
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        tab = browser.new_page()
        tab.goto(f"http://127.0.0.1:{page.port}")
        tab.get_by_role("button", name="Play").wait_for(timeout=60_000)
        assert tab.get_by_text("A <b>bold</b> [title](x)").count() == 1  # as text, not as markup
        tab.get_by_role("button", name="Play").click()
        _until(lambda: page.player.position > 0)
        tab.get_by_role("button", name="Hold").click()
        _until(lambda: not page.player.playing)
        held = page.stage.times[page.stage.at(page.player.position)]
        tab.get_by_text(f"t = {held:.4f} s").wait_for(timeout=20_000)  # the page shows what was recorded then
        number = tab.get_by_role("textbox").first
        number.fill("750")
        number.press("Enter")
        _until(lambda: abs(page.player.position - 1.5) < 1e-3)
        tab.reload()
        tab.get_by_text("t = 1.5000 s").wait_for(timeout=60_000)  # a reload finds the current state
        browser.close()
    assert [what for _, what in page.pressed][:2] == ["play", "hold"]


def _until(holds, patience=20.0):
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, "the page did not answer"
        time.sleep(0.02)
