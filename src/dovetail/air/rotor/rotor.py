r"""Blade-element rotor, averaged over its azimuth.

Axes of the rotor: x forward, y to port, z up along the shaft. It turns counter-clockwise seen from above. The azimuth
:math:`\psi` is measured from the nose to port, so port is the retreating side. An element at
:math:`r(\cos\psi, \sin\psi, 0)` has, relative to the air, the speed :math:`v_2` along its path, the climb speed
:math:`v_c` and the induced velocity :math:`v_i`:

.. math::

    v_0 = v_c + v_i,\quad \varphi = \tan^{-1}(v_0/v_2),\quad \alpha = \theta - \varphi,\quad
    dF_z = \tfrac12\rho v_1^2 c\,(C_L\cos\varphi - C_D\sin\varphi)\,dr

[Schock 2020, sec. 4.3.2]. Forces of all sectors are averaged and multiplied by the number of blades. The source uses
the thrust and its moments only. Here the forces along the path are also summed (torque, forces in the plane of the
disc), unless `forces = "thrust"`.

In reverse flow (:math:`v_2 < 0`) the air meets the trailing edge of the section: the sign of its pitch is reversed, and
the momentum balance is not applied. Below a speed along the path of `MIN_PATH_SPEED` an element has no force.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.air.rotor import inflow as inflow_balance
from dovetail.air.rotor import tip_path
from dovetail.air.rotor.blade import Blade
from dovetail.air.rotor.controls import Controls
from dovetail.air.rotor.section import Section
from dovetail.air.rotor.structure import BladeStructure, RigidBlade
from dovetail.core import Parameter, Part, choice, count, kind, parameter
from dovetail.core.arctangent import arctan
from dovetail.core.array_types import Numbers
from dovetail.core.errors import ParameterError
from dovetail.core.kind_names import name_of

MIN_PATH_SPEED = 1e-3  # [m/s] speed along the path below which an element has no force


class RotorDiscState(NamedTuple):
    """Flow and forces at the elements, arrays (sectors, elements)."""

    v2: jax.Array  # [m/s]
    climb: jax.Array  # [m/s]
    induced: jax.Array  # [m/s]
    alpha: jax.Array  # [rad]
    mach: jax.Array
    thrust: jax.Array  # [N] force on the element of one blade, along the shaft
    along: jax.Array  # [N] force along the path; negative values resist the rotation
    residual: jax.Array  # [1] relative residual of the momentum balance


class RotorLoads(NamedTuple):
    """Loads of the rotor on its hub, in the rotor's axes."""

    force: jax.Array  # [N] (3,)
    moment: jax.Array  # [N m] (3,), about the hub
    torque: jax.Array  # [N m] driving torque
    power: jax.Array  # [W]
    residual: jax.Array  # largest residual of the momentum balance
    disc: RotorDiscState

    @property
    def thrust(self) -> jax.Array:
        """Force along the shaft [N]."""
        return self.force[2]


