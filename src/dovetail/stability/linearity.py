r"""Linearity of a specimen at the amplitude of a test.

Poles and critical delays are computed for small motion about rest. A specimen is linear along a motion :math:`u(t)` if
its force for :math:`u` equals its force for a small fraction :math:`\epsilon u`, scaled. The linearity error is the rms
of the difference over the rms of the force,

.. math:: \sqrt{\overline{(f[u] - f[\epsilon u]/\epsilon)^2}\,\big/\,\overline{f[u]^2}} .

It is zero for a spring, and about one for a damper with valves or a contact with a gap.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import equinox as eqx
import jax
import numpy as np
from numpy.typing import ArrayLike

from dovetail.core import RK4, Flow, Method, Sampled
from dovetail.core.block import Time, respond

MAX_LINEARITY_ERROR = 0.05  # linearity error above which poles at rest do not decide stability
TINY = 1e-6  # fraction of the motion that represents the linearisation at rest


def linearity_error(
    specimen: Flow,
    motion: Mapping[str, ArrayLike],
    dt: float,
    method: Method | None = None,
    substeps: int = 4,
) -> float:
    """Return the linearity error of a specimen's force, as a fraction, along linearly interpolated samples of a motion.

    Parameters
    ----------
    specimen : flow with inputs `displacement`, `velocity` and `acceleration` and output `force`, sized for the motion.
    motion : these three inputs by name, time along the first axis.
    dt : time between two samples [s].

    Returns
    -------
    float
        0 if no motion causes a force; infinite if only the larger motion does, or if the force of the small motion is
        not finite.
    """
    run = partial(_forces, specimen, method or RK4(), np.asarray(dt), substeps, motion)
    full, small = (np.asarray(run(np.asarray(size))) for size in (1.0, TINY))
    felt, missed = float(np.mean(full**2)), float(np.mean((full - small / TINY) ** 2))
    if felt == 0.0:
        return 0.0 if missed == 0.0 else math.inf
    return math.sqrt(missed / felt) if math.isfinite(missed) else math.inf


def sine(
    amplitude: ArrayLike, omega: float, shape: tuple[int, ...] = ()
) -> tuple[dict[str, np.ndarray], float]:
    """Return two periods of a sine [m] at omega [rad/s], the same on all axes, and the step [s] between samples."""
    steps = 100
    dt = 2 * math.pi / omega / steps
    phase = (omega * dt * np.arange(2 * steps)).reshape(-1, *([1] * len(shape)))
    size = np.broadcast_to(np.asarray(amplitude, float), shape)
    x, v = size * np.sin(phase), size * omega * np.cos(phase)
    return {"displacement": x, "velocity": v, "acceleration": -(omega**2) * x}, dt


@eqx.filter_jit
def _forces(
    specimen: Flow,
    method: Method,
    dt: Time,
    substeps: int,
    motion: Mapping[str, ArrayLike],
    size: ArrayLike,
) -> jax.Array:
    imposed = jax.tree.map(lambda values: size * values, motion)
    force: jax.Array = respond(Sampled(specimen, method, substeps), dt, imposed)["force"]
    return force
