r"""Wind fields: no wind, steady wind, wind tables, sums of fields, and their base class.

A field returns the velocity of the air at given positions and time, in axes x forward, y to port, z up: those of a
deck's mean position, or of an aircraft in steady flight. Ropes, hoses, airframes and rotors accept any field,
including gusts, wakes and the bow wave of a receiver. Some fields depend on a stream: they are carried by it, or are
caused by an aircraft that flies through it. Such a field requires a stream and is rejected over a deck, where there is
none.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, choice, kind, parameter
from dovetail.core.errors import Fault, ParameterError
from dovetail.core.interpolation import interval_and_fraction, smooth_step
from dovetail.core.kind_names import name_of
from dovetail.core.parameter import all_concrete


class FreeStream(NamedTuple):
    """Undisturbed air stream, against x."""

    speed: jax.Array  # [m/s]
    density: jax.Array  # [kg/m^3]


class WindField(Part):
    """Velocity of the air in space and time, relative to the free stream."""

    needs_stream: ClassVar[bool] = False  # True if the field depends on a stream

    @abstractmethod
    def velocity(self, t: jax.Array, r: jax.Array, stream: FreeStream | None = None) -> jax.Array:
        """Velocity (3, ...) [m/s] at positions r (3, ...) [m] and time t [s]."""

    @property
    def valid_until(self) -> float:
        """Time [s] up to which data are available; a longer run should be rejected."""
        return math.inf

    def check_without_stream(self, where: str) -> None:
        """Raise `ParameterError` if the field requires a stream."""
        if self.needs_stream:
            raise ParameterError(
                f"{where}: '{name_of(type(self))}' requires a stream that carries it, but there is none here. Use a "
                "gusty-wind, which has its own mean wind, or a field that needs no stream"
            )

    def check_cover(self, reach: float) -> None:
        """Raise `ParameterError` if a rope of length `reach` [m] can leave the field's range."""


def data_end_faults(fields: dict[str, WindField], duration: float) -> list[Fault]:
    """Faults: fields, by their path in a test, whose data end before a run of `duration` [s]."""
    return [
        Fault(where, f"data end at {field.valid_until:g} s, the run lasts {duration:g} s; extend the table")
        for where, field in fields.items()
        if field.valid_until < duration - 1e-9
    ]


def from_compass(speed: jax.Array, direction: jax.Array) -> jax.Array:
    """Velocity (3,) of a wind of `speed` that blows from `direction` [rad], measured from the bow to starboard.

    A head-wind has direction 0. A wind from starboard has direction 90 degrees; it blows to port, +y.
    """
    return -jnp.stack([speed * jnp.cos(direction), -speed * jnp.sin(direction), 0.0 * speed])


def broadcast_velocity(velocity: jax.Array, r: jax.Array) -> jax.Array:
    """Return a velocity (3,) broadcast to positions r (3, ...)."""
    return jnp.broadcast_to(jnp.reshape(velocity, (3,) + (1,) * (jnp.ndim(r) - 1)), jnp.shape(r))


@kind("still-air")
class StillAir(WindField):
    """No wind."""

    def velocity(self, t: jax.Array, r: jax.Array, stream: FreeStream | None = None) -> jax.Array:
        return jnp.zeros(jnp.shape(r))


@kind("steady-wind")
class SteadyWind(WindField):
    """Uniform, constant wind; over a deck a head-wind is negative along x."""

    wind: Parameter = parameter("m/s", "velocity of the air, (3,)", default=(0.0, 0.0, 0.0))

    def velocity(self, t: jax.Array, r: jax.Array, stream: FreeStream | None = None) -> jax.Array:
        return broadcast_velocity(self.wind, r)


@kind("wind-table")
class WindTable(WindField):
    """Uniform wind from a table over time; linear interpolation, or smooth with zero slope at each time."""

    times: Parameter = parameter("s", "increasing times")
    wind: Parameter = parameter("m/s", "velocity, one row (3,) for each time")
    interpolation: str = choice("linear", "smooth", about="interpolation between times", default="linear")

    def __check_init__(self) -> None:
        t, w = self.times, self.wind
        if not all_concrete(t, w):
            return
        if t.ndim != 1 or len(t) < 2 or w.shape != (len(t), 3):
            raise ParameterError(
                f"WindTable: got {t.shape} times and {w.shape} velocities; expected two or more times and three "
                f"velocity components for each"
            )
        if np.any(np.diff(np.asarray(t)) <= 0):
            raise ParameterError(f"WindTable.times: got {np.asarray(t)}; expected increasing times")

    @property
    def valid_until(self) -> float:
        return float(self.times[-1])

    def velocity(self, t: jax.Array, r: jax.Array, stream: FreeStream | None = None) -> jax.Array:
        i, s = interval_and_fraction(self.times, t)
        fraction = s if self.interpolation == "linear" else smooth_step(s)
        return broadcast_velocity(self.wind[i] + fraction * (self.wind[i + 1] - self.wind[i]), r)


@kind("wind-fields")
class WindFields(WindField):
    """Sum of several fields, for example a mean wake and its gusts."""

    parts: tuple[WindField, ...] = eqx.field(converter=tuple, default=())

    @property
    def valid_until(self) -> float:
        return min((part.valid_until for part in self.parts), default=math.inf)

    def check_without_stream(self, where):
        for part in self.parts:
            part.check_without_stream(where)

    def check_cover(self, reach):
        for part in self.parts:
            part.check_cover(reach)

    def velocity(self, t: jax.Array, r: jax.Array, stream: FreeStream | None = None) -> jax.Array:
        return sum((part.velocity(t, r, stream) for part in self.parts), jnp.zeros(jnp.shape(r)))
