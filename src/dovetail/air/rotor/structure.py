r"""Elasticity of a blade: its modes in rotation.

Flap w (up), lag v (along the path of the blade) and twist t of a blade are sums over modes. The modal coordinates
:math:`\phi_i` have no unit; the rotor's radius R is the reference length,

.. math:: W(r) = R\sum_i w_i(r)\phi_i, \quad V(r) = R\sum_i v_i(r)\phi_i, \quad \Theta(r) = R\sum_i t_i(r)\phi_i

so modal inertias are in kg m^2 and modal forces in N m. The frequencies depend on the rotor speed,
:math:`\omega_i^2 = \omega_{i,0}^2 + s_i\Omega^2`, with Southwell's coefficients s. This is exact for a hinged rigid
blade, and for shapes that do not change with the speed.

Lag damper studies and rotors accept any of these kinds: `rigid-blade` (no modes), `hinged-blade` (rigid, flap and lag),
`beam-blade` (elements of `mechanics.beam`), `tabulated-blade` (modal data listed by a rotor code).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_arrays


class BladeShapes(NamedTuple):
    """Mode shapes at given radii, (modes, ...); defined in the module docstring."""

    flap: jax.Array  # w [1]
    lag: jax.Array  # v [1]
    flap_slope: jax.Array  # dw/dr [1/m]
    lag_slope: jax.Array  # dv/dr [1/m]
    twist: jax.Array  # t [1/m]


class BladeStructure(Part):
    """Modes of one blade: inertias, frequencies over the rotor speed, shapes."""

    has_spanwise_shapes: ClassVar[bool] = True  # True if shapes are available along the whole blade
    has_modes: ClassVar[bool] = True  # True if the blade has modes

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of modes."""

    @property
    @abstractmethod
    def reach(self) -> jax.Array:
        """Rotor radius R [m], the reference length of the shapes."""

    @property
    @abstractmethod
    def inertias(self) -> jax.Array:
        """Modal inertias (modes,) [kg m^2]."""

    @property
    @abstractmethod
    def static_moments(self) -> jax.Array:
        """Static moments about the axis, (modes,) [kg m^2]: sum of mass times radius times unit flap mode."""

    @abstractmethod
    def squared_frequencies(self, speed: jax.Array) -> jax.Array:
        """Squares of the natural frequencies (modes,) [rad^2/s^2].

        `speed` is the rotor speed [rad/s].
        """

    @abstractmethod
    def shapes_at(self, r: jax.Array) -> BladeShapes:
        """Shapes at radii r (...) [m] from the axis."""

    def shapes_at_damper(self, r: jax.Array) -> BladeShapes:
        """Shapes at the lag damper, at the radius r [m]."""
        return self.shapes_at(r)

    def flap_mode(self) -> jax.Array:
        """Index of the mode used for coning and tilt of the disc: the slowest mode dominated by flap."""
        return jnp.zeros((), int)


@kind("rigid-blade")
class RigidBlade(BladeStructure):
    """Rigid blade without modes."""

    has_modes: ClassVar[bool] = False

    @property
    def count(self):
        return 0

    @property
    def reach(self):
        return jnp.ones(())

    @property
    def inertias(self):
        return jnp.zeros(0)

    @property
    def static_moments(self):
        return jnp.zeros(0)

    def squared_frequencies(self, speed):
        return jnp.zeros(0)

    def shapes_at(self, r):
        return BladeShapes(*(jnp.zeros((0, *jnp.shape(r))) for _ in BladeShapes._fields))


