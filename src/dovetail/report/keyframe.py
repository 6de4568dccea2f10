"""Key frame of a run: 3-D image at the time of the largest force, for the top of its report.

For a run without drawn forces, the time of the largest displacement. A run without 3-D scene has no key frame.
"""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np

from dovetail.core.errors import DovetailError
from dovetail.fidelity.largest import peak_sample
from dovetail.report.page import PixelPicture

SIZE = (1080, 440)  # [px] size of the image
NARROW, LETTERS = (560, 400), 17  # [px] image for a phone (shown at two thirds), and its letters
SAMPLES = 4000  # samples searched, besides that of the largest force


def key_frame(run: Any) -> PixelPicture | None:
    """Return the key frame of a run; None without a 3-D scene."""
    from dovetail.scene.build import build_scene
    from dovetail.scene.draw import SceneRenderer

    try:
        data = run.recording
        kept = np.linspace(0, data.sizes["time"] - 1, SAMPLES).astype(int)
        at = peak_sample(data, "measured_force")
        kept = np.unique(kept if at is None else [*kept, at])
        scene = build_scene(replace(run, recording=data.isel(time=kept)))
        k = moment(scene)
        image = SceneRenderer(scene, *SIZE, fine=2.0).draw(k)
        narrow = SceneRenderer(scene, *NARROW, fine=2.0, letters=LETTERS).draw(k)
    except (DovetailError, AttributeError, KeyError, IndexError, ValueError):
        return None  # a bare recording, or no bodies
    notes = scene.notes(k)
    caption = f"At {scene.times[k]:.4g} s{f': {notes}' if notes else ''}."
    return PixelPicture(_jpeg(image), caption, SIZE, _jpeg(narrow))


def _jpeg(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=86)
    return file.getvalue()


def moment(scene: Any) -> int:
    """Return the index of the sample with the largest force or displacement."""
    looked = np.arange(len(scene.times))
    if scene.arrows:
        size = [max(float(np.linalg.norm(arrow.vector(k))) for arrow in scene.arrows) for k in looked]
        if np.nanmax(size) > 0:
            return int(looked[int(np.nanargmax(size))])
    looked = looked[:: max(1, len(looked) // 200)]
    way = [_places(scene, int(k)) for k in looked]
    far = [float(np.nanmax(np.linalg.norm(at - way[0], axis=1))) if len(at) else 0.0 for at in way]
    return int(looked[int(np.nanargmax(far))])


def _places(scene: Any, k: int) -> np.ndarray:
    """Return the positions of all bodies at a sample, (n, 3) [m]."""
    points = [tube.points(k).reshape(-1, 3) for tube in scene.tubes]
    points += [solid.pose(k)[1][None] for solid in scene.solids if not solid.scenery]
    return np.concatenate(points) if points else np.zeros((0, 3))
