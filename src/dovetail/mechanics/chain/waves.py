r"""Waves on a chain, read from a recording: when they reach its support, when they are back, and how fast it whips.

A node's transverse motion is its way from the start across the direction that the chain had there. A wave is at a node
when that moves fastest across; nodes at rest see it one after another at :math:`\sqrt{T/\rho_l}`. It is back at the tip
a wave's time after it was at the support [Bolien 2018, secs 1.4.4 and 4.2-IV].
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
    """What a wave on a chain did."""

    arrival: np.ndarray  # (nodes,) [s] of the fastest moment, support first; NaN where nothing moved
    at_support: float  # [s] at the first node below the support
    back: float  # [s] at the last node above the tip again: its fastest moment from then on
    whip: float  # [m/s] fastest transverse speed of any node from then on


def wave_speeds(tension: Any, density: Any) -> Any:
    """[m/s] of transverse waves on a rope of `density` [kg/m] under a tension [N]."""
    return jnp.sqrt(tension / density)


def transverse(position: Float[np.ndarray, "m a b"]) -> Float[np.ndarray, "m c 3"]:
    """Transverse motion (time, nodes, 3) [m] of nodes (time, 3, n + 1) or (time, n + 1, 3), both ends left out."""
    nodes = np.swapaxes(position, 1, 2) if position.shape[1] == 3 else position
    start = nodes[0]
    along = start[2:] - start[:-2]
    along = along / np.linalg.norm(along, axis=1, keepdims=True)
    moved = nodes[:, 1:-1] - start[1:-1]
    return moved - np.sum(moved * along, axis=-1, keepdims=True) * along


def follow_waves(time: Float[np.ndarray, " m"], position: Float[np.ndarray, "m a b"]) -> ChainWave:
    """Waves that were sent from the tip at the start of a recording.

    Parameters
    ----------
    time : (m,) [s]
    position : nodes of the chain from the support on, and one beyond the tip, (m, 3, n + 1) or (m, n + 1, 3) [m].
    """
    time = np.asarray(time, float)
    if len(time) < 8:
        raise AnalysisError(f"{len(time)} samples are too few to follow a wave")
    across = transverse(np.asarray(position, float))[:, :-1]  # the tip is held: no wave is read there
    speed = np.linalg.norm(np.gradient(across, time, axis=0), axis=-1)
    arrival = np.where(speed.max(axis=0) > 0, time[np.argmax(speed, axis=0)], np.nan)
    at_support = float(arrival[0])
    later = time > at_support + 0.5 * (at_support - arrival[-1])
    if not later.any():
        return ChainWave(arrival, at_support, np.nan, np.nan)
    back = float(time[later][np.argmax(speed[later, -1])])
    return ChainWave(arrival, at_support, back, float(speed[later].max()))
