r"""Validation rig: a drogue suspended from a rope and three bungees, struck from below by a driven probe.

The rope is a chain of links with small masses. The drogue with its reaction mass is a rigid body at its end, with mass
M, centre of mass at c below the attachment, and inertia J about the centre of mass. Two masses on the chain, at the
attachment and at :math:`l = c + J/(Mc)` below it, have the same first and second moment of mass about any transverse
axis; the chain contains the body in this form. Twist about the axis is not modelled. A bungee pulls along the line to
its anchor with a force from a table over extension and with viscous damping. Friction at the attachment resists
rotation. A constant lateral force represents the pull of cables.

The interface is that of `DrogueHose`: pose of the nozzle in the drogue's frame, x along its axis towards the rope,
origin at the drogue's flange below the attachment, and the wrench on the drogue there. Laboratory axes: z up. The
parameters of the published rig are lost. The defaults were chosen so that the strike at 1 m/s and 35 degrees gives the
published motion and load. Source: [Bolien 2018, ch. 5 sec. III and app. C].
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.drogue import couple, unit
from dovetail.air.receiver import Receiver, SpeedProfile
from dovetail.core import RK4, Input, Output, Parameter, State, Time, kind, parameter
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.chain import AngleChain, Chain
from dovetail.mechanics.chain.angles import direction
from dovetail.mechanics.chain.attitude import last_link_frame, link_rotation, tilt_angles
from dovetail.mechanics.chain.base import ChainLoads, ChainNodes, ChainSolution
from dovetail.mechanics.spatial.relative import relative_motion
from dovetail.mechanics.spatial.rotation import logarithm

GRAVITY = 9.81  # [m/s^2]
X, Z = np.eye(3)[[0, 2]]
HANGING = -jnp.pi / 2  # [rad] angle about y of a link that hangs straight down
CONTACT_DEPTH, CONTACT_RADIUS, RUN_UP = (
    0.4424,
    0.15,
    0.18,
)  # [m] point where a rib is struck, and run-up distance


def strike_line(
    angle: Any = 0.0, *, radius: Any = CONTACT_RADIUS, speed: Any = 1.0, depth: Any = CONTACT_DEPTH
):
    """Return the probe's path: contact `radius` [m] from the drogue's axis, `angle` [rad] outwards, after 180 mm."""
    xp: Any = jnp if isinstance(angle, jax.Array) else np  # concrete values need no compiled program
    return Receiver(
        approach=SpeedProfile(speed=speed),
        offset=radius - RUN_UP * xp.sin(angle),
        start=depth + RUN_UP * xp.cos(angle),
        incidence=-xp.asarray(angle, float),
    )


@kind("hung-drogue")
class HungDrogue(Substructure):
    """Rope, drogue with reaction mass and three bungees, and prescribed probe motion; six interface axes."""

    large: ClassVar[bool] = True
    rotary_axes: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    reference_settings: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 1}

    chain: Chain = AngleChain(n=3, length=1.5, mass=1.5, distribution="end")  # the rope
    mass: Parameter = parameter("kg", "mass of drogue and reaction mass", default=205.0, above=0.0)
    centre: Parameter = parameter(
        "m", "distance of the centre of mass below the attachment", default=0.35, above=0.0
    )
    inertia: Parameter = parameter(
        "kg m^2", "inertia about the centre of mass, across the axis", default=5.2, above=0.0
    )
    flange: Parameter = parameter("m", "distance of the sensor flange below the attachment", default=0.32)
    joint_damping: Parameter = parameter("N m s", "friction at the attachment", default=4.0, at_least=0.0)
    bungee_azimuth: Parameter = parameter("rad", "azimuths of the anchors", default=(0.0, 2.0944, 4.1888))
    bungee_reach: Parameter = parameter("m", "distance of the anchors from the axis", default=1.2, above=0.0)
    bungee_place: Parameter = parameter("m", "distance of the bungee ends below the attachment", default=0.35)
    bungee_length: Parameter = parameter("m", "unstretched length", default=0.8, above=0.0)
    bungee_extension: Parameter = parameter(
        "m", "extensions of the force table", default=(0.0, 0.1, 0.3, 0.6, 1.0)
    )
    bungee_force: Parameter = parameter(
        "N", "forces of the force table", default=(0.0, 180.0, 360.0, 600.0, 960.0)
    )
    bungee_damping: Parameter = parameter("N s/m", "damping of a bungee", default=28.0, at_least=0.0)
    side_pull: Parameter = parameter("N", "constant pull of the cables, x and y", default=(0.0, 0.0))
    receiver: Receiver = eqx.field(default_factory=strike_line)
    initial_angles: Parameter = parameter(
        "rad", "initial angles of the rope, about y and about z", default=(0.0, 0.0)
    )

    def __check_init__(self) -> None:
        self.chain.with_body(self.mass, self.centre)  # raises for a chain that cannot have a tip body

    @property
    def loaded_chain(self) -> Any:
        """Rope with the body as two masses, at the attachment and below its centre of mass."""
        reach = self.centre + self.inertia / (self.mass * self.centre)
        far = self.mass * self.centre / reach
        chain: Any = self.chain.with_body(far, reach, self.joint_damping)
        return dataclasses.replace(chain, node_mass=jnp.zeros(chain.n).at[-2].set(self.mass - far))

    def init(self) -> State:
        chain = self.loaded_chain
        angles = jnp.broadcast_to(self.initial_angles[:, None], (2, chain.n))
        rope = chain.state_from_directions(direction(*angles), chain.lengths()[0])
        return {"rope": rope, "impulse": jnp.zeros(3), "work": jnp.zeros(())}

    def centre_and_tip(self, x) -> tuple[jax.Array, jax.Array]:
        """Return the centre of mass (3,) [m] and the angles (2,) [rad] about y and z from the vertical."""
        r = self.loaded_chain.nodes(x["rope"]).position
        up = unit(r[:, -2] - r[:, -1])
        return r[:, -2] - self.centre * up, tilt_angles(up) - jnp.array([HANGING, 0.0])

    def bungees(self, nodes: ChainNodes) -> tuple[jax.Array, jax.Array]:
        """Return the force (3,) [N] of bungees and cables on the body, and the fraction acting on its lower mass."""
        r, v = nodes.position, nodes.velocity
        share = self.bungee_place / jnp.sqrt(
            jnp.sum((r[:, -1] - r[:, -2]) ** 2)
        )  # lever rule between the two masses
        place, speed = ((1 - share) * a[:, -2] + share * a[:, -1] for a in (r, v))
        anchors = jnp.stack(
            [
                self.bungee_reach * jnp.cos(self.bungee_azimuth),
                self.bungee_reach * jnp.sin(self.bungee_azimuth),
                jnp.full(3, -(self.chain.length + self.bungee_place)),
            ]
        )
        away = anchors - place[:, None]
        length = jnp.sqrt(jnp.sum(away**2, axis=0))
        towards = away / length
        stretch = length - self.bungee_length
        pull = jnp.interp(stretch, self.bungee_extension, self.bungee_force)
        pull = jnp.maximum(pull - self.bungee_damping * (speed @ towards), 0.0)
        return towards @ jnp.where(stretch > 0, pull, 0.0) + jnp.append(self.side_pull, 0.0), share

    def _solved(self, x, force) -> tuple[ChainNodes, ChainLoads, ChainSolution]:
        chain = self.loaded_chain
        nodes = chain.nodes(x["rope"])
        wrench = jnp.broadcast_to(jnp.asarray(force, float), (6,))
        lever = jnp.cross(-self.flange * X, wrench[:3])  # from the flange to the attachment
        arm = nodes.position[:, -2] - nodes.position[:, -1]
        R = link_rotation(unit(arm))
        pair = R @ couple(wrench[3:] + lever, jnp.sqrt(arm @ arm))
        pull, share = self.bungees(nodes)
        node = jnp.zeros((3, chain.n + 1))
        node = node.at[:, -2].set(R @ wrench[:3] - pair + (1 - share) * pull)
        node = node.at[:, -1].set(pair + share * pull)
        loads = ChainLoads(-GRAVITY * Z, node)
        return nodes, loads, chain.solve(0.0, x["rope"], loads)

    def derivative(self, t: Time, x: State, u: Input) -> State:
        _, loads, solved = self._solved(x, u["force"])
        impulse, power = self.loaded_chain.energy_balance(x["rope"], loads, solved)
        return {"rope": solved.rate, "impulse": impulse, "work": power}

    def output(self, t: Time, x: State, u: Input) -> Output:
        nodes, _, solved = self._solved(x, u["force"])
        drogue, _ = last_link_frame(nodes.position, nodes.velocity, solved.acceleration)
        R = link_rotation(jnp.asarray(Z))
        place, velocity, acceleration = (R @ a for a in self.receiver.path(t))
        place = place - (self.chain.length + self.flange) * Z
        flange, home = -self.flange * X, self.receiver.initial_pose
        pose, motion = relative_motion(drogue, (place, velocity, acceleration), R @ home.R, home, flange)
        momentum, energy = self.loaded_chain.momentum_and_energy(x["rope"])
        centre, tip = self.centre_and_tip(x)
        return {
            **motion,
            "nozzle_pose": jnp.concatenate([pose.p, logarithm(pose.R)]),
            "drogue_position": centre,
            "ball_joint_position": nodes.position[:, -2],
            "drogue_attitude_change": tip,
            "end_tension": solved.tension[-2],
            "momentum_residual": momentum - x["impulse"],
            "kinetic_energy": energy,
            "energy_residual": energy - x["work"],
        }
