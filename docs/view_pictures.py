"""Pictures of the view for the documentation and the README: a recording, and a test in real time with its buttons.

python docs/view_pictures.py        # needs playwright and chromium; a minute or two
"""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from dovetail.studies.registry import find_test

OUT = Path(__file__).parent / "_static"
FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
SIZE = {"width": 1400, "height": 800}
DIAL = '\n[dials."compensator.delay"]\nleast = "0 ms"\nmost = "12 ms"\nover = "2 s"\n'


def started(*words: str) -> subprocess.Popen[str]:
    """A command of ours that goes on."""
    env = {**os.environ, "LOGNAME": "operator"}  # who presses
    return subprocess.Popen(
        [sys.executable, "-m", "dovetail", *words], stdout=subprocess.PIPE, text=True, env=env
    )


@contextlib.contextmanager
def going_on(*words: str, until: str) -> Iterator[str]:
    """What such a command says where it stands, while it goes on."""
    process = started(*words)
    try:
        assert process.stdout is not None
        said = next(found for line in process.stdout if (found := re.search(until, line)))
        yield said[0]
    finally:
        process.terminate()
        process.wait()


def keep(page: Page, name: str) -> None:
    """A picture of the window, without the notice of a machine that has no graphics card."""
    page.add_style_tag(content=".mantine-Notifications-root {display: none}")
    page.wait_for_timeout(3000)
    page.screenshot(path=OUT / f"view-{name}.png")


def recorded(page: Page, folder: Path) -> None:
    """A probe in its drogue, at the largest force."""
    command = [sys.executable, "-m", "dovetail", "run", "refuelling/full-scale", "--no-report"]
    subprocess.run([*command, "--out", str(folder / "strike")], check=True)
    with going_on("view", str(folder / "strike"), "--port", "0", until=r"http\S+") as address:
        page.goto(address)
        page.get_by_text("measured force").first.wait_for()
        page.wait_for_timeout(2000)  # all of the page is there, and heard
        moment = page.get_by_role("textbox").first
        moment.fill("0.7145")
        moment.press("Enter")
        keep(page, "refuelling")


def live(page: Page, folder: Path) -> None:
    """A test in real time: held, resumed, and a dial turned."""
    test, run = folder / "test.toml", folder / "run"
    test.write_text(find_test("substructuring/cs1-forward-prediction").read_text("utf-8") + DIAL, "utf-8")
    with going_on("rig", "serve", str(test), "--port", "0", until=r"udp://[^\s,]+") as rig:
        asked = ("--set", "duration=60 s", "--set", "limits.overrun=count", "--set", "limits.silence=1000")
        loop = started(
            "run", str(test), "--mode", "run", "--rig", rig, "--out", str(run), *asked, "--no-report"
        )
        try:
            while not (run / "live" / "about.json").is_file():
                assert loop.poll() is None
                time.sleep(0.1)
            with going_on("view", str(run), "--port", "0", until=r"http\S+") as address:
                page.goto(address)
                page.get_by_text("displacement [").first.wait_for()
                for press in ("Hold", "Resume"):
                    page.get_by_role("button", name=press).click()
                    page.get_by_text(f"{press.lower()} (").first.wait_for()
                dial = page.get_by_role("textbox").first
                dial.fill("0.0115")
                dial.press("Enter")
                page.get_by_text("turn compensator.delay").first.wait_for()
                page.wait_for_timeout(8000)
                keep(page, "live")
        finally:
            loop.terminate()
            loop.wait()


def main(*names: str) -> None:
    """Both, or the one that is named."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for picture in [recorded, live]:
            if not names or picture.__name__ in names:
                page = browser.new_page(viewport=SIZE)
                page.set_default_timeout(300_000)
                picture(page, Path(scratch))
                page.close()
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
