r"""Is a specimen linear at the size of a test? Whether what was found about small motion holds for a larger one.

Poles and critical delays are those of small motion about rest. A specimen is linear along a motion :math:`u(t)` if
its force on :math:`u` is that on a tiny share :math:`\epsilon u`, scaled; the departure is the rms of the difference
over the rms of the force,

.. math:: \sqrt{\overline{(f[u] - f[\epsilon u]/\epsilon)^2}\,\big/\,\overline{f[u]^2}} .

A spring departs by nothing, a damper with valves or a contact with a gap by about one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import jax
import numpy as np
from numpy.typing import ArrayLike

from dovetail.core import RK4, Flow, Method, Sampled
from dovetail.core.executable_store import ready

NOT_LINEAR = 0.05  # departure above which poles at rest do not decide
TINY = 1e-6  # share of the motion that counts as small: what a linearisation at rest sees


def departure_from_linear(
    specimen: Flow,
    motion: Mapping[str, ArrayLike],
    dt: float,
    method: Method | None = None,
    substeps: int = 4,
) -> float:
    """Departure, as a share, of a specimen's force along samples of a motion, straight in between.

    Parameters
    ----------
    specimen : takes `displacement`, `velocity` and `acceleration`, shows `force`; sized for the motion.
    motion : these three by name, time along the first axis.
    dt : [s] between two samples.

    Returns
    -------
    float
        0 where no motion makes a force; infinite where only the larger one does, or the small one's is not finite.
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
    """Two periods of a sine [m] at omega [rad/s], the same on all axes; and the step [s] between samples."""
    steps = 100
    dt = 2 * math.pi / omega / steps
    phase = (omega * dt * np.arange(2 * steps)).reshape(-1, *([1] * len(shape)))
    size = np.broadcast_to(np.asarray(amplitude, float), shape)
    x, v = size * np.sin(phase), size * omega * np.cos(phase)
    return {"displacement": x, "velocity": v, "acceleration": -(omega**2) * x}, dt


@ready
def _forces(
    specimen: Flow,
    method: Method,
    dt: ArrayLike,
    substeps: int,
    motion: Mapping[str, ArrayLike],
    size: ArrayLike,
) -> jax.Array:
    imposed = Sampled(specimen, method, substeps=substeps)

    def step(carry, u):
        k, x = carry
        x, shown = imposed.step(k * dt, dt, x, jax.tree.map(lambda v: size * v, u))
        return (k + 1, x), shown["force"]

    return jax.lax.scan(step, (0, imposed.init()), motion)[1]
