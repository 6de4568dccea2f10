"""Harmonic frame motion, for example a deck in regular waves or a forced-motion test."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.interpolation import fade_in_factor
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.motion.base import FrameMotion, to_spatial


@kind("harmonic-motion")
class HarmonicMotion(FrameMotion):
    r"""Sum of sines in each degree of freedom, :math:`a_0 + \sum_i a_i\sin(\omega_i t + \varphi_i)`.

    The sines fade in over `fade_in_time`, continuously to the second derivative, so the motion starts from rest.
    """

    amplitude: Parameter = parameter(
        "1", "six amplitudes [m, rad] (three in a plane), or one row for each harmonic"
    )
    omega: Parameter = parameter("rad/s", "angular frequency, or one for each harmonic", at_least=0.0)
    phase: Parameter = parameter(
        "rad", "phase, one for each degree of freedom, or one row for each harmonic", default=0.0
    )
    fade_in_time: Parameter = parameter("s", "duration of the fade-in", default=0.0, at_least=0.0)
    mean_pose: Parameter = parameter(
        "1", "mean pose [m, rad], one number for each degree of freedom", default=0.0
    )

    def __check_init__(self) -> None:
        a, w = self.amplitude, self.omega
        if not all_concrete(a, w):
            return
        if a.shape[-1:] not in ((3,), (6,)) or np.atleast_1d(w).shape[0] not in (
            1,
            np.atleast_2d(a).shape[0],
        ):
            raise ParameterError(
                f"HarmonicMotion: amplitude has shape {a.shape}, omega {w.shape}. Expected six amplitudes (surge, "
                f"sway, heave, roll, pitch, yaw), or three in a plane (sway, heave, roll), for each omega."
            )

    def pose(self, t: jax.Array) -> jax.Array:
        a = jnp.atleast_2d(self.amplitude)
        angle = jnp.atleast_1d(self.omega)[:, None] * t + self.phase
        wave, mean = fade_in_factor(t, self.fade_in_time) * jnp.sum(a * jnp.sin(angle), 0), self.mean_pose
        if mean.ndim and mean.shape != wave.shape:  # one is planar, the other spatial
            wave, mean = to_spatial(wave), to_spatial(mean)
        return mean + wave
