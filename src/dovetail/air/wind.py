r"""The air that moves: a steady wind, a wind in time, several fields together, and what every field answers.

A field gives the velocity of the air at places and a time, in the axes of whoever asks: those of a deck's mean position
(x forward, y to port, z up), those of what is towed (x downstream, y down, z to starboard). Ropes, hoses, airframes and
rotors take any of them, also gusts, wakes and the bow wave of a receiver. Some of these are carried by a stream, or are
what an aircraft does to it: such a field asks for the stream, and over a deck, where there is none, it is refused.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, choice, kind, parameter
from dovetail.core.errors import Fault, ParameterError
from dovetail.core.kinds import name_of
from dovetail.core.name_lookup import place, smooth
from dovetail.core.parameter import known


class FreeStream(NamedTuple):
    """Undisturbed air that flows along x."""

    speed: jax.Array  # [m/s]
    density: jax.Array  # [kg/m^3]


class WindField(Part):
    """Velocity of the air in space and time, beside the stream it is in."""

    carried: ClassVar[bool] = False  # by a stream, or made by what flies through it

    @abstractmethod
    def velocity(self, t: jax.Array, r: jax.Array, stream: FreeStream | None = None) -> jax.Array:
        """Velocity (3, ...) [m/s] at places r (3, ...) [m] and time t [s]."""

    @property
    def ends(self) -> float:
        """Time [s] up to which it is given; a run that lasts longer should be refused."""
        return math.inf

    def check_without_stream(self, where: str) -> None:
        """Raise `ParameterError` if it cannot be where no stream is."""
        if self.carried:
            raise ParameterError(
                f"{where}: a {name_of(type(self))} asks for the stream that carries it, and here is none. Do: take a "
                "gusty-wind, which has its own, or a field that is given as it is"
            )

    def check_cover(self, reach: float) -> None:
        """Raise `ParameterError` if a rope of length `reach` [m] could leave it."""


def ended(fields: dict[str, WindField], duration: float) -> list[Fault]:
    """Fields, each with its place in a test, that end before a run of a duration [s] does."""
    return [
        Fault(where, f"is given until {field.ends:g} s, the run lasts {duration:g} s; make its table longer")
        for where, field in fields.items()
        if field.ends < duration - 1e-9
    ]


def from_compass(speed: jax.Array, direction: jax.Array) -> jax.Array:
    """Velocity (3,) of a wind of `speed` that blows from `direction` [rad], counted from the bow to starboard.

    A head-wind has direction 0, a wind from starboard 90 degrees (it blows to port, +y).
    """
    return -jnp.stack([speed * jnp.cos(direction), -speed * jnp.sin(direction), 0.0 * speed])


def everywhere(velocity: jax.Array, r: jax.Array) -> jax.Array:
    """A velocity (3,) at places r (3, ...)."""
    return jnp.broadcast_to(jnp.reshape(velocity, (3,) + (1,) * (jnp.ndim(r) - 1)), jnp.shape(r))


@kind("still-air")
class StillAir(WindField):
    """Nothing moves it."""

    def velocity(self, t, r, stream=None):
        return jnp.zeros(jnp.shape(r))


@kind("steady-wind")
class SteadyWind(WindField):
    """The same everywhere and always: over a deck a head-wind is negative along x."""

    wind: jax.Array = parameter("m/s", "velocity of the air, (3,)", default=(0.0, 0.0, 0.0))

    def velocity(self, t, r, stream=None):
        return everywhere(self.wind, r)


@kind("wind-table")
class WindTable(WindField):
    """The same everywhere, from a table in time: straight, or along a blend that rests at each time."""

    times: jax.Array = parameter("s", "times, rising")
    wind: jax.Array = parameter("m/s", "velocity, one row (3,) for each time")
    between: str = choice("linear", "blend", about="how two times are joined", default="linear")

    def __check_init__(self):
        t, w = self.times, self.wind
        if not known(t, w):
            return
        if t.ndim != 1 or len(t) < 2 or w.shape != (len(t), 3):
            raise ParameterError(
                f"WindTable: {t.shape} times and {w.shape} velocities; give three numbers for each of two "
                f"times or more"
            )
        if np.any(np.diff(np.asarray(t)) <= 0):
            raise ParameterError(f"WindTable.times: got {np.asarray(t)}; times must rise")

    @property
    def ends(self) -> float:
        return float(self.times[-1])

    def velocity(self, t, r, stream=None):
        i, s = place(self.times, t)
        share = s if self.between == "linear" else smooth(s)
        return everywhere(self.wind[i] + share * (self.wind[i + 1] - self.wind[i]), r)


@kind("wind-fields")
class WindFields(WindField):
    """Several fields added: a mean wake and the gusts in it."""

    parts: tuple[WindField, ...] = eqx.field(converter=tuple, default=())

    @property
    def ends(self) -> float:
        return min((part.ends for part in self.parts), default=math.inf)

    def check_without_stream(self, where):
        for part in self.parts:
            part.check_without_stream(where)

    def check_cover(self, reach):
        for part in self.parts:
            part.check_cover(reach)

    def velocity(self, t, r, stream=None):
        return sum((part.velocity(t, r, stream) for part in self.parts), jnp.zeros(jnp.shape(r)))
