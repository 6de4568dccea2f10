"""A blade as a table along its radius, and its elements.

Chord, twist, thickness and the polars' slopes and offsets are given at radii that span the effective blade, and
are straight in between. Only the part from `inner` to `outer` (shares of the radius) makes forces: a crude form
of root and tip loss, kept because the source uses it; Prandtl's is an option of the inflow.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, choice, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known


class Elements(NamedTuple):
    """A blade cut into elements, arrays (elements,): where they are, how wide, and of what."""

    r: jax.Array  # [m] radius
    width: jax.Array  # [m]
    chord: jax.Array  # [m]
    twist: jax.Array  # [rad]
    thickness: jax.Array  # [1] over the chord
    lift_slope: jax.Array  # [1/rad] at rest
    lift_offset: jax.Array  # [1] C_L0
    drag_slope: jax.Array  # [1/rad]
    drag_offset: jax.Array  # [1] C_D0


@kind("blade")
class Blade(Part):
    """One blade: a number stands for the whole radius, a list for a value at each of `stations`.

    With `sampling = "ends"` the elements sit on both ends and their width is span/(elements - 1), which counts
    half an element too much at each end: as the source does, and the reason for its slow convergence. With
    "midpoint" they sit in the middle of equal parts.
    """

    radius: jax.Array = parameter("m", "from the axis to the tip", above=0.0)
    chord: jax.Array = parameter("m", "chord, one or one for each station", above=0.0)
    inner: jax.Array = parameter(
        "1", "share of the radius where forces begin", default=0.2, at_least=0.0, below=1.0
    )
    outer: jax.Array = parameter("1", "share where they end", default=0.9, above=0.0, at_most=1.0)
    stations: jax.Array = parameter("m", "radii of the tables, rising", default=())
    twist: jax.Array = parameter("rad", "pitch of the section with no control", default=0.0)
    thickness: jax.Array = parameter("1", "thickness over chord", default=0.0, at_least=0.0)
    lift_slope: jax.Array = parameter("1/rad", "of the lift, at rest", default=2 * np.pi, above=0.0)
    lift_offset: jax.Array = parameter("1", "lift coefficient at no incidence", default=0.0)
    drag_slope: jax.Array = parameter("1/rad", "of the drag", default=0.0)
    drag_offset: jax.Array = parameter("1", "drag coefficient at no incidence", default=0.0, at_least=0.0)
    elements: int = count("elements along the radius", default=80, at_least=2)
    sampling: str = choice("midpoint", "ends", about="where the elements sit", default="midpoint")

    def __check_init__(self):
        fixed = (self.radius, self.inner, self.outer, self.stations)
        if not known(*fixed):
            return
        low, high = float(self.inner), float(self.outer)
        if low >= high:
            raise ParameterError(f"Blade.inner: got {low:g}; must be less than outer, {high:g}")
        stations = np.asarray(self.stations)
        for name in Elements._fields[2:]:
            if np.ndim(getattr(self, name)) and np.shape(getattr(self, name)) != stations.shape:
                raise ParameterError(
                    f"Blade.{name}: {np.size(getattr(self, name))} values for {stations.size} stations; "
                    f"give one for each, or a single one"
                )
        if stations.size:
            if np.any(np.diff(stations) <= 0):
                raise ParameterError(f"Blade.stations: got {stations}; radii must rise")
            reach = low * float(self.radius), high * float(self.radius)
            if stations[0] > reach[0] * (1 + 1e-9) or stations[-1] < reach[1] * (1 - 1e-9):
                raise ParameterError(
                    f"Blade.stations: from {stations[0]:g} to {stations[-1]:g} m; must span the effective "
                    f"blade, {reach[0]:g} to {reach[1]:g} m"
                )

    def at(self, r: jax.Array) -> Elements:
        """The blade at radii r [m]; the width is left at zero."""

        def read(value):
            if jnp.ndim(value) == 0:
                return jnp.broadcast_to(value, jnp.shape(r))
            return jnp.interp(r, self.stations, value)

        return Elements(r, jnp.zeros_like(r), *(read(getattr(self, name)) for name in Elements._fields[2:]))

    def cut(self) -> Elements:
        """The elements of the effective blade."""
        low, high, n = self.inner * self.radius, self.outer * self.radius, self.elements
        if self.sampling == "ends":
            r, width = low + (high - low) * jnp.linspace(0.0, 1.0, n), (high - low) / (n - 1)
        else:
            r, width = low + (high - low) * (jnp.arange(n) + 0.5) / n, (high - low) / n
        return self.at(r)._replace(width=jnp.full(n, width))
