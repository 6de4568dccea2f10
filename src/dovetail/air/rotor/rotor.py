r"""A rotor by blade elements, averaged over its azimuth.

Axes of the rotor: x forward, y to port, z up along the shaft. It turns counter-clockwise seen from above; the
azimuth :math:`\psi` counts from the nose to port, so port is the retreating side. An element at
:math:`r(\cos\psi, \sin\psi, 0)` has, relative to the air, the speed :math:`v_2` along its path, the climb
:math:`v_c` and the induced velocity :math:`v_i`:

.. math::

    v_0 = v_c + v_i,\quad \varphi = \tan^{-1}(v_0/v_2),\quad \alpha = \theta - \varphi,\quad
    dF_z = \tfrac12\rho v_1^2 c\,(C_L\cos\varphi - C_D\sin\varphi)\,dr

[Schock 2020, sec. 4.3.2]. Forces of all sectors are averaged and multiplied by the number of blades. The source
keeps the thrust and its moments; here the forces along the path are summed too (torque, forces in the plane of
the disc), unless `forces = "thrust"`.

Where the air overtakes the blade (:math:`v_2 < 0`) the section meets it with its trailing edge: its pitch counts
the other way round, and no momentum balance is made. Where nothing moves (below `STILL`) there is no force.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.air.rotor import inflow as balances
from dovetail.air.rotor import tip_path
from dovetail.air.rotor.blade import Blade
from dovetail.air.rotor.controls import Controls
from dovetail.air.rotor.section import Section
from dovetail.air.rotor.structure import BladeStructure, StiffBlade
from dovetail.core import Part, choice, count, kind, parameter
from dovetail.core.arctangent import arctan
from dovetail.core.array_types import Numbers
from dovetail.core.errors import ParameterError
from dovetail.core.kinds import name_of

STILL = 1e-3  # [m/s] speed along the path below which an element makes no force


class Disc(NamedTuple):
    """What happens at the elements, arrays (sectors, elements)."""

    v2: jax.Array  # [m/s]
    climb: jax.Array  # [m/s]
    induced: jax.Array  # [m/s]
    alpha: jax.Array  # [rad]
    mach: jax.Array
    thrust: jax.Array  # [N] of one blade's element, along the shaft
    along: jax.Array  # [N] along the path, negative: it resists
    residual: jax.Array  # [1] of the momentum balance, relative


class RotorLoads(NamedTuple):
    """What the rotor does to its hub, in the rotor's axes."""

    force: jax.Array  # [N] (3,)
    moment: jax.Array  # [N m] (3,), about the hub
    torque: jax.Array  # [N m] that drives it
    power: jax.Array  # [W]
    residual: jax.Array  # largest of the momentum balance
    disc: Disc

    @property
    def thrust(self) -> jax.Array:
        """Force along the shaft [N]."""
        return self.force[2]


