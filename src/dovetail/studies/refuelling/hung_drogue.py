r"""The validation rig: a drogue hung on a rope, held aside by three bungees, struck from below by a driven probe.

The rope is a chain of links with small masses; the drogue with its reaction mass is a rigid body at its end, of mass M,
centre of mass at c below the attachment, and inertia J about it. Its two moments about any transverse axis are those
of two masses on the chain, at the attachment and at :math:`l = c + J/(Mc)` below it, which is how it enters the
equations of the chain. Twist about the axis is not modelled. A bungee pulls along the line to its anchor by a table of
force over extension, and a viscous damper along it; friction at the attachment resists turning. A steady pull stands
for cables that lead off to one side.

The interface is that of `DrogueHose`: pose of the nozzle in the drogue's frame, x along its axis towards the rope,
origin at the drogue's flange below the attachment, and the wrench on the drogue there. Axes of the room: z down. The
published rig's numbers are lost; the defaults were chosen so that the strike at 1 m/s and 35 degrees moves and loads
it as described. Source: [Bolien 2018, ch. 5 sec. III and app. C].
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.drogue import DOWN, couple
from dovetail.air.receiver import Receiver, SpeedProfile
from dovetail.core import RK4, kind, parameter
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.chain import AngleChain, Chain
from dovetail.mechanics.chain.angles import direction
from dovetail.mechanics.chain.attitude import flown, rotation, tail, tilt, towed
from dovetail.mechanics.chain.base import Loads, Solved
from dovetail.mechanics.spatial.relative import seen_from
from dovetail.mechanics.spatial.rotation import logarithm

GRAVITY = 9.81  # [m/s^2]
HANGING = jnp.pi / 2  # [rad] of a link that hangs straight down
CONTACT_DEPTH, CONTACT_RADIUS, RUN_UP = 0.4424, 0.15, 0.18  # [m] where a rib is struck, and the way to it


def strike_line(
    angle: Any = 0.0, *, radius: Any = CONTACT_RADIUS, speed: Any = 1.0, depth: Any = CONTACT_DEPTH
):
    """The probe's line: it meets the drogue `radius` [m] from its axis, outwards by `angle` [rad], after 180 mm."""
    xp: Any = jnp if isinstance(angle, jax.Array) else np  # known numbers need no program
    return Receiver(
        approach=SpeedProfile(speed=speed),
        offset=radius - RUN_UP * xp.sin(angle),
        start=depth + RUN_UP * xp.cos(angle),
        incidence=-xp.asarray(angle, float),
    )


