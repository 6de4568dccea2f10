"""What a run looked like at its most telling moment: a picture for the first screen of its page.

That moment is where the largest force acts; of a run without forces in the picture, where what moves is farthest from
where it began. Nothing is shown of a run that recorded nothing with a place in space.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from dovetail.core.errors import DovetailError
from dovetail.report.page import PixelPicture

SIZE = (1080, 440)  # [px] of the picture
NARROW, LETTERS = (560, 400), 17  # [px] of that for a phone, which shows two thirds of it, and of its letters
SAMPLES = 4000  # that are looked through for the moment


def key_frame(run: Any) -> PixelPicture | None:
    """The picture of a run's most telling moment; None where there is none."""
    from dovetail.scene.build import stage_of
    from dovetail.scene.draw import Studio

    try:
        stage = stage_of(run)
        k = moment(stage)
        image = Studio(stage, *SIZE, fine=2.0).draw(k)
        narrow = Studio(stage, *NARROW, fine=2.0, letters=LETTERS).draw(k)
    except (DovetailError, AttributeError, KeyError, IndexError, ValueError):
        return None  # a recording that is not a run's, or has no bodies
    notes = stage.notes(k)
    caption = f"At {stage.times[k]:.4g} s{f': {notes}' if notes else ''}."
    return PixelPicture(_jpeg(image), caption, SIZE, _jpeg(narrow))


def _jpeg(image: Any) -> bytes:
    file = io.BytesIO()
    image.save(file, "JPEG", quality=86)
    return file.getvalue()


def moment(stage: Any) -> int:
    """Number of the sample at which most happens."""
    looked = np.unique(np.linspace(0, len(stage.times) - 1, SAMPLES).astype(int))
    if stage.arrows:
        size = [max(float(np.linalg.norm(arrow.vector(k))) for arrow in stage.arrows) for k in looked]
        if np.nanmax(size) > 0:
            return int(looked[int(np.nanargmax(size))])
    looked = looked[:: max(1, len(looked) // 200)]
    way = [_places(stage, k) for k in looked]
    far = [float(np.nanmax(np.linalg.norm(at - way[0], axis=1))) if len(at) else 0.0 for at in way]
    return int(looked[int(np.nanargmax(far))])


def _places(stage: Any, k: int) -> np.ndarray:
    """Where everything is at a sample, (n, 3) [m]."""
    points = [tube.points(k).reshape(-1, 3) for tube in stage.tubes]
    points += [solid.pose(k)[1][None] for solid in stage.solids if not solid.scenery]
    return np.concatenate(points) if points else np.zeros((0, 3))
