r"""The air over a deck: a steady wind, a wind in time, gusts that blow past, the wake of a superstructure.

A field gives the velocity of the air at places and a time. Axes are those of the deck's mean position: x forward,
y to port, z up. `GriddedAirWake` and `GustyWind` build on the gridded field and on the Dryden gusts that serve the
towed rope; several fields add up in `WindFields`.
"""

from __future__ import annotations

import math
from abc import abstractmethod

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.turbulence import Dryden
from dovetail.air.wake import GriddedWake
from dovetail.core import Part, choice, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.lookup import place, smooth
from dovetail.core.parameter import known


class WindField(Part):
    """Velocity of the air in space and time."""

    @abstractmethod
    def velocity(self, t: jax.Array, r: jax.Array) -> jax.Array:
        """Velocity (..., 3) [m/s] at places r (..., 3) [m] and time t [s]."""

    @property
    def ends(self) -> float:
        """Time [s] up to which it is given; a run that lasts longer should be refused."""
        return math.inf


def from_compass(speed: jax.Array, direction: jax.Array) -> jax.Array:
    """Velocity (3,) of a wind of `speed` that blows from `direction` [rad], counted from the bow to starboard.

    A head-wind has direction 0, a wind from starboard 90 degrees (it blows to port, +y).
    """
    return -jnp.stack([speed * jnp.cos(direction), -speed * jnp.sin(direction), 0.0 * speed])


@kind("steady-wind")
class SteadyWind(WindField):
    """The same everywhere and always: head-wind negative along x, cross-wind along y."""

    wind: jax.Array = parameter("m/s", "velocity of the air, (3,)", default=(0.0, 0.0, 0.0))

    def velocity(self, t, r):
        return jnp.broadcast_to(self.wind, jnp.shape(r))


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

    def velocity(self, t, r):
        i, s = place(self.times, t)
        share = s if self.between == "linear" else smooth(s)
        return jnp.broadcast_to(self.wind[i] + share * (self.wind[i + 1] - self.wind[i]), jnp.shape(r))


@kind("gusty-wind")
class GustyWind(WindField):
    """A mean wind that carries frozen Dryden gusts past the deck.

    Gusts along the wind have the longitudinal spectrum, the two across the lateral one. The wind must blow: gusts
    that are not carried are no function of time.
    """

    wind: jax.Array = parameter("m/s", "mean velocity of the air, (3,), not all zero")
    gusts: Dryden = Dryden(intensity=1.0, scale=50.0, lowest=1e-3, highest=1.0)

    def velocity(self, t, r):
        speed = jnp.sqrt(jnp.sum(self.wind**2) + 1e-12)
        along = self.wind / speed
        level = jnp.stack([-along[1], along[0], jnp.zeros(())])
        level = level / jnp.sqrt(jnp.sum(level**2) + 1e-24)
        up = jnp.cross(along, level)
        distance = jnp.asarray(r) @ along
        gust = self.gusts.at(t, jnp.ravel(distance), speed)  # (3, n) along, across, up
        field = gust.T @ jnp.stack([along, level, up])
        return self.wind + jnp.reshape(field, jnp.shape(r))


@kind("gridded-air-wake")
class GriddedAirWake(WindField):
    """A measured or computed wake on a grid, per unit of wind speed, times that speed.

    The file is that of `GriddedWake`: `x`, `y`, `z` [m] in the deck's axes and `velocity`, here over the speed of
    the free wind and with it included; `attack` in it is the wind's direction. Outside the grid there is no number,
    so that a run ends there; extend the grid with the free wind.
    """

    grid: GriddedWake
    speed: jax.Array = parameter("m/s", "of the free wind", at_least=0.0)

    def velocity(self, t, r):
        r = jnp.asarray(r, float)
        flat = jnp.reshape(r, (-1, 3)).T
        return self.speed * jnp.reshape(self.grid.velocity(flat, self.speed, jnp.ones(())).T, r.shape)


@kind("wind-fields")
class WindFields(WindField):
    """Several fields added: a mean wake and the gusts in it."""

    parts: tuple[WindField, ...] = eqx.field(converter=tuple, default=())

    @property
    def ends(self) -> float:
        return min((part.ends for part in self.parts), default=math.inf)

    def velocity(self, t, r):
        total = jnp.zeros(jnp.shape(r))
        for part in self.parts:
            total = total + part.velocity(t, r)
        return total