@kind("blade-element-rotor")
class Rotor(Part):
    """Rotor of rotating blades in a wind.

    `inflow`: "momentum" is the closed form of the balance for small angles; "iterated" solves the full balance with
    Prandtl's losses (`tip_loss`), flow across the disc and exact angles; "published" is the published formula with its
    two errors; "none" omits the induced velocity. `Rotor.as_published` applies all settings of the source.

    `structure` sets the elasticity of the blades. Rigid blades have none. Other blades flap, and the loads are those of
    a disc whose coning and tilt are in equilibrium with the air loads (`tip_path`). `FlappingRotor` models coning and
    tilt as states.
    """

    blade: Blade
    section: Section = Section()
    structure: BladeStructure = RigidBlade()
    blades: int = count("number of blades", default=4, at_least=1)
    sectors: int = count("number of azimuth sectors of the disc", default=20, at_least=3)
    inflow: str = choice(
        "momentum", "iterated", "published", "none", about="induced velocity", default="momentum"
    )
    tip_loss: str = choice(
        "none", "prandtl", about="tip and root loss; requires the iterated inflow", default="none"
    )
    iterations: int = count("iterations of the iterated inflow", default=8, at_least=1)
    forces: str = choice("all", "thrust", about="forces of the elements that are included", default="all")
    speed_of_sound: Parameter = parameter("m/s", "speed of sound", default=340.3, above=0.0)

    def __check_init__(self) -> None:
        if isinstance(self.structure, BladeStructure) and not self.structure.has_spanwise_shapes:
            raise ParameterError(
                f"Rotor.structure: air loads act along the whole blade, but a {name_of(type(self.structure))} has mode "
                "shapes at the lag damper only. Use a rigid-blade, a hinged-blade or a beam-blade"
            )

    @classmethod
    def as_published(cls, blade: Blade, **fields: Any) -> Rotor:
        """Return a rotor with the published inflow, elements at both ends, and thrust only."""
        import dataclasses

        ends = dataclasses.replace(blade, sampling="ends")
        return cls(ends, **({"inflow": "published", "forces": "thrust"} | fields))

    @property
    def azimuths(self) -> jax.Array:
        """Azimuths of the sectors, (sectors,) [rad]."""
        return 2 * jnp.pi * jnp.arange(self.sectors) / self.sectors

    @property
    def solidity(self) -> jax.Array:
        """Ratio of blade area to disc area, from the mean chord of the effective blade."""
        return self.blades * jnp.mean(self.blade.effective_elements().chord) / (jnp.pi * self.blade.radius)

    def element_positions(self) -> jax.Array:
        """Positions of the elements from the hub, (sectors, elements, 3) [m], in the rotor's axes."""
        r, psi = self.blade.effective_elements().r, self.azimuths
        radial = jnp.stack([jnp.cos(psi), jnp.sin(psi), jnp.zeros_like(psi)], -1)
        return radial[:, None, :] * r[:, None]

    def disc(
        self,
        controls: Controls,
        velocity: Numbers,
        angular_velocity: Numbers,
        wind: jax.Array,
        density: jax.Array | float,
        *,
        flap: tuple[jax.Array, jax.Array] | None = None,
        induced: jax.Array | None = None,
    ) -> RotorDiscState:
        """Flow and forces at each element; arguments as for `loads`."""
        blade, psi = self.blade.effective_elements(), self.azimuths
        ahead, port = jnp.cos(psi), jnp.sin(psi)
        stream = (
            jnp.asarray(velocity) - wind
        )  # velocity of the hub relative to the air, (3,) or at each element
        stream = stream[None, None] if stream.ndim == 1 else stream
        x, y, z = (stream[..., i] for i in range(3))
        roll, tilt, yaw = jnp.asarray(angular_velocity)
        along = (ahead[:, None] * y - port[:, None] * x) + (controls.speed + yaw) * blade.r
        climb = z + (roll * port - tilt * ahead)[:, None] * blade.r
        if flap is not None:  # the normal of a blade flapped up by beta tilts inwards
            beta, rate = flap
            climb = climb - beta * (ahead[:, None] * x + port[:, None] * y) + rate
        pitch = blade.twist + controls.pitch(psi)[:, None]
        reverse = along < 0
        v2 = jnp.maximum(jnp.abs(along), MIN_PATH_SPEED)
        mach = v2 / self.speed_of_sound
        slope = self.section.slope(blade.lift_slope, blade.thickness, mach)
        facing = jnp.where(reverse, -pitch, pitch)
        if induced is None:
            # the part from the hub's rotation has zero mean over the disc
            across = jnp.broadcast_to(jnp.sqrt(jnp.mean(x) ** 2 + jnp.mean(y) ** 2 + 1e-24), v2.shape)
            flow = inflow_balance.ElementFlow(
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
        pressure = (
            0.5 * density * jnp.sqrt(square) * blade.chord * blade.width
        )  # dynamic pressure times area, divided by the speed v_1
        pressure = jnp.where(jnp.abs(along) > MIN_PATH_SPEED, pressure, 0.0)
        thrust = pressure * (lift * v2 - drag * v0)
        resistance = pressure * (lift * v0 + drag * v2) * jnp.where(reverse, -1.0, 1.0)
        balance_residual = jnp.where(reverse, 0.0, residual)
        return RotorDiscState(along, climb, v_i, alpha, mach, thrust, -resistance, balance_residual)

    def _balance(self, flow):
        zero = jnp.zeros_like(flow.v2)
        if self.inflow == "none":
            return zero, zero
        if self.inflow == "published":
            return inflow_balance.published_inflow(flow, self.blade.radius), zero
        if self.inflow == "momentum":
            return inflow_balance.closed_form_inflow(flow, self.blades), zero
        root = self.blade.root_cutout * self.blade.radius if self.tip_loss == "prandtl" else None
        return inflow_balance.solve(flow, self.blades, root, self.blade.radius, self.iterations)

    def loads(
        self,
        controls: Controls,
        velocity: Numbers = (0.0, 0.0, 0.0),
        angular_velocity: Numbers = (0.0, 0.0, 0.0),
        wind: Numbers = (0.0, 0.0, 0.0),
        density: jax.Array | float = 1.225,
    ) -> RotorLoads:
        """Force and moment on the hub.

        Parameters
        ----------
        controls
            Rotor speed and pitch.
        velocity, angular_velocity
            Velocity and angular velocity of the hub, (3,) [m/s] and [rad/s], in the rotor's axes.
        wind
            Velocity of the air, (3,) or at each of the `element_positions` (sectors, elements, 3) [m/s], in the
            rotor's axes.
        density
            Density of the air [kg/m^3].
        """
        flight = velocity, angular_velocity, jnp.asarray(wind, float), density
        return (
            tip_path.equilibrium_loads(self, controls, flight)
            if self.structure.has_modes
            else self.air_loads(controls, *flight)
        )

    def air_loads(
        self,
        controls: Controls,
        velocity: Numbers,
        angular_velocity: Numbers,
        wind: jax.Array,
        density: jax.Array | float,
        *,
        flap: tuple[jax.Array, jax.Array] | None = None,
        induced: jax.Array | None = None,
    ) -> RotorLoads:
        """Air loads of the blades about the hub with prescribed flapping; arguments as for `loads`.

        Parameters
        ----------
        flap
            Slope of the blades [rad] and velocity of the elements from flapping [m/s], (sectors, elements) each.
        induced
            Induced velocity (sectors, elements) [m/s] that replaces the balance.
        """
        wind = jnp.asarray(wind, float)
        disc = self.disc(controls, velocity, angular_velocity, wind, density, flap=flap, induced=induced)
        psi, r, weight = self.azimuths, self.blade.effective_elements().r, self.blades / self.sectors
        ahead, port = jnp.cos(psi), jnp.sin(psi)
        up, turn = jnp.sum(disc.thrust, 1), jnp.sum(disc.thrust * r, 1)  # of each sector
        drive = jnp.sum(disc.along * r) * weight
        force: list[ArrayLike] = [0.0, 0.0, jnp.sum(up)]
        moment: list[ArrayLike] = [port @ turn, -ahead @ turn, 0.0]
        if self.forces == "all":
            drag = jnp.sum(disc.along, 1)
            force[:2] = [-port @ drag, ahead @ drag]
            moment[2] = drive / weight
        torque = -drive
        return RotorLoads(
            jnp.stack(jnp.broadcast_arrays(*force)) * weight,
            jnp.stack(jnp.broadcast_arrays(*moment)) * weight,
            torque,
            torque * controls.speed,
            jnp.max(disc.residual),
            disc,
        )
