"""How soon is the studio's page usable, how often a second does it answer while a slider moves, what does it hold?

In a browser: an update is an answer that was drawn, while a slider moves in every frame. Headless chromium draws in
software, on the cores that also compute; so the processor time of an update, all processes together, stands beside it.
In the process that computes, without the page: medians over many different values, wall clock and processor time. An
answer has response, tracking and stability; its ideal where that is quick, else when the slider rests (`beside`). What
an hour of use comes to is in `tests/studio/page/test_memory.py`.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from dovetail.core.programs import guard, held
from dovetail.studies.registry import find_test
from dovetail.studio import Feel
from dovetail.studio.beside import AT_ONCE
from dovetail.testing.file import read_table

CASES = {  # test: a knob of the rig, one of the simulated part, one of the specimen
    "substructuring/cs1": ("rig.actuator.delay", "numerical.c", "rig.specimen.k"),
    "substructuring/rths-benchmark": (
        "compensator.delay",
        "numerical.damping_ratio",
        "rig.specimen.stiffness",
    ),
    "substructuring/lag-damper": (
        "rig.actuator.parts[1].delay",
        "rig.actuator.parts[0].tau",
        "rig.specimen.setting",
    ),
}
COUNT = 60  # answers of which the median is taken
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
SECONDS = 5.0  # for which a slider moves
USABLE = "document.querySelector('#held')?.textContent.startsWith('you hold') && document.querySelector('#loop g.part')"
READY = """document.querySelector('#tile-stable .answer')?.textContent
  && document.querySelector('#feel-state').textContent === ''"""
MOVE = """([path, milliseconds]) => new Promise(done => {
  const range = document.querySelector(`[data-knob="${path}"] input[type=range]`), value = Number(range.value);
  const chart = document.querySelector("#chart-response"), begin = performance.now();
  let updates = 0, last = chart.dataset.number;
  new MutationObserver(() => {
    if (chart.dataset.number !== last) { last = chart.dataset.number; updates++; }
  }).observe(chart, { attributes: true, attributeFilter: ["data-number"] });
  const step = () => {
    const passed = performance.now() - begin;
    if (passed > milliseconds) return done([updates, passed / 1000]);
    range.value = value * (1 + 0.3 * Math.sin(passed / 300));
    range.dispatchEvent(new Event("input", { bubbles: true }));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""


def moved(feel: Feel, path: str, count: int, seed: int = 0) -> list[dict[str, float]]:
    """Values that one slider passes through, around that of the test."""
    value = feel.knobs[path].value
    return [{path: value * factor} for factor in np.random.default_rng(seed).uniform(0.7, 1.3, count)]


@contextmanager
def studio(folder: Path, name: str):
    """`dovetail studio` with a test, from the moment of the command; its address."""
    words = [sys.executable, "-m", "dovetail", "studio", name, "--port", "0", "--no-browser"]
    env = {**os.environ, "XDG_STATE_HOME": str(folder)}
    env.pop("PYTEST_CURRENT_TEST", None)  # the server is no test
    server = subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
    try:
        yield re.search(r"http\S+", server.stdout.readline())[0]
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()
        server.stdout.close()


@pytest.fixture(scope="module")
def browser():
    sync = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no chromium to look with")
    with sync.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


def spent(pid: int) -> float:
    """Processor time [s] of a process and of those that it has started, as long as they live."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    below = [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text("ascii").split()
    ]
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + sum(map(spent, below))


def test_page_usable(browser, tmp_path, figure):
    for again in (False, True):
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        begin = time.monotonic()
        with studio(tmp_path, "substructuring/cs1") as address:
            told = time.monotonic() - begin
            page.goto(address)
            page.wait_for_function(USABLE, timeout=60_000)
            if again:
                figure(
                    "studio: page usable after the command",
                    time.monotonic() - begin,
                    "s",
                    target=3.0,
                    at_least=False,
                    accuracy=f"address told after {told:.1f} s",
                )
            page.close()


@pytest.mark.parametrize("name", CASES)
def test_updates_in_the_browser(name, browser, tmp_path, figure):
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.set_default_timeout(300_000)
    with studio(tmp_path, name) as address:
        page.goto(address)
        page.wait_for_function(USABLE)
        page.locator(".q-tab", has_text="Feel").click()
        page.wait_for_function(READY)
        path = page.locator("[data-knob]").first.get_attribute("data-knob")
        page.evaluate(MOVE, [path, 1000])  # nothing is compiled any more
        before = spent(os.getpid())
        updates, seconds = page.evaluate(MOVE, [path, 1000 * SECONDS])
        used = spent(os.getpid()) - before
        figure(
            f"studio: updates in the browser, {name}",
            updates / seconds,
            "1/s",
            target=10.0,
            accuracy=f"{path}; {1e3 * used / updates:.0f} ms of processor time each, browser and all",
        )
        page.close()


@pytest.mark.parametrize("name", CASES)
def test_answers_a_second(name, benchmark):
    feel = Feel(read_table(find_test(name)), CASES[name], name)
    begin, programs = time.perf_counter(), guard.programs
    feel.answer({})
    first, compiled = time.perf_counter() - begin, guard.programs - programs
    print(f"\n{name}: the first answer after {first:.1f} s, {compiled} programs")
    for path in CASES[name]:
        feel.answer(moved(feel, path, 1, seed=9)[0])  # an ideal of other values, to know how long it takes
        wait = feel.ideal_seconds < AT_ONCE
        walls, shares, programs = [], [], guard.programs
        for values in moved(feel, path, COUNT):
            begin, spent = time.perf_counter(), time.process_time()
            assert not feel.answer(values, wait=wait).fault
            walls.append(time.perf_counter() - begin)
            shares.append(time.process_time() - spent)
        late = "" if wait else f"; the ideal, {feel.ideal_seconds:.2f} s, comes when it rests"
        print(
            f"  {path:<30} {1 / np.median(walls):5.1f} /s, {1 / np.median(shares):5.1f} /s of processor time, "
            f"slowest {1e3 * max(walls):.0f} ms, {guard.programs - programs} programs compiled{late}"
        )
    values = iter(moved(feel, CASES[name][0], 100_000, seed=1))
    benchmark.pedantic(lambda: feel.answer(next(values), wait=False), rounds=20)


def test_memory_after_a_thousand_answers():
    name = "substructuring/cs1"
    feel = Feel(read_table(find_test(name)), CASES[name], name)
    feel.answer({})
    before, programs = held().memory, guard.programs
    for path in CASES[name][:2]:
        for values in moved(feel, path, 500, seed=2):
            feel.answer(values)
    after = held().memory
    print(
        f"\n{name}: {before / 1e6:.0f} MB after the first answer, {after / 1e6:.0f} MB after 1,000 more, "
        f"{guard.programs - programs} programs compiled"
    )
    assert after - before < 200e6
