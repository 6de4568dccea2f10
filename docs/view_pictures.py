"""Make the pictures of the 3-D view for the documentation and the README: a recording and a real-time test.

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
DIAL = '\n[tunable."compensator.delay"]\nmin = "0 ms"\nmax = "12 ms"\nramp_time = "2 s"\n'


def start(*words: str) -> subprocess.Popen[str]:
    """Start a command of Dovetail in the background."""
    env = {**os.environ, "LOGNAME": "operator"}  # name of the user
    return subprocess.Popen(
        [sys.executable, "-m", "dovetail", *words], stdout=subprocess.PIPE, text=True, env=env
    )


@contextlib.contextmanager
def background(*words: str, until: str) -> Iterator[str]:
    """Run a command in the background; yield the part of its output that matches `until`."""
    process = start(*words)
    try:
        assert process.stdout is not None
        match = next(match for line in process.stdout if (match := re.search(until, line)))
        yield match[0]
    finally:
        process.terminate()
        process.wait()


def keep(page: Page, name: str) -> None:
    """Save a picture of the window, without the notice about a missing graphics card."""
    page.add_style_tag(content=".mantine-Notifications-root {display: none}")
    page.wait_for_timeout(3000)
    page.screenshot(path=OUT / f"view-{name}.png")


def recorded(page: Page, folder: Path) -> None:
    """Picture of a probe in its drogue, at the largest force."""
    command = [sys.executable, "-m", "dovetail", "run", "refuelling/full-scale", "--no-report"]
    subprocess.run([*command, "--out", str(folder / "strike")], check=True)
    with background("view", str(folder / "strike"), "--port", "0", until=r"http\S+") as address:
        page.goto(address)
        page.get_by_text("measured force").first.wait_for()
        page.wait_for_timeout(2000)  # all of the page is there, and heard
        moment = page.get_by_role("textbox").first
        moment.fill("0.7145")
        moment.press("Enter")
        keep(page, "refuelling")


def live(page: Page, folder: Path) -> None:
    """Picture of a real-time test that was held, resumed and tuned."""
    test, run = folder / "test.toml", folder / "run"
    test.write_text(find_test("substructuring/cs1-forward-prediction").read_text("utf-8") + DIAL, "utf-8")
    with background(
        "rig", "serve", str(test), "--port", "0", "--max-link-timeout", "60", until=r"udp://[^\s,]+"
    ) as rig:
        asked = (
            "--set",
            "duration=60 s",
            "--set",
            "limits.overrun=count",
            "--set",
            "limits.link_timeout=1000",
        )
        loop = start(
            "run", str(test), "--mode", "realtime", "--address", rig, "--out", str(run), *asked, "--no-report"
        )
        try:
            while not (run / "live" / "about.json").is_file():
                assert loop.poll() is None
                time.sleep(0.1)
            with background("view", str(run), "--port", "0", until=r"http\S+") as address:
                page.goto(address)
                page.get_by_text("displacement [").first.wait_for()
                for press in ("Hold", "Resume"):
                    page.get_by_role("button", name=press).click()
                    page.get_by_text(f"{press.lower()} (").first.wait_for()
                field = page.get_by_role("textbox").first
                field.fill("0.0115")
                field.press("Enter")
                page.get_by_text("set compensator.delay").first.wait_for()
                page.wait_for_timeout(8000)
                keep(page, "live")
        finally:
            loop.terminate()
            loop.wait()


def main(*names: str) -> None:
    """Make both pictures, or the named one."""
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
