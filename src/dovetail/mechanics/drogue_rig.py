r"""The validation rig: a drogue hung on a rope, held aside by three bungees, struck from below by a driven probe.

The rope is a chain of links with small masses; the drogue with its reaction mass is a rigid body at its end, of mass M,
centre of mass at c below the attachment, and inertia J about it. Its two moments about any transverse axis are those
of two masses on the chain, at the attachment and at :math:`l = c + J/(Mc)` below it, which is how it enters the
equations of `Hose`. Twist about the axis is not modelled. A bungee pulls along the line to its anchor by a table of
force over extension, and a viscous damper along it; friction at the attachment resists turning. A steady pull stands
for cables that lead off to one side.

The interface is that of `DrogueHose`: pose of the nozzle in the drogue's frame, x along its axis towards the rope,
origin at the drogue's flange below the attachment, and the wrench on the drogue there. Axes of the room: z down. The
published rig's numbers are lost; the defaults were chosen so that the strike at 1 m/s and 35 degrees moves and loads
it as described. Source: [Bolien 2018, ch. 5 sec. III and app. C].
"""

from __future__ import annotations

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4, count, kind, parameter
from dovetail.mechanics import hose_geometry as geometry
from dovetail.mechanics import hose_loads as loads
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.chain.base import after
from dovetail.mechanics.drogue_hose import vector_rate
from dovetail.mechanics.drogue_receiver import Receiver, SpeedProfile
from dovetail.mechanics.hose import Hose, HoseMotion, HoseSolved
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import logarithm

HANGING = jnp.pi / 2  # [rad] of a link that hangs straight down
CONTACT_DEPTH, CONTACT_RADIUS, RUN_UP = 0.4424, 0.15, 0.18  # [m] where a rib is struck, and the way to it


def strike_line(
    angle: Any = 0.0, *, radius: Any = CONTACT_RADIUS, speed: Any = 1.0, depth: Any = CONTACT_DEPTH
):
    """The probe's line: it meets the drogue `radius` [m] from its axis, outwards by `angle` [rad], after 180 mm."""
    back = RUN_UP * jnp.asarray(angle, float)
    return Receiver(
        approach=SpeedProfile(speed=speed),
        offset=radius - RUN_UP * jnp.sin(angle),
        start=depth + RUN_UP * jnp.cos(angle) + 0 * back,
        incidence=-jnp.asarray(angle, float),
    )


