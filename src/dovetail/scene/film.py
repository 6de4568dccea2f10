"""A run as a film, or two side by side: made without a screen, a browser or a graphics card.

>>> write_film([run], "run.mp4")  # doctest: +SKIP

Frames are pictures of the stage (`dovetail.scene.draw`) with a title, a clock and the outcome. MP4 and WebM need
ffmpeg, from the system or from the package `imageio-ffmpeg` (`pip install 'dovetail-hybrid[film]'`). GIF and WebP need
no other program.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core.errors import OutputError, ParameterError
from dovetail.scene.cameras import camera
from dovetail.scene.draw import Studio
from dovetail.scene.lettering import INK, PAPER, font
from dovetail.scene.scene import Stage

SECONDS = 8.0  # that a film lasts about, where nothing else is said
ROUND = (1.0, 2.0, 5.0)  # times powers of ten: speeds that people take
TONES = {"plain": INK, "good": (27, 127, 77), "bad": (179, 38, 30)}
PICTURES = (".gif", ".webp")  # films that are pictures
ENCODED = {  # how ffmpeg is to write a file, by its ending
    ".mp4": [
        "-c:v",
        "libx264",
        "-preset",
        "veryfast",
        "-crf",
        "21",
        "-pix_fmt",
        "yuv420p",
        "-movflags",
        "+faststart",
    ],
    ".webm": ["-c:v", "libvpx-vp9", "-b:v", "0", "-crf", "34", "-deadline", "realtime", "-cpu-used", "8"],
}


@dataclass(frozen=True)
class Take:
    """A stage in a film, with what is written over it: what it is, how it ended, and in which colour."""

    stage: Stage
    title: str
    ending: str = ""
    tone: str = "plain"


@dataclass(frozen=True)
class Cut:
    """How a film is made: its size [px], frames a second, seconds of the run in one of the film, and the camera.

    It rests for a while where the run is over, so that how it ended can be read.
    """

    wide: int = 1280
    tall: int = 720
    fps: float = 30.0
    speed: float | None = None
    view: str = "overview"
    rest: float = 1.0  # [s]
    title: str = ""  # of all takes together


def write_film(takes: Sequence[Take], path: str | Path, cut: Cut | None = None) -> Path:
    """Write a film of one take, or of several side by side on one clock; it says where it did.

    Raises
    ------
    OutputError
        If the ending is none of a film, or there is nothing to write it with, or it cannot be written.
    """
    path, cut = Path(path), cut or Cut()
    if path.suffix not in (*ENCODED, *PICTURES):
        raise OutputError(
            f"{path}: is no film; its name is to end in {', '.join((*ENCODED, PICTURES[0]))} or {PICTURES[1]}"
        )
    if not path.parent.is_dir():
        raise OutputError(f"{path}: the folder {path.parent} does not exist; make it, or choose another")
    if not takes or cut.wide % (2 * len(takes)) or cut.tall % 2:
        raise ParameterError(
            f"{len(takes)} runs side by side on {cut.wide} by {cut.tall} pixels; needs one run at least, "
            "and an even number of pixels for each"
        )
    images = frames(takes, cut)
    return _picture(images, path, cut.fps) if path.suffix in PICTURES else _encoded(images, path, cut)


def usual_speed(duration: float) -> float:
    """Seconds of a run in a second of its film: as it was where that is short enough to watch, else a round number."""
    if 4.0 <= duration <= 12.0:
        return 1.0
    wanted = duration / SECONDS
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(
        min((step * power for step in (*ROUND, 10.0)), key=lambda speed: abs(np.log(speed / wanted)))
    )


def frames(takes: Sequence[Take], cut: Cut) -> Iterator[Any]:
    """The pictures of a film, one after another; several are drawn at a time."""
    wide = cut.wide // len(takes)
    longest = max(take.stage.duration for take in takes)
    speed = cut.speed or usual_speed(longest)
    first = min(float(take.stage.times[0]) for take in takes)
    count = int((longest / speed + cut.rest) * cut.fps + 1e-9) + 1
    times = first + speed / cut.fps * np.arange(count)
    studios = [Studio(take.stage, wide, cut.tall, fine=1.5) for take in takes]
    eyes = [camera(take.stage, cut.view, wide / cut.tall) for take in takes]

    last: dict[int, Any] = {}  # of each take: it stands still once it is over

    def one(i: int, t: float) -> Any:
        k, over = takes[i].stage.at(t), t > float(takes[i].stage.times[-1]) - 1e-9
        if over and i in last:
            return last[i].copy()
        image = studios[i].draw(k, eyes[i](k))
        image = captioned(image, takes[i], t, speed, over, bool(cut.title))
        if over:
            last[i] = image.copy()
        return image

    def draw(t: float) -> Any:
        return titled(beside([one(i, t) for i in range(len(takes))]), cut.title)

    with ThreadPoolExecutor(workers()) as pool:
        waiting: deque[Any] = deque()
        for t in times:
            waiting.append(pool.submit(draw, float(t)))
            if len(waiting) > 2 * workers():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def workers() -> int:
    """Pictures that are drawn at a time."""
    return max(1, min(os.cpu_count() or 1, 8))


def titled(image: Any, title: str) -> Any:
    """A picture with a title over all of it, in a line; nothing where there is none."""
    from PIL import ImageDraw

    if title:
        pen, tall, size = ImageDraw.Draw(image, "RGBA"), image.height, _letters(image)
        line = wrapped(pen, title, font(size, True), image.width - 0.06 * tall).split("\n")
        _label(pen, (0.02 * tall, 0.02 * tall), line[0] + ("…" if line[1:] else ""), size, True)
    return image


def _letters(image: Any) -> int:
    return max(12, round(image.height / 32))


def captioned(image: Any, take: Take, t: float, speed: float, over: bool, lower: bool = False) -> Any:
    """A picture with its title, a line lower where there is one over all, the clock, and in the end how it ended."""
    from PIL import ImageDraw

    pen, tall, size = ImageDraw.Draw(image, "RGBA"), image.height, _letters(image)
    top = 0.02 * tall + 2.1 * size * lower
    end = float(take.stage.times[-1])
    clock = f"{min(t, end):.{_places(end)}f} s"
    clock += (
        ""
        if speed == 1.0
        else f"   {speed:g} s a second"
        if speed > 1
        else f"   {1 / speed:.3g} times slower"
    )
    title = wrapped(pen, take.title, font(size, True), image.width - 0.06 * tall)
    _label(pen, (0.02 * tall, top), title, size, True)
    _label(pen, (0.02 * tall, tall - 0.035 * tall - 1.3 * size), clock, size)
    if over and take.ending:
        text = wrapped(pen, take.ending, font(size), image.width - 0.06 * tall)
        below = pen.textbbox((0, top + 0.8 * size), title, font=font(size, True))[3]
        _label(pen, (0.02 * tall, below), text, size, colour=TONES[take.tone])
    return image


def _label(
    pen: Any, at: tuple[float, float], text: str, size: int, bold: bool = False, colour: Any = INK
) -> None:
    box = pen.textbbox(at, text, font=font(size, bold))
    pad = 0.25 * size
    pen.rounded_rectangle((box[0] - pad, box[1] - pad, box[2] + pad, box[3] + pad), pad, fill=(*PAPER, 215))
    pen.text(at, text, font=font(size, bold), fill=colour)


def wrapped(pen: Any, text: str, letters: Any, wide: float) -> str:
    """A text in lines that fit; only a word that is longer than a line is cut."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and pen.textlength(longer, font=letters) <= wide:
            lines[-1] = longer
            continue
        while len(word) > 1 and pen.textlength(word, font=letters) > wide:
            word = f"{word[:-2].rstrip()}…"
        lines.append(word)
    return "\n".join(lines)