@kind("hung-drogue")
class HungDrogue(Substructure):
    """Rope, drogue with reaction mass and three bungees, and the probe's way; six interface axes."""

    large: ClassVar[bool] = True
    turning: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    ideal: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 1}

    chain: Chain = AngleChain(n=3, length=1.5, mass=1.5, distribution="end")  # the rope
    mass: jax.Array = parameter("kg", "of drogue and reaction mass", default=205.0, above=0.0)
    centre: jax.Array = parameter("m", "of mass, below the attachment", default=0.35, above=0.0)
    inertia: jax.Array = parameter(
        "kg m^2", "about the centre of mass, across the axis", default=5.2, above=0.0
    )
    flange: jax.Array = parameter("m", "where drogue and sensor meet, below the attachment", default=0.32)
    joint_damping: jax.Array = parameter("N m s", "friction at the attachment", default=4.0, at_least=0.0)
    bungee_azimuth: jax.Array = parameter("rad", "of the anchors", default=(0.0, 2.0944, 4.1888))
    bungee_reach: jax.Array = parameter("m", "of the anchors from the axis", default=1.2, above=0.0)
    bungee_place: jax.Array = parameter("m", "of their ends below the attachment", default=0.35)
    bungee_length: jax.Array = parameter("m", "unstretched", default=0.8, above=0.0)
    bungee_extension: jax.Array = parameter("m", "table: extension", default=(0.0, 0.1, 0.3, 0.6, 1.0))
    bungee_force: jax.Array = parameter("N", "table: force", default=(0.0, 180.0, 360.0, 600.0, 960.0))
    bungee_damping: jax.Array = parameter("N s/m", "of a bungee", default=28.0, at_least=0.0)
    side_pull: jax.Array = parameter("N", "of cables, x and y", default=(0.0, 0.0))
    receiver: Receiver = eqx.field(default_factory=strike_line)
    start_angles: jax.Array = parameter("rad", "swing at the start, about y and about z", default=(0.0, 0.0))

    def __check_init__(self):
        self.chain.with_body(self.mass, self.centre)  # refuses chains that cannot carry a body

    @property
    def loaded_chain(self) -> Any:
        """The rope with the body as two masses, at the attachment and beyond its centre."""
        reach = self.centre + self.inertia / (self.mass * self.centre)
        far = self.mass * self.centre / reach
        chain: Any = self.chain.with_body(far, reach, self.joint_damping)
        return dataclasses.replace(chain, node_mass=jnp.zeros(chain.n).at[-2].set(self.mass - far))

    def init(self):
        chain = self.loaded_chain
        angles = jnp.broadcast_to(-self.start_angles[:, None], (2, chain.n))
        rope = chain.placed(direction(*angles), chain.lengths()[0])
        return {"rope": rope, "impulse": jnp.zeros(3), "work": jnp.zeros(())}

    def place(self, x) -> tuple[jax.Array, jax.Array]:
        """Positions [m] and velocities [m/s] (3, n + 1) of the nodes, the attachment last but one."""
        nodes = self.loaded_chain.nodes(x["rope"])
        return flown(nodes.position), flown(nodes.velocity)

    def centre_and_tip(self, x) -> tuple[jax.Array, jax.Array]:
        """Centre of mass (3,) [m], and angles (2,) [rad] about y and z from where it hangs."""
        r, _ = self.place(x)
        down = _unit(r[:, -1] - r[:, -2])
        return r[:, -2] + self.centre * down, tilt(down) - jnp.array([HANGING, 0.0])

    def bungees(self, r: jax.Array, v: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Pull (3,) [N] of bungees and cables on the body, and the share of it that its far mass takes."""
        share = self.bungee_place / jnp.sqrt(
            jnp.sum((r[:, -1] - r[:, -2]) ** 2)
        )  # lever rule between its masses
        place, speed = ((1 - share) * a[:, -2] + share * a[:, -1] for a in (r, v))
        anchors = jnp.stack(
            [
                self.bungee_reach * jnp.cos(self.bungee_azimuth),
                self.bungee_reach * jnp.sin(self.bungee_azimuth),
                jnp.full(3, self.chain.length + self.bungee_place),
            ]
        )
        away = anchors - place[:, None]
        length = jnp.sqrt(jnp.sum(away**2, axis=0))
        towards = away / length
        stretch = length - self.bungee_length
        pull = jnp.interp(stretch, self.bungee_extension, self.bungee_force)
        pull = jnp.maximum(pull - self.bungee_damping * (speed @ towards), 0.0)
        return towards @ jnp.where(stretch > 0, pull, 0.0) + jnp.append(self.side_pull, 0.0), share

    def _solved(self, x, force) -> tuple[jax.Array, jax.Array, Loads, Solved]:
        chain, (r, v) = self.loaded_chain, self.place(x)
        wrench = jnp.broadcast_to(jnp.asarray(force, float), (6,))
        lever = jnp.cross(-self.flange * jnp.eye(3)[0], wrench[:3])  # from the flange to the attachment
        last = r[:, -1] - r[:, -2]
        R = rotation(tilt(_unit(last)))
        pair = R @ couple(wrench[3:] + lever, jnp.sqrt(last @ last))
        pull, share = self.bungees(r, v)
        node = jnp.zeros((3, chain.n + 1))
        node = node.at[:, -2].set(R @ wrench[:3] - pair + (1 - share) * pull)
        node = node.at[:, -1].set(pair + share * pull)
        loads = Loads(towed(GRAVITY * DOWN), towed(node))
        return r, v, loads, chain.solve(0.0, x["rope"], loads)

    def derivative(self, t, x, u):
        _, _, loads, solved = self._solved(x, u["force"])
        impulse, power = self.loaded_chain.balance(x["rope"], loads, solved)
        return {"rope": solved.rate, "impulse": impulse, "work": power}

    def output(self, t, x, u):
        r, v, _, solved = self._solved(x, u["force"])
        drogue, _ = tail(r, v, flown(solved.acceleration))
        R = rotation(jnp.array([HANGING, 0.0]))
        place, velocity, acceleration = (R @ a for a in self.receiver.path(t))
        place = place + (self.chain.length + self.flange) * DOWN
        flange, home = -self.flange * jnp.eye(3)[0], self.receiver.home
        pose, motion = seen_from(drogue, (place, velocity, acceleration), R @ home.R, home, flange)
        momentum, energy = self.loaded_chain.account(x["rope"])
        centre, tip = self.centre_and_tip(x)
        return {
            **motion,
            "nozzle_pose": jnp.concatenate([pose.p, logarithm(pose.R)]),
            "drogue_position": centre,
            "ball_joint_position": r[:, -2],
            "tipping": tip,
            "end_tension": solved.tension[-2],
            "momentum_residual": flown(momentum - x["impulse"]),
            "kinetic_energy": energy,
            "energy_residual": energy - x["work"],
        }


def _unit(a: jax.Array) -> jax.Array:
    return a / jnp.sqrt(a @ a)
