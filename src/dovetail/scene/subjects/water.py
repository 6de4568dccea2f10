"""Sea around a ship, with the waves that move it, or flat.

If the motion of the deck is computed from a seaway, its waves are drawn. If the motion is prescribed (harmonics or a
table), the waves are unknown and the sea is flat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.interpolation import fade_in_factor
from dovetail.mechanics.securing.platform import Platform
from dovetail.scene import shapes
from dovetail.scene.scene import MovingSurface, Solid
from dovetail.sea import Seaway

SEA = "#3f78a8"
FREEBOARD = 6.0  # [m] height of the deck above the still sea, not part of a test
SHOWN, FAR = 150.0, 2000.0  # [m] distance to each side up to which waves, and water, are drawn
STEP = 6.0  # [m] grid spacing; waves shorter than four steps are not drawn


def water(
    platforms: Sequence[Platform], times: np.ndarray, lowest: float
) -> tuple[list[Solid], list[MovingSurface]]:
    """Return the sea as a solid at rest or as a moving surface; `lowest` [m] is the lowest position of the decks."""
    decks = [platform.motion for platform in platforms if platform.role == "deck" and not platform.parent]
    seaway = next((motion for motion in decks if isinstance(motion, Seaway)), None)
    if seaway is not None:
        points, faces = grid()
        return [], [MovingSurface("sea", waves(seaway, times, points - [0.0, 0.0, FREEBOARD]), faces, SEA)]
    flat = shapes.translate(shapes.box((2 * FAR, 2 * FAR, 0.1)), (0, 0, min(lowest, 0.0) - FREEBOARD))
    return [Solid("sea", flat, colour=SEA, scenery=True)], []


def grid() -> tuple[np.ndarray, np.ndarray]:
    """Return points (n, 3) [m] of a flat sea, refined where waves are drawn, and its triangles."""
    side = np.concatenate([[-FAR], np.arange(-SHOWN, SHOWN + STEP / 2, STEP), [FAR]])
    count = len(side)
    points = np.stack([*np.meshgrid(side, side, indexing="ij"), np.zeros((count, count))], axis=-1)
    i, j = (index.ravel() for index in np.meshgrid(*2 * [np.arange(count - 1)], indexing="ij"))
    here = i * count + j
    halves = [here, here + count, here + 1], [here + 1, here + count, here + count + 1]
    return points.reshape(-1, 3), np.concatenate([np.stack(half, axis=1) for half in halves])


def waves(seaway: Seaway, times: np.ndarray, still: np.ndarray) -> Callable[[int], np.ndarray]:
    """Return the points of the sea at a sample, from points at rest (n, 3) [m]; waves end with the fine grid."""
    reach = np.abs(still[:, :2]).max(axis=1)
    fade = np.clip(2.0 * (1.0 - reach / SHOWN), 0.0, 1.0)

    @jax.jit
    def heights(t: jax.Array) -> jax.Array:
        ahead, aside = jnp.asarray(still[:, 0]), jnp.asarray(still[:, 1])
        fade_in = fade_in_factor(t, seaway.fade_in_time)  # as the motion of the ship
        return fade_in * seaway.surface(t, ahead, aside, 4 * STEP)

    def points(k: int) -> np.ndarray:
        return still + np.outer(fade * np.asarray(heights(times[k])), [0.0, 0.0, 1.0])

    return points
