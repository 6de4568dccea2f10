"""View: time until a run is seen in the browser, updates per second of a hose of 60 links, time of a film.

Headless Chromium draws in software, on the cores that also serve the page. It gets the one flag that allows this, so
that it composes the page as it does for users; with the page also drawn by its software for graphics cards, a picture
takes twice the time. Pictures are animation frames of the browser. An update is a picture before which the page
received new points. The processor time of a picture, all browser processes together, depends less on other work of the
machine than the number of pictures.
"""

import importlib.util
import os
import shutil
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from sizes import sized

from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.scene.film import FilmScene, FilmSettings, write_film
from dovetail.view import RunPage

FLAGS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
LINKS, SECONDS = 60, sized(10.0, 1.0)
FFMPEG = shutil.which("ffmpeg") or importlib.util.find_spec("imageio_ffmpeg")
# a worker reads the page's socket and passes the messages on; pictures are drawn in animation frames
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
    """Return a run of one minute: a waving hose of 60 links."""
    t = np.linspace(0.0, 60.0, 6001)
    s = np.linspace(0.0, 1.0, LINKS + 1)
    x = np.broadcast_to(-20.0 * s, (len(t), LINKS + 1))
    y = 2.0 * s * np.sin(2 * np.pi * (0.4 * t[:, None] - s))
    z = 8.0 * s + s * np.cos(2 * np.pi * (0.3 * t[:, None] - 1.5 * s))
    data = xr.Dataset({"hose_position": (("time", "node", "xyz"), np.stack([x, y, z], -1))}, {"time": t})
    return SimpleNamespace(
        test=SimpleNamespace(rig=None, system=None),
        recording=Recording.from_dataset(data),
        title="hose of 60 links",
    )


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_first_picture_and_updates(figure):
    sync = pytest.importorskip("playwright.sync_api")
    page = RunPage(build_scene(hose()), port=0)
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
            if time.monotonic() - begin > 60:
                pytest.fail("the page draws no hose within 60 s")
        first = time.monotonic() - begin
        page.playback.play()
        time.sleep(1.0)
        before, start, used = page.shown, time.monotonic(), browser_time()
        updates, frames, seconds = tab.evaluate(COUNT % int(1000 * SECONDS))
        sent = (page.shown - before) / (time.monotonic() - start)
        used = browser_time() - used
        for handle in page.viser_scene.handles:
            handle.visible = False
        empty = browser_time()
        _, blank, _ = tab.evaluate(COUNT % int(300 * SECONDS))
        empty = browser_time() - empty
        browser.close()
    end.set()
    thread.join()
    page.close()
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    figure("view: first picture after opening", first, "s", target=3.0, at_least=False, accuracy=load)
    what = "view: updates received by the page, hose of 60 links"
    figure(what, updates / seconds, "/s", target=30.0, accuracy=load)
    figure("view: processor time of the browser per picture", 1e3 * used / frames, "ms")
    figure("view: the same with an empty scene", 1e3 * empty / blank, "ms")
    figure("view: pictures drawn by the browser (in software)", frames / seconds, "/s")
    figure("view: samples of the recording sent", sent, "/s")


def browser_time():
    """Return the processor time [s] of all child processes, direct and indirect."""
    stats = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # this process has ended
        stats[int(stat.parent.name)] = int(fields[1]), int(fields[11]) + int(fields[12])
    mine = {os.getpid()}
    while grown := {pid for pid, (parent, _) in stats.items() if parent in mine} - mine:
        mine |= grown
    return sum(stats[pid][1] for pid in mine - {os.getpid()}) / os.sysconf("SC_CLK_TCK")


def drawn(tab):
    """Return whether the canvas has dark pixels of the hose before the bright sky."""
    import io

    from matplotlib.image import imread

    picture = imread(
        io.BytesIO(tab.screenshot(clip={"x": 0, "y": 150, "width": 900, "height": 450})), format="png"
    )
    return bool(np.sum(picture[..., :3].max(axis=-1) < 0.3) > 20)


@pytest.mark.skipif(FFMPEG is None, reason="ffmpeg is not installed")
def test_film(figure, tmp_path):
    """Wall time depends on other work of the machine; processor time hardly depends on it."""
    seconds = sized(10.0, 0.5)
    scene = build_scene(hose())
    begin, used = time.monotonic(), sum(os.times()[:4])
    film = write_film(
        [FilmScene(scene, scene.title)], tmp_path / "hose.mp4", FilmSettings(speed=60.0 / seconds, rest=0.0)
    )
    wall, processor = time.monotonic() - begin, sum(os.times()[:4]) - used
    assert film.stat().st_size > 0
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    figure(f"film: {seconds:g} s at 1280 x 720", wall, "s", target=60.0, at_least=False, accuracy=load)
    figure("film: processor time, including ffmpeg", processor, "s", accuracy=load)
