"""The sea about a ship: with the very waves that move her, or flat.

Where a deck moves in a seaway, heave and roll come from its waves, and these are drawn: the surface under the ship is
the one that she answers to. Most tests prescribe the ship's motion alone, as harmonics or a table; which waves made it
is nowhere said, and any that were drawn would disagree with it. There the sea is flat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.name_lookup import risen
from dovetail.mechanics.securing.platform import Platform
from dovetail.scene import shapes
from dovetail.scene.scene import Skin, Solid
from dovetail.sea import Seaway

SEA = "#3f78a8"
FREEBOARD = 6.0  # [m] of the deck over the still sea, which no test says
SHOWN, FAR = 150.0, 2000.0  # [m] to each side: how far waves are drawn, and water
STEP = 6.0  # [m] of the grid; waves shorter than four of them are not shown


def water(platforms: Sequence[Platform], times: np.ndarray, lowest: float) -> tuple[list[Solid], list[Skin]]:
    """The sea as a body that stands still or as a surface that moves; `lowest` [m] is as far as the decks come down."""
    decks = [platform.motion for platform in platforms if platform.role == "deck" and not platform.parent]
    seaway = next((motion for motion in decks if isinstance(motion, Seaway)), None)
    if seaway is not None:
        points, faces = grid()
        return [], [Skin("sea", waves(seaway, times, points - [0.0, 0.0, FREEBOARD]), faces, SEA)]
    flat = shapes.moved(shapes.box((2 * FAR, 2 * FAR, 0.1)), (0, 0, min(lowest, 0.0) - FREEBOARD))
    return [Solid("sea", flat, colour=SEA, scenery=True)], []


def grid() -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) [m] of a flat sea, close together where waves are shown, and its triangles."""
    side = np.concatenate([[-FAR], np.arange(-SHOWN, SHOWN + STEP / 2, STEP), [FAR]])
    count = len(side)
    points = np.stack([*np.meshgrid(side, side, indexing="ij"), np.zeros((count, count))], axis=-1)
    i, j = (index.ravel() for index in np.meshgrid(*2 * [np.arange(count - 1)], indexing="ij"))
    here = i * count + j
    halves = [here, here + count, here + 1], [here + 1, here + count, here + count + 1]
    return points.reshape(-1, 3), np.concatenate([np.stack(half, axis=1) for half in halves])


def waves(seaway: Seaway, times: np.ndarray, still: np.ndarray) -> Callable[[int], np.ndarray]:
    """Points of the sea at a sample, from those of the still one (n, 3) [m]; waves end where the fine grid does."""
    reach = np.abs(still[:, :2]).max(axis=1)
    share = np.clip(2.0 * (1.0 - reach / SHOWN), 0.0, 1.0)

    @jax.jit
    def heights(t: jax.Array) -> jax.Array:
        ahead, aside = jnp.asarray(still[:, 0]), jnp.asarray(still[:, 1])
        return risen(t, seaway.rise) * seaway.surface(t, ahead, aside, 4 * STEP)  # as the motion is faded in

    def points(k: int) -> np.ndarray:
        return still + np.outer(share * np.asarray(heights(times[k])), [0.0, 0.0, 1.0])

    return points
