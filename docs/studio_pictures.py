"""Pictures of the studio for the documentation: a session in a browser, one picture for each room.

python docs/studio_pictures.py        # needs playwright and chromium; some minutes on a small machine
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

OUT = Path(__file__).parent / "_static"
PATIENCE = 300_000  # [ms]
SIZE = (1400, 900)


def keep(page: Page, name: str) -> None:
    """A picture of what the window shows, with as few colours as it needs."""
    page.screenshot(path=OUT / f"studio-{name}.png", animations="disabled")
    image = Image.open(OUT / f"studio-{name}.png").convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(OUT / f"studio-{name}.png", optimize=True)


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
    keep(page, "do")


def main() -> None:
    """Serve a studio, walk through it, keep the pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        env = {**os.environ, "XDG_STATE_HOME": folder}
        words = [
            sys.executable,
            "-m",
            "dovetail",
            "studio",
            "substructuring/cs1",
            "--port",
            "0",
            "--no-browser",
        ]
        server = subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            found = re.search(r"http\S+", server.stdout.readline())
            assert found is not None
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            context = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]})
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(found[0])
            session(page)
            browser.close()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
