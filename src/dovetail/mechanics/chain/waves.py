r"""Waves on a chain from a recording: arrival at the support, return to the tip, and largest whip speed.

The transverse motion of a node is its displacement from the initial position, perpendicular to the initial direction of
the chain. A wave arrives at a node at its largest transverse speed; at nodes at rest it travels at
:math:`\sqrt{T/\rho_l}`. The return to the tip is detected after the arrival at the support plus the travel time
[Bolien 2018, secs 1.4.4 and 4.2-IV].
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from dovetail.core.errors import AnalysisError


@dataclasses.dataclass(frozen=True)
class ChainWave:
    """Results of a wave on a chain."""

    arrival: np.ndarray  # (nodes,) [s] time of the largest speed, support first; NaN without motion
    at_support: float  # [s] arrival at the first node below the support
    back: float  # [s] return to the last node above the tip
    whip: float  # [m/s] largest transverse speed of any node after the arrival at the support


def wave_speeds(tension: Any, density: Any) -> Any:
    """Return the speed [m/s] of transverse waves on a rope of `density` [kg/m] under a tension [N]."""
    return jnp.sqrt(tension / density)


def transverse(position: Float[np.ndarray, "m a b"]) -> Float[np.ndarray, "m c 3"]:
    """Return the transverse motion (time, nodes, 3) [m] of nodes (time, 3, n + 1) or (time, n + 1, 3), without ends."""
    nodes = np.swapaxes(position, 1, 2) if position.shape[1] == 3 else position
    start = nodes[0]
    along = start[2:] - start[:-2]
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    displacement = nodes[:, 1:-1] - start[1:-1]
    return np.asarray(displacement - np.sum(displacement * along, axis=-1, keepdims=True) * along)


def follow_waves(time: Float[np.ndarray, " m"], position: Float[np.ndarray, "m a b"]) -> ChainWave:
    """Return the results of a wave that starts at the tip at the beginning of a recording.

    Parameters
    ----------
    time : (m,) [s]
    position : nodes of the chain from the support, and one beyond the tip, (m, 3, n + 1) or (m, n + 1, 3) [m].
    """
    time = np.asarray(time, float)
    if len(time) < 8:
        raise AnalysisError(f"follow_waves: got {len(time)} samples; expected at least 8")
    across = transverse(np.asarray(position, float))[:, :-1]  # not at the tip, which is prescribed
    speed = np.linalg.norm(np.gradient(across, time, axis=0), axis=-1)
    arrival = np.where(speed.max(axis=0) > 0, time[np.argmax(speed, axis=0)], np.nan)
    at_support = float(arrival[0])
    later = time > at_support + 0.5 * (at_support - arrival[-1])
    if not later.any():
        return ChainWave(arrival, at_support, np.nan, np.nan)
    back = float(time[later][np.argmax(speed[later, -1])])
    return ChainWave(arrival, at_support, back, float(speed[later].max()))
