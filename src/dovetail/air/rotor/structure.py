r"""How a blade gives: its modes in rotation, whoever knows them.

Flap w (up), lag v (along the path of the blade) and twist t of a blade are sums over modes with coordinates
:math:`\phi_i` that have no unit, in shares of the rotor's radius R,

.. math:: W(r) = R\sum_i w_i(r)\phi_i, \quad V(r) = R\sum_i v_i(r)\phi_i, \quad \Theta(r) = R\sum_i t_i(r)\phi_i

so that modal inertias are in kg m^2 and modal forces in N m. The frequencies follow the rotor speed,
:math:`\omega_i^2 = \omega_{i,0}^2 + s_i\Omega^2`, with Southwell's coefficients s: exact for a hinged rigid blade, and
for shapes that do not change with the speed.

The lag damper of one study and the rotor of another take any member: `StiffBlade` (no modes), `HingedBlade` (rigid,
flap and lag), `BeamBlade` (elements of `mechanics.beam`), `ListedBlade` (what a rotor code printed).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import arrived


class Shapes(NamedTuple):
    """Of all modes at some radii, (modes, ...); see the module."""

    flap: jax.Array  # w [1]
    lag: jax.Array  # v [1]
    flap_slope: jax.Array  # dw/dr [1/m]
    lag_slope: jax.Array  # dv/dr [1/m]
    twist: jax.Array  # t [1/m]


class BladeStructure(Part):
    """Modes of one blade: inertias, frequencies over the rotor speed, shapes."""

    everywhere: ClassVar[bool] = True  # whether its shapes are known along the whole blade
    gives: ClassVar[bool] = True  # whether it has modes at all

    @property
    @abstractmethod
    def count(self) -> int:
        """Number of modes."""

    @property
    @abstractmethod
    def reach(self) -> jax.Array:
        """Rotor radius R [m] that shapes are shares of."""

    @property
    @abstractmethod
    def inertias(self) -> jax.Array:
        """Modal inertias (modes,) [kg m^2]."""

    @property
    @abstractmethod
    def levers(self) -> jax.Array:
        """Static moments about the axis (modes,) [kg m^2]: sum of mass, radius and flap for a unit of each mode."""

    @abstractmethod
    def squares(self, speed: jax.Array) -> jax.Array:
        """Squares of the natural frequencies (modes,) [rad^2/s^2] at a rotor speed [rad/s]."""

    @abstractmethod
    def at(self, r: jax.Array) -> Shapes:
        """Shapes at radii r (...) [m] from the axis."""

    def at_damper(self, r: jax.Array) -> Shapes:
        """Shapes where a lag damper sits, at the radius r [m]."""
        return self.at(r)

    def flap_mode(self) -> jax.Array:
        """Number, from 0, of the mode that the rotor's disc cones and tilts with: the slowest that is mostly flap."""
        return jnp.zeros((), int)


@kind("stiff-blade")
class StiffBlade(BladeStructure):
    """A blade that does not give."""

    gives: ClassVar[bool] = False

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
    def levers(self):
        return jnp.zeros(0)

    def squares(self, speed):
        return jnp.zeros(0)

    def at(self, r):
        return Shapes(*(jnp.zeros((0, *jnp.shape(r))) for _ in Shapes._fields))


@kind("hinged-blade")
class HingedBlade(BladeStructure):
    r"""A rigid blade of even mass on a flap and a lag hinge at the same offset eR, each with a spring.

    .. math:: \omega_\beta^2 = \frac{k_\beta}{I} + \Big(1 + \tfrac32\tfrac{e}{1-e}\Big)\Omega^2, \qquad
        \omega_\zeta^2 = \frac{k_\zeta}{I} + \tfrac32\tfrac{e}{1-e}\,\Omega^2

    [Johnson 1980, ch. 5]. The coordinates are the flap and the lag angle.
    """

    radius: jax.Array = parameter("m", "from the axis to the tip", above=0.0)
    inertia: jax.Array = parameter("kg m^2", "about the hinges", above=0.0)
    hinge: jax.Array = parameter(
        "1", "offset e of the hinges, over the radius", default=0.0, at_least=0.0, below=1.0
    )
    spring: jax.Array = parameter("N m/rad", "of the flap hinge", default=0.0, at_least=0.0)
    lag_spring: jax.Array = parameter("N m/rad", "of the lag hinge", default=0.0, at_least=0.0)

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
    def levers(self):
        return jnp.stack([self.inertia * (1 + self._offset), jnp.zeros(())])

    def squares(self, speed):
        offset = self._offset
        own = jnp.stack([self.spring, self.lag_spring]) / self.inertia
        return own + jnp.stack([1 + offset, offset]) * jnp.asarray(speed) ** 2

    def at(self, r):
        outside = r > self.hinge * self.radius
        arm = jnp.maximum(r - self.hinge * self.radius, 0.0) / self.radius
        slope, zero = jnp.where(outside, 1 / self.radius, 0.0), jnp.zeros_like(arm)
        one = (
            jnp.stack([arm, zero]),
            jnp.stack([zero, arm]),
            jnp.stack([slope, zero]),
            jnp.stack([zero, slope]),
        )
        return Shapes(*one, jnp.zeros((2, *arm.shape)))


@kind("listed-blade")
class ListedBlade(BladeStructure):
    """Modes as a rotor code lists them: frequencies, inertias, and shapes where the lag damper sits, no more.

    A shape that is left out is zero.
    """

    everywhere: ClassVar[bool] = False

    radius: jax.Array = parameter("m", "rotor radius R", above=0.0)
    per_revolution: jax.Array = parameter("1", "natural frequencies per revolution", above=0.0)
    inertia: jax.Array = parameter("kg m^2", "modal inertias", above=0.0)
    flap_slope: jax.Array = parameter("1/m", "flap slopes w' of the modes at the damper", default=0.0)
    lag_slope: jax.Array = parameter("1/m", "lag slopes v' of the modes at the damper", default=0.0)
    flap_deflection: jax.Array = parameter("1", "flap deflections w at the damper", default=0.0)
    lag_deflection: jax.Array = parameter("1", "lag deflections v at the damper", default=0.0)
    twist: jax.Array = parameter("1/m", "twists t at the damper", default=0.0)

    def __check_init__(self):
        shape = np.shape(self.per_revolution)
        listed = ("inertia", "flap_slope", "lag_slope", "flap_deflection", "lag_deflection", "twist")
        if not arrived(self.per_revolution, *(getattr(self, name) for name in listed)):
            return
        if len(shape) != 1:
            raise ParameterError(
                f"ListedBlade.per_revolution: has shape {shape}; give a list, one entry a mode"
            )
        for name in listed:
            got = np.shape(getattr(self, name))
            if got not in ((), shape):
                raise ParameterError(
                    f"ListedBlade.{name}: has shape {got} for {shape[0]} modes; give one value, or one a mode"
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
    def levers(self):
        return self.at(self.radius).flap  # which it does not know

    def squares(self, speed):
        return (self.per_revolution * speed) ** 2

    def at(self, r):
        raise ParameterError(
            "listed-blade: knows its shapes at the lag damper and nowhere else. Do: take a hinged-blade or a beam-blade"
        )

    def at_damper(self, r):
        names = ("flap_deflection", "lag_deflection", "flap_slope", "lag_slope", "twist")
        return Shapes(*(jnp.broadcast_to(getattr(self, name), (self.count,)) for name in names))
