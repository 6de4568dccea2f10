"""Videos of one or more runs, side by side, rendered without screen, browser or graphics card.

>>> write_film([run], "run.mp4")  # doctest: +SKIP

Frames are images of the scene (`dovetail.scene.draw`) with title, clock and outcome. MP4 and WebM need ffmpeg, from the
system or from the package `imageio-ffmpeg` (`pip install 'dovetail-hybrid[film]'`, GPL). GIF and WebP need none.
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
from dovetail.scene.draw import SceneRenderer
from dovetail.scene.lettering import INK, PAPER, font
from dovetail.scene.scene import Scene

SECONDS = 8.0  # [s] approximate duration of a video without --speed
ROUND = (1.0, 2.0, 5.0)  # playback speeds, times powers of ten
TONES = {"plain": INK, "good": (27, 127, 77), "bad": (179, 38, 30)}
IMAGE_SUFFIXES = (".gif", ".webp")  # animated image formats
ENCODED = {  # ffmpeg options by file extension
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
class FilmScene:
    """Scene in a video, with title, outcome text and its tone."""

    scene: Scene
    title: str
    ending: str = ""
    tone: str = "plain"


@dataclass(frozen=True)
class FilmSettings:
    """Settings of a video: size [px], frames per second, simulated seconds per second of video, and camera.

    The last frame is shown for `rest` [s], so that the outcome can be read.
    """

    wide: int = 1280
    tall: int = 720
    fps: float = 30.0
    speed: float | None = None
    view: str = "overview"
    rest: float = 1.0  # [s]
    title: str = ""  # title above all takes


def write_film(takes: Sequence[FilmScene], path: str | Path, cut: FilmSettings | None = None) -> Path:
    """Write a video of one take, or of several side by side on one clock; return its path.

    Raises
    ------
    OutputError
        If the file extension is unknown, ffmpeg is missing, or the file cannot be written.
    """
    path, cut = Path(path), cut or FilmSettings()
    if path.suffix not in (*ENCODED, *IMAGE_SUFFIXES):
        raise OutputError(
            f"{path}: unknown video format; use a name that ends in {', '.join((*ENCODED, IMAGE_SUFFIXES[0]))} or "
            f"{IMAGE_SUFFIXES[1]}"
        )
    if not path.parent.is_dir():
        raise OutputError(
            f"{path}: the folder {path.parent} does not exist; create it or choose another folder"
        )
    if not takes or cut.wide % (2 * len(takes)) or cut.tall % 2:
        raise ParameterError(
            f"video: {len(takes)} runs side by side on {cut.wide}x{cut.tall} pixels; give at least one run, and a size "
            "with an even number of pixels for each run"
        )
    images = frames(takes, cut)
    return (
        _write_image(images, path, cut.fps) if path.suffix in IMAGE_SUFFIXES else _encode(images, path, cut)
    )


def default_speed(duration: float) -> float:
    """Return the default playback speed: 1 for 4 to 12 s, otherwise a round number for about 8 s of video."""
    if 4.0 <= duration <= 12.0:
        return 1.0
    target_speed = duration / SECONDS
    power = 10.0 ** np.floor(np.log10(target_speed))
    return float(
        min((step * power for step in (*ROUND, 10.0)), key=lambda speed: abs(np.log(speed / target_speed)))
    )


def frames(takes: Sequence[FilmScene], cut: FilmSettings) -> Iterator[Any]:
    """Yield the frames of a video; several frames are drawn in parallel."""
    wide = cut.wide // len(takes)
    longest = max(take.scene.duration for take in takes)
    speed = cut.speed or default_speed(longest)
    first = min(float(take.scene.times[0]) for take in takes)
    count = int((longest / speed + cut.rest) * cut.fps + 1e-9) + 1
    times = first + speed / cut.fps * np.arange(count)
    studios = [SceneRenderer(take.scene, wide, cut.tall, fine=1.5) for take in takes]
    eyes = [camera(take.scene, cut.view, wide / cut.tall) for take in takes]

    last: dict[int, Any] = {}  # last frame of each finished take

    def one(i: int, t: float) -> Any:
        k, over = takes[i].scene.at(t), t > float(takes[i].scene.times[-1]) - 1e-9
        if over and i in last:
            return last[i].copy()
        image = studios[i].draw(k, eyes[i](k))
        image = add_caption(image, takes[i], t, speed, over, bool(cut.title))
        if over:
            last[i] = image.copy()
        return image

    def draw(t: float) -> Any:
        return add_title(join_frames([one(i, t) for i in range(len(takes))]), cut.title)

    with ThreadPoolExecutor(workers()) as pool:
        waiting: deque[Any] = deque()
        for t in times:
            waiting.append(pool.submit(draw, float(t)))
            if len(waiting) > 2 * workers():
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def workers() -> int:
    """Return the number of frames drawn in parallel."""
    return max(1, min(os.cpu_count() or 1, 8))


def add_title(image: Any, title: str) -> Any:
    """Draw a one-line title over an image; nothing for an empty title."""
    from PIL import ImageDraw

    if title:
        pen, tall, size = ImageDraw.Draw(image, "RGBA"), image.height, _font_size(image)
        line = wrap_text(pen, title, font(size, True), image.width - 0.06 * tall).split("\n")
        _label(pen, (0.02 * tall, 0.02 * tall), line[0] + ("…" if line[1:] else ""), size, True)
    return image


def _font_size(image: Any) -> int:
    return max(12, round(image.height / 32))


def add_caption(image: Any, take: FilmScene, t: float, speed: float, over: bool, lower: bool = False) -> Any:
    """Draw title (one line lower with `lower`), clock, and at the end of the run its outcome, over an image."""
    from PIL import ImageDraw

    pen, tall, size = ImageDraw.Draw(image, "RGBA"), image.height, _font_size(image)
    top = 0.02 * tall + 2.1 * size * lower
    end = float(take.scene.times[-1])
    clock = f"{min(t, end):.{_places(end)}f} s"
    clock += (
        "" if speed == 1.0 else f"   {speed:g} s per s" if speed > 1 else f"   played {1 / speed:.3g}x slower"
    )
    title = wrap_text(pen, take.title, font(size, True), image.width - 0.06 * tall)
    _label(pen, (0.02 * tall, top), title, size, True)
    _label(pen, (0.02 * tall, tall - 0.035 * tall - 1.3 * size), clock, size)
    if over and take.ending:
        text = wrap_text(pen, take.ending, font(size), image.width - 0.06 * tall)
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


def wrap_text(pen: Any, text: str, letters: Any, wide: float) -> str:
    """Wrap a text to lines that fit; a word longer than a line is cut."""
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


def join_frames(images: Sequence[Any]) -> Any:
    """Join images side by side, with a line between them."""
    from PIL import Image

    if len(images) == 1:
        return images[0]
    joined = Image.new("RGB", (sum(image.width for image in images), images[0].height), "white")
    left = 0
    for image in images:
        joined.paste(image, (left, 0))
        if left:
            joined.paste((255, 255, 255), (left - 2, 0, left + 2, image.height))
        left += image.width
    return joined


def _places(end: float) -> int:
    return int(np.clip(3 - np.floor(np.log10(max(end, 1e-6))), 1, 6))


def _write_image(images: Iterator[Any], path: Path, fps: float) -> Path:
    """Write frames as a GIF with 200 colours, or as a WebP (a third of the size)."""
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
    """Return the path of ffmpeg, from the system or from the package `imageio-ffmpeg`.

    Raises
    ------
    OutputError
        If ffmpeg is missing; the message contains the install command.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        try:
            package: Any = importlib.import_module("imageio_ffmpeg")
            program = str(package.get_ffmpeg_exe())
        except (ModuleNotFoundError, RuntimeError) as error:
            raise OutputError(
                "a video in MP4 or WebM needs ffmpeg, which is not installed; install it with: "
                "pip install 'dovetail-hybrid[film]' (an ffmpeg under the GPL), or write a .gif"
            ) from error
    return program


def _encode(images: Iterator[Any], path: Path, cut: FilmSettings) -> Path:
    """Write frames with ffmpeg to a partial file, and rename it when it is complete."""
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
            pass  # reported below
        message = process.stderr.read().decode("utf-8", "replace").strip()
    if process.returncode or not partial.is_file():
        partial.unlink(missing_ok=True)
        raise OutputError(f"{path}: ffmpeg could not write the video: {message[-300:]}")
    os.replace(partial, path)
    return path