def beside(images: Sequence[Any]) -> Any:
    """Pictures side by side, a line between them."""
    from PIL import Image

    if len(images) == 1:
        return images[0]
    whole = Image.new("RGB", (sum(image.width for image in images), images[0].height), "white")
    left = 0
    for image in images:
        whole.paste(image, (left, 0))
        if left:
            whole.paste((255, 255, 255), (left - 2, 0, left + 2, image.height))
        left += image.width
    return whole


def _places(end: float) -> int:
    return int(np.clip(3 - np.floor(np.log10(max(end, 1e-6))), 1, 6))


def _picture(images: Iterator[Any], path: Path, fps: float) -> Path:
    """Frames into a picture that moves: a GIF of 200 colours, or a WebP, a third of its size."""
    from PIL import Image

    made, how = images, {"quality": 60, "method": 4}
    if path.suffix == ".gif":
        made = (image.quantize(200, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE) for image in images)
        how = {"optimize": False}
    try:
        next(made).save(path, save_all=True, append_images=made, duration=round(1000 / fps), loop=0, **how)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({(error.strerror or str(error)).lower()})") from error
    return path


def ffmpeg() -> str:
    """The program that writes films: that of the machine, or that of a package.

    Raises
    ------
    OutputError
        If there is none, with what to type.
    """
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            package: Any = importlib.import_module("imageio_ffmpeg")
            found = str(package.get_ffmpeg_exe())
        except (ModuleNotFoundError, RuntimeError) as error:
            raise OutputError(
                "a film in MP4 or WebM needs ffmpeg, which is not installed; install it with: "
                "pip install 'dovetail-hybrid[film]', or write a .gif, which needs nothing"
            ) from error
    return found


def _encoded(images: Iterator[Any], path: Path, cut: Cut) -> Path:
    """Frames into ffmpeg, a film out of it; written beside and renamed, so that half a film never looks like one."""
    program = ffmpeg()
    partial = path.with_name(f"{path.stem}.partial{path.suffix}")
    size = [
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        f"{cut.wide}x{cut.tall}",
        "-r",
        f"{cut.fps:g}",
        "-i",
        "-",
    ]
    line = [program, "-y", "-loglevel", "error", *size, *ENCODED[path.suffix], str(partial)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for image in images:
                process.stdin.write(image.tobytes())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it says why below
        said = process.stderr.read().decode("utf-8", "replace").strip()
    if process.returncode or not partial.is_file():
        partial.unlink(missing_ok=True)
        raise OutputError(f"{path}: ffmpeg could not write it: {said[-300:]}")
    os.replace(partial, path)
    return path
