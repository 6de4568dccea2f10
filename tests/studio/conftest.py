"""Studio in a separate process, and browser windows on it."""

import contextlib
import os
import re
import signal
import subprocess
import sys

import pytest
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

PATIENCE = 1000 * int(os.environ.get("DOVETAIL_PATIENCE", "300"))  # [ms] a busy machine takes its time

FORGET = """for (const key of Object.keys(sessionStorage))
  if (key.startsWith("dovetail-unsaved:")) sessionStorage.removeItem(key)"""


class Served:
    """`dovetail studio` in a folder of its own, which can be killed and started again at the same port."""

    def __init__(self, folder, *arguments):
        self.folder, self.arguments, self.port, self.process = folder, arguments, 0, None
        self.start()

    def start(self):
        words = ["studio", *self.arguments, "--port", str(self.port), "--no-browser"]
        env = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        env.pop("PYTEST_CURRENT_TEST", None)  # the server is no test
        self.log = open(self.folder / "studio.log", "a")  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dovetail", *words],
            cwd=self.folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        self.url = re.search(r"http\S+", self.process.stdout.readline())[0]
        self.port = int(re.search(r":(\d+)/", self.url)[1])

    @property
    def home(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        """End it without a word, as a crash does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.log.close()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


@pytest.fixture(scope="session")
def studio(tmp_path_factory):
    """One studio for all tests of a process; each puts a test of its own on the desk (`opened`)."""
    served = Served(tmp_path_factory.mktemp("studio"), "substructuring/cs1")
    yield served
    served.end()


@pytest.fixture(scope="session")
def browser(browsers):
    """A browser that draws flat pages, without a graphics card made of software."""
    return browsers("--disable-gpu")


def window(browser, served, **how):
    """A window on a studio, as another person each time; the page."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, **how)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto(served.url)
    page.wait_for_function("document.querySelector('#control')?.textContent.length > 0")
    return page


@pytest.fixture
def look(browser):
    """`look(served)` opens a window on a studio, which closes with the test; the page."""
    pages = []

    def open_(served, room="", browser=browser, **how):
        pages.append(window(browser, served, **how))
        if room:
            _go(pages[-1], room)
        return pages[-1]

    yield open_
    for page in pages:
        page.context.close()


@pytest.fixture(scope="session")
def shared():
    """The window that tests use one after another: a page that is loaded takes longer than what most do with it."""
    return []


@pytest.fixture
def opened(request, studio, browser, shared, until):
    """`opened("substructuring/cs1", "Model")`: the page with that test as its file is, in a room.

    Of a test that failed nothing stays: the next one has a window of its own.
    """
    before = request.session.testsfailed

    def open_(name, room="Model"):
        if not shared:
            shared.append(window(browser, studio))
        page = shared[0]
        page.keyboard.press("Escape")  # a menu or a dialog that was left open
        page.evaluate(FORGET)  # what was typed and not taken
        if page.locator("#take").is_visible():
            with contextlib.suppress(PlaywrightTimeoutError):  # who held them may have gone by now
                page.locator("#take").click(timeout=10_000)
            until(page, "document.querySelector('#control').textContent.startsWith('You have')")
        if page.locator("#test-name").inner_text().partition(" (")[0] != name:
            _choose(page, name, until)
        if "modified" in page.locator("#test-name").inner_text():
            _go(page, "Model")
            page.get_by_role("button", name="Revert").click()
            until(page, "!document.querySelector('#test-name').textContent.includes('modified')")
        _go(page, room)
        return page

    yield open_
    if request.session.testsfailed > before and shared:
        shared.pop().context.close()


def _choose(page, name, until):
    """Click a study and one of its tests."""
    _go(page, "Open")
    study = page.locator(f"[data-study={name.partition('/')[0]}]")
    test = page.locator(f"[data-test='{name}']")
    before = page.locator("#test-name").get_attribute("data-opened") or "0"
    pressed([study, test], page.locator("#tab-model"))  # it goes there by itself
    until(
        page,
        "([name, before]) => document.querySelector('#test-name').textContent.split(' (')[0] === name"
        " && document.querySelector('#test-name').dataset.opened !== before",
        [name, before],
    )


@pytest.fixture
def choose(until):
    """`choose(page, "substructuring/cs1")` puts a test on the desk."""
    return lambda page, name: _choose(page, name, until)


def pressed(buttons, shown):
    """Press one button after the other until something is there, as a person would.

    On a machine that is very busy a page loses its connection and is loaded anew, and with it what was opened there.
    """
    for _ in range(PATIENCE // 10_000):
        for button in buttons:
            with contextlib.suppress(PlaywrightTimeoutError):
                button.click(timeout=10_000)
        with contextlib.suppress(PlaywrightTimeoutError):
            return shown.wait_for(timeout=10_000)
    return shown.wait_for()


@pytest.fixture
def press():
    """`press(buttons, shown)` presses until something is there."""
    return pressed


def _go(page, room):
    page.locator(".q-tab", has_text=room).click()


@pytest.fixture
def go():
    """`go(page, "Explore")` clicks a room."""
    return _go


@pytest.fixture
def arm_and_start():
    """`arm_and_start(page, "rig", address)` arms the rig or the cell at an address, and starts the test."""

    def start(page, machine, address):
        page.locator(f"input[data-field={machine}]").fill(address)
        page.get_by_role("button", name=f"Arm {machine}").click()
        page.locator("#armed button", has_text="Start").click()

    return start


@pytest.fixture
def serve():
    """`serve(folder, test)` starts a studio of its own, which ends with the test."""
    started = []

    def start(*arguments):
        started.append(Served(*arguments))
        return started[-1]

    yield start
    for served in started:
        served.end()


@pytest.fixture
def until():
    """`until(page, script)` waits for something to be so on the page."""

    def wait(page, script, argument=None):
        return page.wait_for_function(script, arg=argument, timeout=PATIENCE)

    return wait


@pytest.fixture
def serve_rig():
    """`serve_rig(folder, "mine.toml")` serves the rig of a test, or a cell, until the end; its address."""
    started = []

    def start(folder, file):
        rig = subprocess.Popen(
            [sys.executable, "-m", "dovetail", "rig", "serve", file, "--port", "0"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        started.append(rig)
        said = ""
        while not (found := re.search(r"(udp|tcp)://\S+?:(\d+)", said)):
            line = rig.stdout.readline()
            assert line, said
            said += line
        return f"{found[1]}://127.0.0.1:{found[2]}"

    start.kill = lambda: started[-1].kill()  # as a power failure
    yield start
    for rig in started:
        rig.terminate()
        rig.wait()
        rig.stdout.close()
