r"""Wakes of a towing aircraft or of a ship's superstructure: velocity fields that depend on position.

`VortexPair` has two counter-rotating vortices at :math:`y = \pm b_0/2`, :math:`b_0 = \pi b/4`, of circulation
:math:`\Gamma = m g/(\rho V b_0)` and with the core :math:`v_\theta = \Gamma r / (2\pi(r^2 + r_c^2))`
[Burnham & Hallock 1982], and an axial velocity deficit. Both end at a given depth: the source neglects the wake beyond
it and does not describe its edge [Mastrogiuseppe 2023, sec. 4.2.4]. `GriddedWake` reads a field from a file, in the
file's axes. Axes of the pair: x forward, y to port, z up; origin at the attachment point.
"""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.wind import FreeStream, WindField
from dovetail.core import Parameter, kind, parameter
from dovetail.core.arrays_file import read_arrays, require_rising
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import file_name


@kind("vortex-pair")
class VortexPair(WindField):
    """Pair of trailing vortices that carries the aircraft's weight, with an axial deficit, down to a depth."""

    needs_stream = True

    aircraft_mass: Parameter = parameter(
        "kg", "aircraft mass carried by the vortices", default=250e3, above=0.0
    )
    span: Parameter = parameter("m", "wing span", default=63.45, above=0.0)
    core: Parameter = parameter("m", "core radius", default=3.0, above=0.0)
    deficit: Parameter = parameter(
        "1", "axial velocity deficit relative to the airspeed", default=0.0, at_least=0.0
    )
    depth: Parameter = parameter("m", "depth below which the wake is neglected", default=50.0, above=0.0)

    def circulation(self, speed: jax.Array, density: jax.Array) -> jax.Array:
        """Circulation [m^2/s]."""
        return self.aircraft_mass * 9.81 / (density * speed * self._spacing())

    def _spacing(self):
        return jnp.pi / 4 * self.span

    def velocity(self, t: jax.Array, r: jax.Array, stream: FreeStream | None = None) -> jax.Array:
        _, y, z = r
        assert stream is not None
        gamma = self.circulation(*stream) / (2 * jnp.pi)
        half = 0.5 * self._spacing()

        def vortex(side):
            dy = y - side * half
            swirl = side * gamma / (z**2 + dy**2 + self.core**2)
            return -z * swirl, dy * swirl  # along y, along z (down between them)

        port, starboard = vortex(1.0), vortex(-1.0)
        along = jnp.broadcast_to(self.deficit * stream.speed, jnp.shape(y))
        velocity = jnp.stack([along, port[0] + starboard[0], port[1] + starboard[1]])
        return jnp.where(jnp.abs(z) < self.depth, velocity, 0.0)


@kind("gridded-wake")
class GriddedWake(WindField):
    """Measured or computed velocity field on a regular grid, with linear interpolation.

    The file is an `.npz` with increasing `x`, `y`, `z` [m] and `velocity` of shape (3, x, y, z) [m/s], or of shape
    (angles, 3, x, y, z) with `attack` [rad] for several angles of attack. For a field normalised by the free wind
    speed, such as the wake of a superstructure, `scale` is that speed. Outside the grid the velocity is NaN: the run
    stops there and keeps the recorded data. `check_cover` reports this before the run.
    """

    file: str = file_name()
    angle_of_attack: Parameter = parameter(
        "rad", "angle of attack at which the field is evaluated", default=0.0
    )
    scale: Parameter = parameter("1", "factor on the velocities of the file", default=1.0)

    def _tables(self):
        path = Path(self.file)
        data = read_arrays(path, ("x", "y", "z", "velocity"), "wake grid")
        require_rising(path, data, "xyz")
        shape = tuple(len(data[name]) for name in "xyz")
        if data["velocity"].shape[-4:] != (3, *shape):
            raise ParameterError(
                f"{path}: velocity has the shape {data['velocity'].shape}; expected (3, {', '.join(map(str, shape))})"
            )
        if data["velocity"].ndim != 4:
            several = data["velocity"].ndim == 5 and data.get("attack", np.zeros(0)).shape
            if several != data["velocity"].shape[:1]:
                text = f"velocity has the shape {data['velocity'].shape}; expected one 'attack' value for each field"
                raise ParameterError(f"{path}: {text}")
            require_rising(path, data, ("attack",))
        return data

    def _field(self, data):
        if data["velocity"].ndim == 4:
            return jnp.asarray(data["velocity"])
        index = jnp.interp(self.angle_of_attack, data["attack"], jnp.arange(len(data["attack"])))
        low = jnp.clip(jnp.floor(index).astype(int), 0, len(data["attack"]) - 2)
        field = jnp.asarray(data["velocity"])
        return field[low] + (index - low) * (field[low + 1] - field[low])

    def velocity(self, t: jax.Array, r: jax.Array, stream: FreeStream | None = None) -> jax.Array:
        data = self._tables()
        field = self._field(data)
        index = []
        for coordinate, name in zip(r, "xyz", strict=True):
            axis = jnp.asarray(data[name])
            position = jnp.interp(
                coordinate, axis, jnp.arange(len(axis), dtype=float), left=jnp.nan, right=jnp.nan
            )
            index.append(position)
        inside = jnp.isfinite(index[0] + index[1] + index[2])
        index = [jnp.where(inside, i, 0.0) for i in index]
        values = [jax.scipy.ndimage.map_coordinates(component, index, order=1) for component in field]
        return self.scale * jnp.where(inside, jnp.stack(values), jnp.nan)

    def check_cover(self, reach):
        data = self._tables()
        for name, low, high in (("x", -reach, 0.0), ("y", -reach, reach), ("z", -reach, 0.0)):
            if data[name][0] > low or data[name][-1] < high:
                raise ParameterError(
                    f"{self.file}: {name} covers {data[name][0]:g} to {data[name][-1]:g} m, but the rope can "
                    f"reach {low:g} to {high:g} m; extend the grid, with zeros where the air is undisturbed"
                )
