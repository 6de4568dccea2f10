"""Make the studio pictures of the documentation: a session in a browser, one picture for each tab.

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
TUNABLE = """title = "CS1 for ten minutes, with tunable damping"
duration = "600 s"
record_every = 10
numerical = { kind = "oscillator", m = "2.2 kg", c = "15 N s/m", k = "2250 N/m" }
excitation = { kind = "sine", amplitude = "12 mm", frequency = "3 Hz" }
tunable."numerical.c" = { min = 5.0, max = 30.0 }
limits = { displacement = "12 mm", velocity = "1 m/s", force = "40 N" }
[rig]
actuator = { kind = "delay", delay = "3 ms" }
specimen = { kind = "spring", k = "2250 N/m" }
"""


def save_picture(page: Page, name: str) -> None:
    """Save a screenshot with 256 colours."""
    page.screenshot(path=OUT / f"studio-{name}.png", animations="disabled")
    image = Image.open(OUT / f"studio-{name}.png").convert("RGB")
    image.quantize(256, kmeans=4, dither=Image.Dither.NONE).save(OUT / f"studio-{name}.png", optimize=True)


def open_tab(page: Page, tab: str) -> None:
    """Open a tab."""
    page.locator(".q-tab", has_text=tab).click()


def session(page: Page) -> None:
    """Take the pictures of a session without a rig."""
    page.wait_for_function(
        "document.querySelector('#test-name').textContent.startsWith('substructuring/cs1')"
    )
    open_tab(page, "Open")
    page.locator("[data-study=substructuring]").click()
    page.wait_for_function("document.querySelectorAll('.test svg.loop').length > 12")
    save_picture(page, "choose")
    open_tab(page, "Model")
    page.locator("#loop g.part[data-path='rig.actuator']").click()
    field = page.locator("input[data-value='rig.actuator.delay']")
    field.fill("6.5 ms")
    field.press("Enter")
    page.wait_for_function("document.querySelector('#difference').textContent.includes('6.5 ms')")
    save_picture(page, "set-up")
    open_tab(page, "Explore")
    page.locator("#draw-map").click()
    page.wait_for_function("document.querySelector('#map-state').textContent === 'finished'")
    page.wait_for_function(
        "document.querySelector('#chart-response .chart-legend').textContent.includes('reference')"
    )
    save_picture(page, "feel")
    open_tab(page, "Run")
    page.get_by_role("button", name="Rehearse").click()
    page.locator("[data-job]").first.get_by_role("button", name="Report").click()
    page.frame_locator("iframe.report").get_by_text("Outcome").first.wait_for()
    page.wait_for_function("Number(document.querySelector('#chart-traces').dataset.number) >= 1")
    page.evaluate("scrollTo(0, document.querySelector('#jobs').getBoundingClientRect().top + scrollY - 66)")
    save_picture(page, "do")
    page.get_by_text("Design the test: identify").click()
    page.get_by_role("button", name="Design", exact=True).click()
    page.get_by_role("button", name="Plan", exact=True).click()
    page.locator("#verdict").wait_for()
    page.locator("#plan").scroll_into_view_if_needed()
    page.evaluate("scrollTo(0, document.querySelector('#plan').getBoundingClientRect().top + scrollY - 66)")
    save_picture(page, "plan")
    page.get_by_role("button", name="Apply to test").click()
    page.wait_for_function("document.querySelector('#difference').textContent.includes('[compensator]')")


def against_a_rig(page: Page, folder: Path) -> None:
    """Take the picture of a real-time test with a tunable parameter."""
    (folder / "tunable.toml").write_text(TUNABLE, "utf-8")
    with serve(["rig", "serve", "tunable.toml"], folder, r"udp://\S+?:\d+") as rig:
        open_tab(page, "Open")
        page.locator("input[data-field=own-path]").fill("tunable.toml")
        page.locator("#open-own").click()
        page.wait_for_function("document.querySelector('#test-name').textContent === 'tunable.toml'")
        open_tab(page, "Run")
        page.get_by_role("button", name="Clear").click()
        page.locator("input[data-field=rig]").fill(rig)
        page.get_by_role("button", name="Arm rig").click()
        page.get_by_role("button", name="Start real-time test").wait_for()
        save_picture(page, "arm")
        page.get_by_role("button", name="Start real-time test").click()
        slider = page.locator("[data-tunable='numerical.c'] input[type=range]")
        slider.focus()
        page.wait_for_function("/running: [2-9]/.test(document.querySelector('[data-job]').textContent)")
        slider.press("End")
        page.wait_for_function(
            "document.querySelector('[data-events]').textContent.includes('set numerical.c')"
        )
        page.wait_for_function(
            "/running: [5-9]/.test(document.querySelector('[data-job]').textContent)"
        )  # [s]
        save_picture(page, "run")
        page.locator("[data-rig]").get_by_role("button", name="Stop", exact=True).click()
        page.wait_for_function("document.querySelector('[data-job] [data-state]').dataset.state !== 'runs'")


@contextmanager
def serve(words: list[str], folder: Path, address: str) -> Iterator[str]:
    """Run a serving command of Dovetail; yield its address."""
    env = {**os.environ, "XDG_STATE_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "dovetail", *words, "--port", "0"]
    server = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield next(match[0] for line in server.stdout if (match := re.search(address, line)))
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Serve a studio and take all pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        with serve(["studio", "substructuring/cs1", "--no-browser"], folder, r"http\S+") as address:
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
