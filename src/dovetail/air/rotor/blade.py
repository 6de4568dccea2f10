"""Blade properties as a table along the radius, and its blade elements.

Chord, twist, thickness and the slopes and offsets of the polars are given at radii that span the effective blade, with
linear interpolation. Only the part from `root_cutout` to `effective_radius` (fractions of the radius) generates forces.
This is a crude form of root and tip loss, used because the source uses it; Prandtl's loss is an option of the inflow.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, choice, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete


class BladeElements(NamedTuple):
    """Blade elements, arrays (elements,): radius, width and section properties."""

    r: jax.Array  # [m] radius
    width: jax.Array  # [m]
    chord: jax.Array  # [m]
    twist: jax.Array  # [rad]
    thickness: jax.Array  # [1] thickness over chord
    lift_slope: jax.Array  # [1/rad] without compressibility
    lift_offset: jax.Array  # [1] C_L0
    drag_slope: jax.Array  # [1/rad]
    drag_offset: jax.Array  # [1] C_D0


@kind("blade")
class Blade(Part):
    """Properties of one blade: a scalar applies to the full radius, a list gives one value for each of `stations`.

    With `sampling = "ends"` the elements include both ends and their width is span/(elements - 1), which counts half an
    element too much at each end. The source does the same, and its convergence is slow for this reason. With
    "midpoint" the elements are centred in equal parts.
    """

    radius: Parameter = parameter("m", "radius from the axis to the tip", above=0.0)
    chord: Parameter = parameter("m", "chord, a scalar or one value for each station", above=0.0)
    root_cutout: Parameter = parameter(
        "1", "fraction of the radius where the blade forces begin", default=0.2, at_least=0.0, below=1.0
    )
    effective_radius: Parameter = parameter(
        "1", "fraction of the radius where the blade forces end", default=0.9, above=0.0, at_most=1.0
    )
    stations: Parameter = parameter("m", "increasing radii of the tables", default=())
    twist: Parameter = parameter("rad", "pitch of the section without control input", default=0.0)
    thickness: Parameter = parameter("1", "thickness over chord", default=0.0, at_least=0.0)
    lift_slope: Parameter = parameter(
        "1/rad", "lift slope, without compressibility", default=2 * np.pi, above=0.0
    )
    lift_offset: Parameter = parameter("1", "lift coefficient at zero incidence", default=0.0)
    drag_slope: Parameter = parameter("1/rad", "drag slope", default=0.0)
    drag_offset: Parameter = parameter("1", "drag coefficient at zero incidence", default=0.0, at_least=0.0)
    elements: int = count("number of elements along the radius", default=80, at_least=2)
    sampling: str = choice("midpoint", "ends", about="position of the elements", default="midpoint")

    def __check_init__(self) -> None:
        values = (self.radius, self.root_cutout, self.effective_radius, self.stations)
        if not all_concrete(*values):
            return
        low, high = float(self.root_cutout), float(self.effective_radius)
        if low >= high:
            raise ParameterError(
                f"Blade.root_cutout: got {low:g}; must be less than effective_radius, {high:g}"
            )
        stations = np.asarray(self.stations)
        for name in BladeElements._fields[2:]:
            if np.ndim(getattr(self, name)) and np.shape(getattr(self, name)) != stations.shape:
                raise ParameterError(
                    f"Blade.{name}: got {np.size(getattr(self, name))} values for {stations.size} stations; "
                    f"expected one value for each station, or a scalar"
                )
        if stations.size:
            if np.any(np.diff(stations) <= 0):
                raise ParameterError(f"Blade.stations: got {stations}; expected increasing radii")
            span = low * float(self.radius), high * float(self.radius)
            if stations[0] > span[0] * (1 + 1e-9) or stations[-1] < span[1] * (1 - 1e-9):
                raise ParameterError(
                    f"Blade.stations: got {stations[0]:g} to {stations[-1]:g} m; expected to span the effective "
                    f"blade, {span[0]:g} to {span[1]:g} m"
                )

    def properties_at(self, r: jax.Array) -> BladeElements:
        """Blade properties at radii r [m], with zero width."""

        def interpolate(value):
            if jnp.ndim(value) == 0:
                return jnp.broadcast_to(value, jnp.shape(r))
            return jnp.interp(r, self.stations, value)

        return BladeElements(
            r, jnp.zeros_like(r), *(interpolate(getattr(self, name)) for name in BladeElements._fields[2:])
        )

    def effective_elements(self) -> BladeElements:
        """Return the elements of the effective blade."""
        low, high, n = self.root_cutout * self.radius, self.effective_radius * self.radius, self.elements
        if self.sampling == "ends":
            r, width = low + (high - low) * jnp.linspace(0.0, 1.0, n), (high - low) / (n - 1)
        else:
            r, width = low + (high - low) * (jnp.arange(n) + 0.5) / n, (high - low) / n
        return self.properties_at(r)._replace(width=jnp.full(n, width))