@kind("hung-drogue")
class HungDrogue(Substructure):
    """Rope, drogue with reaction mass and three bungees, and the probe's way; six interface axes."""

    large: ClassVar[bool] = True
    turning: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
    ideal: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 1}

    rope_links: int = count("links of the rope", default=3, at_least=2)
    rope_length: jax.Array = parameter("m", "of the rope", default=1.5, above=0.0)
    rope_mass: jax.Array = parameter("kg", "of the rope", default=1.5, above=0.0)
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

    @property
    def _chain(self) -> Hose:
        """The equations, with rope and body as lumps; nothing of the air."""
        reach = self.centre + self.inertia / (self.mass * self.centre)
        return Hose(
            links=self.rope_links,
            length=self.rope_length,
            specific_mass=self.rope_mass / self.rope_length,
            drogue_mass=self.mass * self.centre / reach,
            drogue_link=reach,
            modulus=0.0,
            shrink="none",
            tow_point=(0.0, 0.0, 0.0),
        )

    def init(self):
        angles = jnp.full((2, self.rope_links + 1), HANGING).at[1].set(0.0) + self.start_angles[:, None]
        start = {"angles": angles, "impulse": jnp.zeros(3), "work": jnp.zeros(())}
        return start, jnp.zeros_like(angles)

    def motion(self, x) -> HoseMotion:
        """Where rope and drogue are."""
        m = self._chain.motion(x[0]["angles"], x[1])
        return eqx.tree_at(lambda m: m.mass, m, m.mass.at[-2].add(self.mass - m.mass[-1]))

    def forces(self, m: HoseMotion) -> jax.Array:
        """Weight, bungees and friction on the masses, (3, n) [N]."""
        down = jnp.eye(3)[2][:, None]
        force = m.mass * 9.81 * down
        axis = m.n[:, -1]
        place, speed = m.r[:, -2] - self.bungee_place * axis, m.v[:, -2] - self.bungee_place * m.turn[:, -1]
        anchors = jnp.stack(
            [
                self.bungee_reach * jnp.cos(self.bungee_azimuth),
                self.bungee_reach * jnp.sin(self.bungee_azimuth),
                jnp.full(3, self.rope_length + self.bungee_place),
            ]
        )
        away = anchors - place[:, None]
        length = jnp.sqrt(jnp.sum(away**2, axis=0))
        towards = away / length
        stretch = length - self.bungee_length
        pull = jnp.interp(stretch, self.bungee_extension, self.bungee_force)
        pull = jnp.maximum(pull - self.bungee_damping * (speed @ towards), 0.0)
        total = towards @ jnp.where(stretch > 0, pull, 0.0) + jnp.append(self.side_pull, 0.0)
        share = self.bungee_place / m.l[-1]  # the lever rule between the body's two masses
        force = force.at[:, -2].add((1 - share) * total).at[:, -1].add(share * total)
        pair = loads.joint_friction(m.n, m.turn, m.l, self.joint_damping)
        return force + pair - after(pair)

    def solve(self, x, force) -> tuple[HoseMotion, HoseSolved]:
        """Motion, accelerations and tensions under a wrench (6,) on the drogue."""
        m, _, solved = self._solved(x, force)
        return m, solved

    def _solved(self, x, force) -> tuple[HoseMotion, jax.Array, HoseSolved]:
        m = self.motion(x)
        wrench = jnp.broadcast_to(jnp.asarray(force, float), (6,))
        lever = jnp.cross(-self.flange * jnp.eye(3)[0], wrench[:3])  # from the flange to the attachment
        wrench = jnp.concatenate([wrench[:3], wrench[3:] + lever])
        acting = self.forces(m) + self._chain.contact(m, wrench)
        return m, acting, self._chain.solve(m, acting, (jnp.zeros(()), None))

    def derivative(self, t, x, u):
        m, acting, solved = self._solved(x, u["force"])
        impulse, power = self._chain.balance(m, acting, solved)
        return {"angles": x[1], "impulse": impulse, "work": power}, solved.angles

    def output(self, t, x, u):
        m, solved = self.solve(x, u["force"])
        pose, motion = self._interface(t, m, solved)
        return {
            **motion,
            "nozzle_pose": jnp.concatenate([pose.p, logarithm(pose.R)]),
            "drogue_position": m.r[:, -2] - self.centre * m.n[:, -1],
            "ball_joint_position": m.r[:, -2],
            "tipping": m.angles[:, -1] - jnp.array([HANGING, 0.0]),
            "end_tension": solved.tension[-2],
            "momentum_residual": self._chain.momentum(m) - x[0]["impulse"],
            "kinetic_energy": (energy := self._chain.kinetic_energy(m)),
            "energy_residual": energy - x[0]["work"],
        }

    def _interface(self, t, m: HoseMotion, solved: HoseSolved) -> tuple[Pose, dict[str, jax.Array]]:
        """Pose of the nozzle in the drogue, and its motion on the six axes."""
        home = self.receiver.home
        R_0 = geometry.rotation(jnp.array([HANGING, 0.0]))
        place, velocity, acceleration = (R_0 @ a for a in self.receiver.path(t))
        place = place + (self.rope_length + self.flange) * jnp.eye(3)[2]
        R = geometry.rotation(m.angles[:, -1])
        w, w_rate = geometry.spin(m.angles[:, -1], m.rates[:, -1], solved.angles[:, -1])
        down = self.flange * jnp.eye(3)[0]
        p = R.T @ (place - m.r[:, -2]) + down
        r = p - down  # from the attachment, where the drogue's axes turn
        v = R.T @ (velocity - m.v[:, -2]) - jnp.cross(w, r)
        a = R.T @ (acceleration - solved.acceleration[:, -2])
        a = a - jnp.cross(w_rate, r) - jnp.cross(w, 2 * v + jnp.cross(w, r))
        pose = Pose(R.T @ R_0 @ home.R, p)
        phi = logarithm(home.R.T @ pose.R)
        turn, turn_rate = -home.R.T @ w, -home.R.T @ w_rate
        phi_1 = vector_rate(phi, turn)
        phi_2 = jax.jvp(vector_rate, (phi, turn), (phi_1, turn_rate))[1]
        return pose, {
            "displacement": jnp.concatenate([p - home.p, phi]),
            "velocity": jnp.concatenate([v, phi_1]),
            "acceleration": jnp.concatenate([a, phi_2]),
        }
