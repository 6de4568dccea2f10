"""How soon is a run seen in the browser, how many pictures a second of sixty links, how long does a film take?

Headless chromium draws in software here, on the cores that also serve the page; it is told to allow that and nothing
else, so that it puts the page together as it does for everybody (told to draw the page too by its software for
graphics cards, it takes twice the time for a picture). Pictures are the browser's own
animation frames; an update is a picture before which the page has taken in new points. What a picture costs the
processor, all processes of the browser together, depends less on what else the machine does than how many there are.
"""

import os
import shutil
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from dovetail.view import RunPage, stage_of
from dovetail.view.film import Cut, Take, write_film

FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LINKS, SECONDS = 60, 10.0
# the page's socket is read by a worker, which hands on what came; pictures are drawn in animation frames
HEAR = """
const Plain = window.Worker;
window.heard = 0;
window.Worker = class extends Plain {
  constructor(...given) { super(...given); this.addEventListener('message', () => window.heard++); }
};
"""
COUNT = """
() => new Promise(done => {
  let updates = 0, frames = 0, last = window.heard;
  const begin = performance.now();
  const step = () => {
    frames++;
    if (window.heard !== last) { last = window.heard; updates++; }
    if (performance.now() - begin < %d) requestAnimationFrame(step);
    else done([updates, frames, (performance.now() - begin) / 1000]);
  };
  requestAnimationFrame(step);
})
"""


def hose():
    """A hose of sixty links that waves, for a minute."""
    t = np.linspace(0.0, 60.0, 6001)
    s = np.linspace(0.0, 1.0, LINKS + 1)
    x = np.broadcast_to(-20.0 * s, (len(t), LINKS + 1))
    y = 2.0 * s * np.sin(2 * np.pi * (0.4 * t[:, None] - s))
    z = 8.0 * s + s * np.cos(2 * np.pi * (0.3 * t[:, None] - 1.5 * s))
    data = xr.Dataset({"hose_position": (("time", "node", "xyz"), np.stack([x, y, z], -1))}, {"time": t})
    return SimpleNamespace(test=SimpleNamespace(rig=None, system=None), data=data, title="hose of 60 links")


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium to look with")
def test_first_picture_and_updates(figure):
    sync = pytest.importorskip("playwright.sync_api")
    page = RunPage(stage_of(hose()), port=0)
    end = threading.Event()

    def serve():
        while not end.is_set():
            page.serve(0.2)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 720})
        tab.add_init_script(HEAR)
        begin = time.monotonic()
        tab.goto(f"http://127.0.0.1:{page.port}")
        tab.get_by_role("button", name="Play").wait_for(timeout=60_000)
        while not drawn(tab):
            assert time.monotonic() - begin < 60
        first = time.monotonic() - begin
        page.player.play()
        time.sleep(1.0)
        before, began, used = page.shown, time.monotonic(), browser_time()
        updates, frames, seconds = tab.evaluate(COUNT % int(1000 * SECONDS))
        sent = (page.shown - before) / (time.monotonic() - began)
        used = browser_time() - used
        for handle in page.scene.handles:
            handle.visible = False
        empty = browser_time()
        _, blank, _ = tab.evaluate(COUNT % int(300 * SECONDS))
        empty = browser_time() - empty
        browser.close()
    end.set()
    thread.join()
    page.close()
    load = f"{os.getloadavg()[0]:.1f} processes wait for {os.cpu_count()} cores"
    figure("view: first picture after opening", first, "s", target=3.0, at_least=False, accuracy=load)
    what = "view: updates taken in by the page, hose of 60 links"
    figure(what, updates / seconds, "/s", target=30.0, accuracy=load)
    figure("view: processor time of the browser for a picture", 1e3 * used / frames, "ms")
    figure("view: the same without anything in the scene", 1e3 * empty / blank, "ms")
    figure("view: pictures drawn by the browser (in software)", frames / seconds, "/s")
    figure("view: moments of the recording that passed", sent, "/s")


def browser_time():
    """Seconds of the processor that all processes below this one have had."""
    stats = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        stats[int(stat.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    mine = {os.getpid()}
    while grown := {pid for pid, (parent, _) in stats.items() if parent in mine} - mine:
        mine |= grown
    return sum(stats[pid][1] for pid in mine - {os.getpid()}) / os.sysconf("SC_CLK_TCK")


def drawn(tab):
    """Whether the scene shows the hose: some pixels of its canvas are as dark as it is, before a bright sky."""
    import io

    from matplotlib.image import imread

    picture = imread(
        io.BytesIO(tab.screenshot(clip={"x": 0, "y": 150, "width": 900, "height": 450})), format="png"
    )
    return bool(np.sum(picture[..., :3].max(axis=-1) < 0.3) > 20)


def test_a_film_of_ten_seconds(figure, tmp_path):
    """Wall time depends on what else the machine does; processor time hardly does."""
    stage = stage_of(hose())
    begin, used = time.monotonic(), sum(os.times()[:4])
    film = write_film([Take(stage, stage.title)], tmp_path / "hose.mp4", Cut(speed=6.0, rest=0.0))
    wall, spent = time.monotonic() - begin, sum(os.times()[:4]) - used
    assert film.stat().st_size > 0
    load = f"{os.getloadavg()[0]:.1f} processes wait for {os.cpu_count()} cores"
    figure("film: ten seconds at 1280 x 720", wall, "s", target=60.0, at_least=False, accuracy=load)
    figure("film: its processor time, ffmpeg's with it", spent, "s", accuracy=load)