@kind("blade-element-rotor")
class Rotor(Part):
    """Blades that turn in a wind.

    `inflow`: "momentum" is the closed form of the balance for small angles; "iterated" solves the full one with
    Prandtl's losses (`loss`), flow across the disc and any angle; "printed" is the published formula with its two
    slips; "none" leaves it out. `Rotor.as_printed` sets everything as the source has it.

    `structure` says how the blades give. Stiff ones do not; others flap, and the loads are those of a disc whose cone
    and tilt balance the air at every moment (`tip_path`); `FlappingRotor` has them as states.
    """

    blade: Blade
    section: Section = Section()
    structure: BladeStructure = StiffBlade()
    blades: int = count("number of blades", default=4, at_least=1)
    sectors: int = count("parts of the disc", default=20, at_least=3)
    inflow: str = choice(
        "momentum", "iterated", "printed", "none", about="induced velocity", default="momentum"
    )
    loss: str = choice(
        "none", "prandtl", about="tip and root loss; needs the iterated inflow", default="none"
    )
    iterations: int = count("of the iterated inflow", default=8, at_least=1)
    forces: str = choice("all", "thrust", about="which forces the elements pass on", default="all")
    sound: jax.Array = parameter("m/s", "speed of sound", default=340.3, above=0.0)

    def __check_init__(self):
        if isinstance(self.structure, BladeStructure) and not self.structure.everywhere:
            raise ParameterError(
                f"Rotor.structure: the air acts along the whole blade, and a {name_of(type(self.structure))} knows its "
                "shapes at the lag damper only. Do: take a stiff-blade, a hinged-blade or a beam-blade"
            )

    @classmethod
    def as_printed(cls, blade: Blade, **fields: Any) -> Rotor:
        """With the published inflow, elements on both ends, and thrust only."""
        import dataclasses

        ends = dataclasses.replace(blade, sampling="ends")
        return cls(ends, **({"inflow": "printed", "forces": "thrust"} | fields))

    @property
    def azimuths(self) -> jax.Array:
        """Of the sectors (sectors,) [rad]."""
        return 2 * jnp.pi * jnp.arange(self.sectors) / self.sectors

    @property
    def solidity(self) -> jax.Array:
        """Blade area over disc area, from the mean chord of the effective blade."""
        return self.blades * jnp.mean(self.blade.cut().chord) / (jnp.pi * self.blade.radius)

    def places(self) -> jax.Array:
        """Elements in the rotor's axes from the hub, (sectors, elements, 3) [m]."""
        r, psi = self.blade.cut().r, self.azimuths
        radial = jnp.stack([jnp.cos(psi), jnp.sin(psi), jnp.zeros_like(psi)], -1)
        return radial[:, None, :] * r[:, None]

    def disc(
        self,
        controls: Controls,
        velocity: Numbers,
        turning: Numbers,
        wind: jax.Array,
        density: jax.Array | float,
        *,
        flap: tuple[jax.Array, jax.Array] | None = None,
        induced: jax.Array | None = None,
    ) -> Disc:
        """Flow and forces at every element; arguments as for `loads`."""
        blade, psi = self.blade.cut(), self.azimuths
        ahead, port = jnp.cos(psi), jnp.sin(psi)
        stream = jnp.asarray(velocity) - wind  # of the hub through the air, (3,) or at each element
        stream = stream[None, None] if stream.ndim == 1 else stream
        x, y, z = (stream[..., i] for i in range(3))
        roll, tilt, yaw = jnp.asarray(turning)
        along = (ahead[:, None] * y - port[:, None] * x) + (controls.speed + yaw) * blade.r
        climb = z + (roll * port - tilt * ahead)[:, None] * blade.r
        if flap is not None:  # normal of a blade that is turned up by beta leans inwards
            beta, rate = flap
            climb = climb - beta * (ahead[:, None] * x + port[:, None] * y) + rate
        pitch = blade.twist + controls.pitch(psi)[:, None]
        reverse = along < 0
        v2 = jnp.maximum(jnp.abs(along), STILL)
        mach = v2 / self.sound
        slope = self.section.slope(blade.lift_slope, blade.thickness, mach)
        facing = jnp.where(reverse, -pitch, pitch)
        if induced is None:
            # the part from turning goes round and has no mean over the disc
            across = jnp.broadcast_to(jnp.sqrt(jnp.mean(x) ** 2 + jnp.mean(y) ** 2 + 1e-24), v2.shape)
            flow = balances.ElementFlow(
                v2, climb, across, facing, slope, *(jnp.broadcast_to(v, v2.shape) for v in blade[6:7]),
                *(jnp.broadcast_to(v, v2.shape) for v in (blade.chord, blade.r)),
            )  # fmt: skip
            v_i, residual = self._balance(flow)
        else:
            v_i, residual = induced, jnp.zeros_like(v2)
        v_i = jnp.where(reverse, 0.0, v_i)
        v0 = climb + v_i
        square = v0**2 + v2**2
        alpha = facing - arctan(v0 / v2)
        lift = self.section.lift(slope, blade.lift_offset, alpha)
        drag = self.section.drag(blade.drag_slope, blade.drag_offset, alpha, mach)
        pressure = 0.5 * density * jnp.sqrt(square) * blade.chord * blade.width  # over the speed v_1
        pressure = jnp.where(jnp.abs(along) > STILL, pressure, 0.0)
        thrust = pressure * (lift * v2 - drag * v0)
        resists = pressure * (lift * v0 + drag * v2) * jnp.where(reverse, -1.0, 1.0)
        used = jnp.where(reverse, 0.0, residual)
        return Disc(along, climb, v_i, alpha, mach, thrust, -resists, used)

    def _balance(self, flow):
        zero = jnp.zeros_like(flow.v2)
        if self.inflow == "none":
            return zero, zero
        if self.inflow == "printed":
            return balances.printed(flow, self.blade.radius), zero
        if self.inflow == "momentum":
            return balances.closed(flow, self.blades), zero
        root = self.blade.inner * self.blade.radius if self.loss == "prandtl" else None
        return balances.solve(flow, self.blades, root, self.blade.radius, self.iterations)

    def loads(
        self,
        controls: Controls,
        velocity: Numbers = (0.0, 0.0, 0.0),
        turning: Numbers = (0.0, 0.0, 0.0),
        wind: Numbers = (0.0, 0.0, 0.0),
        density: jax.Array | float = 1.225,
    ) -> RotorLoads:
        """Force and moment on the hub.

        Parameters
        ----------
        controls
            Rotor speed and pitch.
        velocity, turning
            Of the hub (3,) [m/s] and [rad/s], in the rotor's axes.
        wind
            Velocity of the air, (3,) or at each of `places` (sectors, elements, 3) [m/s], in the rotor's axes.
        density
            Of the air [kg/m^3].
        """
        flight = velocity, turning, jnp.asarray(wind, float), density
        return (
            tip_path.at_rest(self, controls, flight) if self.structure.gives else self.air(controls, *flight)
        )

    def air(
        self,
        controls: Controls,
        velocity: Numbers,
        turning: Numbers,
        wind: jax.Array,
        density: jax.Array | float,
        *,
        flap: tuple[jax.Array, jax.Array] | None = None,
        induced: jax.Array | None = None,
    ) -> RotorLoads:
        """What the air does to the blades about the hub, flapping as they are told; arguments as for `loads`.

        Parameters
        ----------
        flap
            Slope of the blades (sectors, elements) [rad] and velocity of the elements by flapping [m/s].
        induced
            Induced velocity (sectors, elements) [m/s] from elsewhere, in place of the balance.
        """
        wind = jnp.asarray(wind, float)
        disc = self.disc(controls, velocity, turning, wind, density, flap=flap, induced=induced)
        psi, r, share = self.azimuths, self.blade.cut().r, self.blades / self.sectors
        ahead, port = jnp.cos(psi), jnp.sin(psi)
        up, turn = jnp.sum(disc.thrust, 1), jnp.sum(disc.thrust * r, 1)  # of each sector
        drive = jnp.sum(disc.along * r) * share
        force: list[ArrayLike] = [0.0, 0.0, jnp.sum(up)]
        moment: list[ArrayLike] = [port @ turn, -ahead @ turn, 0.0]
        if self.forces == "all":
            drag = jnp.sum(disc.along, 1)
            force[:2] = [-port @ drag, ahead @ drag]
            moment[2] = drive / share
        torque = -drive
        return RotorLoads(
            jnp.stack(jnp.broadcast_arrays(*force)) * share,
            jnp.stack(jnp.broadcast_arrays(*moment)) * share,
            torque,
            torque * controls.speed,
            jnp.max(disc.residual),
            disc,
        )