@kind("hinged-blade")
class HingedBlade(BladeStructure):
    r"""Rigid blade of uniform mass with a flap and a lag hinge at the same offset eR, each with a spring.

    .. math:: \omega_\beta^2 = \frac{k_\beta}{I} + \Big(1 + \tfrac32\tfrac{e}{1-e}\Big)\Omega^2, \qquad
        \omega_\zeta^2 = \frac{k_\zeta}{I} + \tfrac32\tfrac{e}{1-e}\,\Omega^2

    [Johnson 1980, ch. 5]. The coordinates are the flap and the lag angle.
    """

    radius: Parameter = parameter("m", "radius from the axis to the tip", above=0.0)
    inertia: Parameter = parameter("kg m^2", "moment of inertia about the hinges", above=0.0)
    hinge: Parameter = parameter(
        "1", "offset e of the hinges, as a fraction of the radius", default=0.0, at_least=0.0, below=1.0
    )
    spring: Parameter = parameter("N m/rad", "spring stiffness of the flap hinge", default=0.0, at_least=0.0)
    lag_spring: Parameter = parameter(
        "N m/rad", "spring stiffness of the lag hinge", default=0.0, at_least=0.0
    )

    @property
    def count(self):
        return 2

    @property
    def reach(self):
        return self.radius

    @property
    def inertias(self):
        return jnp.broadcast_to(self.inertia, (2,))

    @property
    def _offset(self):
        return 1.5 * self.hinge / (1 - self.hinge)

    @property
    def static_moments(self):
        return jnp.stack([self.inertia * (1 + self._offset), jnp.zeros(())])

    def squared_frequencies(self, speed):
        offset = self._offset
        static = jnp.stack([self.spring, self.lag_spring]) / self.inertia
        return static + jnp.stack([1 + offset, offset]) * jnp.asarray(speed) ** 2

    def shapes_at(self, r):
        outside = r > self.hinge * self.radius
        arm = jnp.maximum(r - self.hinge * self.radius, 0.0) / self.radius
        slope, zero = jnp.where(outside, 1 / self.radius, 0.0), jnp.zeros_like(arm)
        hinged = (
            jnp.stack([arm, zero]),
            jnp.stack([zero, arm]),
            jnp.stack([slope, zero]),
            jnp.stack([zero, slope]),
        )
        return BladeShapes(*hinged, jnp.zeros((2, *arm.shape)))


@kind("tabulated-blade")
class TabulatedBlade(BladeStructure):
    """Modal data listed by a rotor code: frequencies, inertias, and shapes at the lag damper only.

    Omitted shapes are zero.
    """

    has_spanwise_shapes: ClassVar[bool] = False

    radius: Parameter = parameter("m", "rotor radius R", above=0.0)
    per_revolution: Parameter = parameter("1", "natural frequencies per revolution", above=0.0)
    inertia: Parameter = parameter("kg m^2", "modal inertias", above=0.0)
    flap_slope: Parameter = parameter("1/m", "flap slopes w' of the modes at the damper", default=0.0)
    lag_slope: Parameter = parameter("1/m", "lag slopes v' of the modes at the damper", default=0.0)
    flap_deflection: Parameter = parameter("1", "flap deflections w at the damper", default=0.0)
    lag_deflection: Parameter = parameter("1", "lag deflections v at the damper", default=0.0)
    twist: Parameter = parameter("1/m", "twists t at the damper", default=0.0)

    def __check_init__(self) -> None:
        shape = np.shape(self.per_revolution)
        listed = ("inertia", "flap_slope", "lag_slope", "flap_deflection", "lag_deflection", "twist")
        if not all_arrays(self.per_revolution, *(getattr(self, name) for name in listed)):
            return
        if len(shape) != 1:
            raise ParameterError(
                f"TabulatedBlade.per_revolution: got shape {shape}; expected a list with one entry for each mode"
            )
        for name in listed:
            value_shape = np.shape(getattr(self, name))
            if value_shape not in ((), shape):
                raise ParameterError(
                    f"TabulatedBlade.{name}: got shape {value_shape} for {shape[0]} modes; expected a scalar or one "
                    "per mode"
                )

    @property
    def count(self):
        return self.per_revolution.shape[0]

    @property
    def reach(self):
        return self.radius

    @property
    def inertias(self):
        return jnp.broadcast_to(self.inertia, (self.count,))

    @property
    def static_moments(self):
        return self.shapes_at(self.radius).flap  # raises an error: shapes are available at the damper only

    def squared_frequencies(self, speed):
        return (self.per_revolution * speed) ** 2

    def shapes_at(self, r):
        raise ParameterError(
            "tabulated-blade: has shapes at the lag damper only. Use a hinged-blade or a beam-blade"
        )

    def shapes_at_damper(self, r):
        names = ("flap_deflection", "lag_deflection", "flap_slope", "lag_slope", "twist")
        return BladeShapes(*(jnp.broadcast_to(getattr(self, name), (self.count,)) for name in names))
