"""Page served by a thread, and a browser."""

import contextlib
import threading
import time
from dataclasses import replace

import pytest

import dovetail as dv
from dovetail.scene import build_scene
from dovetail.view import RunPage

FLAGS = ["--enable-unsafe-swiftshader"]


@contextlib.contextmanager
def served():
    """`serve(page)` serves a page until the end."""
    end, threads, pages = threading.Event(), [], []

    def serve(page):
        def work():
            while not end.is_set():
                page.serve(0.05)

        threads.append(threading.Thread(target=work, daemon=True))
        threads[-1].start()
        pages.append(page)
        return page

    yield serve
    end.set()
    for thread in threads:
        thread.join(300)
    for page in pages:
        page.close()


@pytest.fixture
def serving():
    """`serving(page)` serves a page until the end of the test."""
    with served() as serve:
        yield serve


@pytest.fixture(scope="session")
def chromium(browsers):
    """A browser with a small window, where there is one."""
    browser = browsers(*FLAGS)
    # drawn by the processor: a small window costs a tenth
    context = browser.new_context(viewport={"width": 800, "height": 450}, device_scale_factor=0.5)
    context.set_default_timeout(300_000)  # [ms] a busy machine takes its time; only a hang meets this
    yield context
    context.close()


@pytest.fixture(scope="session")
def looking(chromium):
    """`looking(page)`: a window in which a page has come up."""

    def look(page):
        tab = chromium.new_page()
        tab.goto(f"http://127.0.0.1:{page.port}")
        tab.get_by_role("button", name="Play").wait_for()
        return tab

    return look


@pytest.fixture(scope="session")
def cs1():
    """A run of two seconds."""
    return dv.load("substructuring/cs1", {"duration": 2.0}).rehearse()


@pytest.fixture(scope="session")
def open_server(cs1, looking):
    """One page, and one window to look at it with: to open one takes seconds. Its title has markup in it."""
    with served() as serve:
        page = serve(RunPage(replace(build_scene(cs1), title="A <b>bold</b> [title](x)"), port=0))
        tab = looking(page)
        yield page, tab
        tab.close()


@pytest.fixture
def looked_on(open_server):
    """The same at its beginning, with nothing pressed."""
    page, tab = open_server
    page.press("rewind")
    page.events.clear()
    return page, tab


@pytest.fixture
def until():
    """`until(holds)` waits for something to become so."""

    def wait(holds, patience=300.0):
        deadline = time.monotonic() + patience
        while not holds():
            assert time.monotonic() < deadline, "it never came to that"
            time.sleep(0.02)

    return wait
