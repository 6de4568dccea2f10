"""Rotor controls: speed, collective and cyclic pitch, at one time or from a table over time."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, choice, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.interpolation import interval_and_fraction
from dovetail.core.parameter import all_concrete


class Controls(NamedTuple):
    """Control settings at one time. A blade at azimuth psi has the cyclic pitch `cyclic` cos(psi - azimuth)."""

    speed: jax.Array | float = 0.0  # [rad/s] of the rotor
    collective: jax.Array | float = 0.0  # [rad]
    cyclic: jax.Array | float = 0.0  # [rad] amplitude
    azimuth: jax.Array | float = 0.0  # [rad] azimuth of the largest pitch, from the nose to port

    def pitch(self, psi: jax.Array) -> jax.Array:
        """Pitch [rad] added to the twist at azimuths psi [rad]."""
        return self.collective + self.cyclic * jnp.cos(psi - self.azimuth)


@kind("rotor-schedule")
class RotorSchedule(Part):
    """Controls from a table over time, interpolated linearly or smoothly.

    The smooth interpolation has zero rate and zero acceleration at the times of the table, so the integration is not
    slowed by corners; it does not overshoot. A scalar applies to all times. `valid_until` is the last time: a longer
    run is rejected. After it the last values apply.
    """

    times: Parameter = parameter("s", "increasing times", default=(0.0,))
    speed: Parameter = parameter("rad/s", "rotor speed", default=0.0, at_least=0.0)
    collective: Parameter = parameter("rad", "collective pitch", default=0.0)
    cyclic: Parameter = parameter("rad", "amplitude of the cyclic pitch", default=0.0)
    azimuth: Parameter = parameter("rad", "azimuth of the largest pitch", default=0.0)
    interpolation: str = choice("linear", "smooth", about="interpolation between times", default="linear")

    def __check_init__(self) -> None:
        times = self.times
        if not all_concrete(times):
            return
        if np.any(np.diff(np.asarray(times)) <= 0):
            raise ParameterError(f"RotorSchedule.times: got {np.asarray(times)}; expected increasing times")
        for name in Controls._fields:
            value = getattr(self, name)
            if np.ndim(value) and np.shape(value) != times.shape:
                raise ParameterError(
                    f"RotorSchedule.{name}: {np.size(value)} values for {times.size} times; expected one for each time"
                )

    @property
    def valid_until(self) -> float:
        """Time [s] up to which the table has data; infinite for constant controls."""
        return float(self.times[-1]) if self.times.size > 1 else float("inf")

    def __call__(self, t: jax.Array) -> Controls:
        """Return the controls at t [s]."""
        return Controls(*(self._read(getattr(self, name), t) for name in Controls._fields))

    def _read(self, values, t):
        if jnp.ndim(values) == 0:
            return values
        i, s = interval_and_fraction(self.times, t)
        fraction = s if self.interpolation == "linear" else s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        return values[i] + fraction * (values[i + 1] - values[i])
