"""Pictures of the studio for the documentation: a session in a browser, one picture for each room.

python docs/studio_pictures.py        # needs playwright and chromium; some minutes on a small machine
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

OUT = Path(__file__).parent / "_static"
PATIENCE = 300_000  # [ms]
SIZE = (1400, 900)
DIALLED = """title = "CS1 for ten minutes, its damping on a dial"
duration = "600 s"
record_every = 10
numerical = { kind = "oscillator", m = "2.2 kg", c = "15 N s/m", k = "2250 N/m" }
excitation = { kind = "sine", amplitude = "12 mm", frequency = "3 Hz" }
dials."numerical.c" = { least = 5.0, most = 30.0 }
[rig]
actuator = { kind = "delay", delay = "3 ms" }
specimen = { kind = "spring", k = "2250 N/m" }
"""


def keep(page: Page, name: str) -> None:
    """A picture of what the window shows, with 256 colours."""
    page.screenshot(path=OUT / f"studio-{name}.png", animations="disabled")
    image = Image.open(OUT / f"studio-{name}.png").convert("RGB")
    image.quantize(256, kmeans=4, dither=Image.Dither.NONE).save(OUT / f"studio-{name}.png", optimize=True)


def go(page: Page, room: str) -> None:
    """Click a room."""
    page.locator(".q-tab", has_text=room).click()


def session(page: Page) -> None:
    """What the tour of the documentation shows."""
    page.wait_for_function(
        "document.querySelector('#test-name').textContent.startsWith('substructuring/cs1')"
    )
    go(page, "Choose")
    page.locator("[data-study=substructuring]").click()
    page.wait_for_function("document.querySelectorAll('.test svg.loop').length > 12")
    keep(page, "choose")
    go(page, "Set up")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    field = page.locator("input[data-value='rig.actuator.delay']")
    field.fill("6.5 ms")
    field.press("Enter")
    page.wait_for_function("document.querySelector('#difference').textContent.includes('6.5 ms')")
    keep(page, "set-up")
    go(page, "Feel")
    page.locator("#draw-map").click()
    page.wait_for_function("document.querySelector('#map-state').textContent === 'done'")
    page.wait_for_function(
        "document.querySelector('#chart-response .chart-legend').textContent.includes('ideal')"
    )
    keep(page, "feel")
    go(page, "Do")
    page.get_by_role("button", name="Rehearse").click()
    page.locator("[data-job]").first.get_by_role("button", name="Report").click()
    page.frame_locator("iframe.report").get_by_text("What happened?").wait_for()
    page.wait_for_function("Number(document.querySelector('#chart-traces').dataset.number) >= 1")
    page.evaluate("scrollTo(0, 330)")
    keep(page, "do")
    page.get_by_text("Design the test: identify").click()
    page.get_by_role("button", name="Design it").click()
    page.get_by_role("button", name="Plan", exact=True).click()
    page.locator("#verdict").wait_for()
    page.locator("#plan").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.querySelector('#plan').getBoundingClientRect().top + scrollY - 66)")
    keep(page, "plan")
    page.get_by_role("button", name="Put the plan on the desk").click()
    page.wait_for_function("document.querySelector('#difference').textContent.includes('[compensator]')")


def against_a_rig(page: Page, folder: Path) -> None:
    """A run in real time with a dial, while it goes on."""
    (folder / "dialled.toml").write_text(DIALLED, "utf-8")
    with told(["rig", "serve", "dialled.toml"], folder, r"udp://\S+?:\d+") as rig:
        go(page, "Choose")
        page.locator("input[data-field=own-path]").fill("dialled.toml")
        page.locator("#open-own").click()
        page.wait_for_function("document.querySelector('#test-name').textContent === 'dialled.toml'")
        go(page, "Do")
        page.get_by_role("button", name="Clear").click()
        page.locator("input[data-field=rig]").fill(rig)
        page.get_by_role("button", name="Run", exact=True).click()
        dial = page.locator("[data-dial='numerical.c'] input[type=range]")
        dial.focus()
        page.wait_for_function("/running: [2-9]/.test(document.querySelector('[data-job]').textContent)")
        dial.press("End")
        page.wait_for_function(
            "document.querySelector('[data-noted]').textContent.includes('turn numerical.c')"
        )
        page.wait_for_function(
            "/running: [5-9]/.test(document.querySelector('[data-job]').textContent)"
        )  # [s]
        keep(page, "run")
        page.get_by_role("button", name="Stop", exact=True).click()
        page.wait_for_function("document.querySelector('[data-job] [data-state]').textContent !== 'runs'")


@contextmanager
def told(words: list[str], folder: Path, address: str) -> Iterator[str]:
    """A command of ours that serves something; the address that it tells."""
    env = {**os.environ, "XDG_STATE_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "dovetail", *words, "--port", "0"]
    server = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield next(found[0] for line in server.stdout if (found := re.search(address, line)))
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Serve a studio, walk through it, keep the pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        with told(["studio", "substructuring/cs1", "--no-browser"], folder, r"http\S+") as address:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            context = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]})
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(address)
            session(page)
            against_a_rig(page, folder)
            browser.close()


if __name__ == "__main__":
    main()
