"""Videos: number of frames, title and clock, several runs on one clock."""

import shutil
import subprocess

import numpy as np
import pytest
from PIL import Image, ImageDraw

from dovetail.core.errors import OutputError, ParameterError
from dovetail.scene import film, shapes
from dovetail.scene.film import FilmScene, FilmSettings, default_speed, frames, write_film
from dovetail.scene.lettering import font
from dovetail.scene.scene import Scene, Solid, aim_camera

RED = "#ff0000"


def take(duration=1.0, title="a run", ending="It ended", tone="bad"):
    times = np.linspace(0, duration, 21)

    def pose(k):
        return np.eye(3), np.array([0.1 * k, 0, 0])

    return FilmScene(
        aim_camera(Scene("t", times, solids=[Solid("s", shapes.box((1, 1, 1)), pose, RED)])),
        title,
        ending,
        tone,
    )


def column(image):
    """Where the red body is."""
    picture = np.asarray(image, float)
    return np.nonzero((picture[..., 0] - picture[..., 1]) > 60)[1].mean()


def test_a_film_lasts_as_long_as_the_run_by_its_speed_and_a_rest():
    cut = FilmSettings(96, 64, fps=10.0, speed=0.5, rest=0.5)
    images = list(frames([take()], cut))
    assert len(images) == 26  # 2 s and half a second of rest, and the first
    assert {image.size for image in images} == {(96, 64)}
    assert column(images[0]) < column(images[10]) < column(images[20])
    assert column(images[25]) == pytest.approx(column(images[20]), abs=0.5)


def test_two_runs_share_a_time_axis_and_the_shorter_one_stops():
    cut = FilmSettings(192, 64, fps=10.0, speed=1.0, rest=0.0)
    images = list(frames([take(1.0), take(0.5)], cut))
    left = [column(image.crop((0, 0, 96, 64))) for image in images]
    right = [column(image.crop((96, 0, 192, 64))) for image in images]
    assert len(images) == 11
    assert left[10] > left[5] + 2
    assert right[10] == pytest.approx(right[6], abs=0.5)


def test_how_it_ended_is_written_once_it_is_over(monkeypatch):
    written = []
    label = film._label
    monkeypatch.setattr(
        film, "_label", lambda pen, at, text, *a, **k: (written.append(text), label(pen, at, text, *a, **k))
    )
    monkeypatch.setattr(film, "workers", lambda: 1)
    list(frames([take()], FilmSettings(320, 180, fps=2.0, speed=1.0, rest=0.0)))
    assert written == ["a run", "0.000 s", "a run", "0.500 s", "a run", "1.000 s", "It ended"]


def test_a_common_title_is_above_the_titles_of_the_runs(monkeypatch):
    at = {}
    label = film._label
    monkeypatch.setattr(
        film,
        "_label",
        lambda pen, place, text, *a, **k: (at.update({text: place}), label(pen, place, text, *a, **k)),
    )
    cut = FilmSettings(640, 180, fps=1.0, speed=1.0, rest=0.0, title="two runs of one test")
    (image, *_) = frames([take(title="reference"), take(title="rehearse")], cut)
    assert image.size == (640, 180)
    assert at["two runs of one test"][1] < at["reference"][1] == at["rehearse"][1]


def test_a_long_title_is_wrapped():
    pen = ImageDraw.Draw(Image.new("RGB", (300, 100)))
    title = "rehearse: Probe in drogue in six degrees of freedom: robot of 1 ms, sensor table of 0.1 ms"
    lines = film.wrap_text(pen, title, font(18), 280).split("\n")
    assert " ".join(lines) == title
    assert len(lines) > 1
    assert max(pen.textlength(line, font=font(18)) for line in lines) <= 280
    assert film.wrap_text(pen, "w" * 60, font(18), 280).endswith("w…")


@pytest.mark.parametrize(
    ("duration", "speed"), [(10.0, 1.0), (0.5, 0.05), (60.0, 10.0), (1e-3, 1e-4), (2.0, 0.2)]
)
def test_a_video_has_a_default_length_of_about_8_s(duration, speed):
    assert default_speed(duration) == pytest.approx(speed)
    assert 4 <= duration / default_speed(duration) <= 16


@pytest.mark.parametrize("ending", ["gif", "webp"])
def test_an_animated_image_needs_no_extra(tmp_path, ending):
    path = write_film(
        [take()], tmp_path / f"run.{ending}", FilmSettings(96, 64, fps=5.0, speed=1.0, rest=0.0)
    )
    with Image.open(path) as image:
        assert (image.size, image.n_frames) == ((96, 64), 6)


@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_a_film_can_be_read_back(tmp_path, ending):
    if shutil.which("ffprobe") is None:
        pytest.skip("no ffprobe to read films with")
    path = write_film(
        [take()], tmp_path / f"run.{ending}", FilmSettings(96, 64, fps=10.0, speed=1.0, rest=0.0)
    )
    asked = [
        "-v",
        "error",
        "-count_frames",
        "-show_entries",
        "stream=width,height,nb_read_frames",
        "-of",
        "csv=p=0",
    ]
    said = subprocess.run(["ffprobe", *asked, str(path)], capture_output=True, text=True, check=True).stdout
    assert [int(v) for v in said.strip().split(",")] == [96, 64, 11]
    assert [each.name for each in tmp_path.iterdir()] == [path.name]  # nothing half done is left


def test_a_missing_extra_is_reported_with_the_install_line(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(film.importlib, "import_module", missing)
    with pytest.raises(OutputError, match=r"pip install 'dovetail-hybrid\[film\]'"):
        film.ffmpeg()


def test_an_unknown_video_format_is_rejected(tmp_path):
    with pytest.raises(OutputError, match=".mp4, .webm, .gif or .webp"):
        write_film([take()], tmp_path / "run.avi")
    with pytest.raises(OutputError, match="does not exist"):
        write_film([take()], tmp_path / "not-there" / "run.gif")
    with pytest.raises(ParameterError, match="an even number of pixels"):
        write_film([take(), take()], tmp_path / "run.gif", FilmSettings(98, 64))
