r"""A drogue on its hose behind a tanker, and a receiver's nozzle on its way: the numerical part of a refuelling test.

What crosses the interface is the pose of the nozzle N in the drogue's frame D (origin in the ball joint, x forward
along the drogue's axis, y to starboard, z down), counted from where it is at the start, so that a rig starts from
rest:

.. math:: z = \left(p_{DN} - p_{DN}(0),\; \log\!\left(R_{DN}(0)^{\mathsf T} R_{DN}\right)\right)

three lengths in the axes of D and a rotation vector. What comes back is the contact's wrench on the drogue about
the ball joint, in the axes of D; its moment about the drogue's axis is lost, as twist is locked. A spring at
the contact thus answers a forward motion of the nozzle with a forward force. The pose itself is recorded as
`nozzle_pose`.

The receiver's line is laid out from the drogue's place in steady flight, which the state keeps as `datum`; the
time since first contact, which starts the reel, is a state as well. Source: [Bolien 2018, secs 3.5 and 5-IV].
"""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import RK4, kind, parameter
from dovetail.mechanics import hose_geometry as geometry
from dovetail.mechanics.base import Substructure
from dovetail.mechanics.drogue_receiver import Receiver
from dovetail.mechanics.hose import Hose, HoseMotion, HoseSolved
from dovetail.mechanics.hose_air import HoseAir, UniformAir
from dovetail.mechanics.hose_reel import ContactReel, Drum, ExactDrum, ReelLaw
from dovetail.mechanics.hose_tow import SteadyTow, TowMotion
from dovetail.mechanics.hose_trim import still_forces, trim_angles
from dovetail.mechanics.spatial import Pose
from dovetail.mechanics.spatial.rotation import logarithm

AXES = ("x", "y", "z", "roll", "pitch", "yaw")


@kind("drogue-hose")
class DrogueHose(Substructure):
    """Tanker, drum, hose and drogue in their air, and the receiver's nozzle; six interface axes."""

    # contact lasts hundreds of ticks: fourth order is enough, and compiles in a tenth of the time
    ideal: ClassVar[dict[str, Any]] = {"method": RK4(), "substeps": 1}

    hose: Hose = Hose()
    air: HoseAir = UniformAir()
    receiver: Receiver = Receiver()
    reel: ReelLaw = ContactReel()
    drum: Drum = ExactDrum()
    tow: TowMotion = SteadyTow()
    touch: jax.Array = parameter("N", "force that counts as contact", default=1.0, above=0.0)

    def init(self) -> tuple[dict[str, jax.Array], dict[str, jax.Array]]:
        angles = trim_angles(self.hose, self.air)
        zero = jnp.zeros(())
        m = self.hose.motion(
            angles, jnp.zeros_like(angles), top=self.tow.motion(0.0, self.hose.tow_point)[:2]
        )
        datum = jnp.concatenate([m.r[:, -2], angles[:, -1]])
        places = {"angles": angles, "reeled": zero, "since_contact": zero, "datum": datum}
        return places, {"angles": jnp.zeros_like(angles), "reeled": zero}

    def motion(self, t, x) -> HoseMotion:
        """Where hose and drogue are."""
        q, v = x
        return self.hose.motion(
            q["angles"], v["angles"], q["reeled"], v["reeled"], self.tow.motion(t, self.hose.tow_point)[:2]
        )

    def solve(self, t, x, force) -> tuple[HoseMotion, HoseSolved]:
        """Motion, accelerations and tensions under a wrench (6,) on the drogue."""
        q, v = x
        m = self.motion(t, x)
        nozzle = self.nozzle(t, q["datum"])
        acting = still_forces(self.hose, self.air, m, t, nozzle[0]) + self.hose.contact(m, _six(force))
        drive = self.drum.drive(self.reel.told(t, q["since_contact"]), q["reeled"], v["reeled"])
        return m, self.hose.solve(m, acting, drive, top=self.tow.motion(t, self.hose.tow_point)[2])

    def derivative(self, t, x, u):
        q, v = x
        _, solved = self.solve(t, x, u["force"])
        touched = (q["since_contact"] > 0) | jnp.any(jnp.abs(_six(u["force"])[:3]) > self.touch)
        places = {
            "angles": v["angles"],
            "reeled": v["reeled"],
            "since_contact": jnp.where(touched, 1.0, 0.0),
            "datum": jnp.zeros_like(q["datum"]),
        }
        return places, {"angles": solved.angles, "reeled": solved.reel}

    def output(self, t, x, u):
        m, solved = self.solve(t, x, u["force"])
        rate = self.derivative(t, x, u)
        one = jnp.ones_like(jnp.asarray(t, float))

        def speed(t, x):
            moved = {**jax.tree.map(jnp.zeros_like, x[0]), "angles": x[1]["angles"], "reeled": x[1]["reeled"]}
            still = jax.tree.map(jnp.zeros_like, x[1])
            return jax.jvp(self.displacement, (t, x), (one, (moved, still)))

        t = jnp.asarray(t, float)
        (place, velocity), (_, acceleration) = jax.jvp(speed, (t, x), (one, rate))
        relative = self.nozzle_in_drogue(t, x)
        q = x[0]
        return {
            "displacement": place,
            "velocity": velocity,
            "acceleration": acceleration,
            "nozzle_pose": jnp.concatenate([relative.p, logarithm(relative.R)]),
            "drogue_position": m.r[:, -1],
            "ball_joint_position": m.r[:, -2],
            "nozzle_position": self.nozzle(t, q["datum"])[0],
            "tipping": q["angles"][:, -1] - q["datum"][3:],
            "end_tension": solved.tension[-2],
            "tow_tension": solved.tension[0],
            "reeled_length": q["reeled"],
            "hose_position": m.r,
        }

    def displacement(self, t, x) -> jax.Array:
        """Pose of the nozzle in the drogue, from the start on: (6,) [m, rad]."""
        pose, home = self.nozzle_in_drogue(t, x), self.receiver.home
        return jnp.concatenate([pose.p - home.p, logarithm(home.R.T @ pose.R)])

    def nozzle_in_drogue(self, t, x) -> Pose:
        """Pose of the nozzle in the drogue."""
        m, datum = self.motion(t, x), x[0]["datum"]
        R = geometry.rotation(m.angles[:, -1])
        R_TN = geometry.rotation(datum[3:]) @ self.receiver.home.R
        return Pose(R.T @ R_TN, R.T @ (self.nozzle(t, datum)[0] - m.r[:, -2]))

    def nozzle(self, t, datum) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Place, velocity and acceleration of the nozzle in the tanker's frame, (3,) each."""
        place, velocity, acceleration = self.receiver.path(t)
        R = geometry.rotation(datum[3:])
        return datum[:3] + R @ place, R @ velocity, R @ acceleration


def _six(force) -> jax.Array:
    return jnp.broadcast_to(jnp.asarray(force, float), (6,))
