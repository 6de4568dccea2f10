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
time since first contact, which starts the reel, is a state as well. So are the impulse and the work of all forces: what
momentum and energy of the hose differ from them by is recorded as an audit of every run. Source: [Bolien 2018, secs
3.5 and 5-IV].
"""

from __future__ import annotations

from typing import Any, ClassVar

import equinox as eqx
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

    large: ClassVar[bool] = True
    turning: ClassVar[tuple[bool, ...]] = (False, False, False, True, True, True)
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
        return _start(self, trim_angles(self.hose, self.air))  # type: ignore[no-any-return]

    def motion(self, t, x) -> HoseMotion:
        """Where hose and drogue are."""
        q, v = x
        return self.hose.motion(
            q["angles"], v["angles"], q["reeled"], v["reeled"], self.tow.motion(t, self.hose.tow_point)[:2]
        )

    def solve(self, t, x, force) -> tuple[HoseMotion, HoseSolved]:
        """Motion, accelerations and tensions under a wrench (6,) on the drogue."""
        m, _, solved = self._solved(t, x, force)
        return m, solved

    def _solved(self, t, x, force) -> tuple[HoseMotion, jax.Array, HoseSolved]:
        q, v = x
        m = self.motion(t, x)
        nozzle = self.nozzle(t, q["datum"])
        acting = still_forces(self.hose, self.air, m, t, nozzle[0]) + self.hose.contact(m, _six(force))
        drive = self.drum.drive(self.reel.told(t, q["since_contact"]), q["reeled"], v["reeled"])
        return m, acting, self.hose.solve(m, acting, drive, top=self.tow.motion(t, self.hose.tow_point)[2])

    def derivative(self, t, x, u):
        q, v = x
        m, acting, solved = self._solved(t, x, u["force"])
        impulse, power = self.hose.balance(m, acting, solved)
        touched = (q["since_contact"] > 0) | jnp.any(jnp.abs(_six(u["force"])[:3]) > self.touch)
        places = {
            "angles": v["angles"],
            "reeled": v["reeled"],
            "since_contact": jnp.where(touched, 1.0, 0.0),
            "datum": jnp.zeros_like(q["datum"]),
            "impulse": impulse,
            "work": power,
        }
        return places, {"angles": solved.angles, "reeled": solved.reel}

    def output(self, t, x, u):
        m, solved = self.solve(t, x, u["force"])
        q = x[0]
        pose, motion = self._interface(t, q["datum"], m, solved)
        return {
            **motion,
            "nozzle_pose": jnp.concatenate([pose.p, logarithm(pose.R)]),
            "drogue_position": m.r[:, -1],
            "ball_joint_position": m.r[:, -2],
            "nozzle_position": self.nozzle(t, q["datum"])[0],
            "tipping": q["angles"][:, -1] - q["datum"][3:],
            "end_tension": solved.tension[-2],
            "tow_tension": solved.tension[0],
            "reeled_length": q["reeled"],
            "hose_position": m.r,
            "momentum_residual": self.hose.momentum(m) - q["impulse"],
            "kinetic_energy": (energy := self.hose.kinetic_energy(m)),
            "energy_residual": energy - q["work"],
        }

    def _interface(self, t, datum, m: HoseMotion, solved: HoseSolved) -> tuple[Pose, dict[str, jax.Array]]:
        """Pose of the nozzle in the drogue, and its motion on the six axes: the observer rides on the drogue."""
        home = self.receiver.home
        place, velocity, acceleration = self.nozzle(t, datum)
        R = geometry.rotation(m.angles[:, -1])
        w, w_rate = geometry.spin(m.angles[:, -1], m.rates[:, -1], solved.angles[:, -1])
        p = R.T @ (place - m.r[:, -2])
        v = R.T @ (velocity - m.v[:, -2]) - jnp.cross(w, p)
        a = R.T @ (acceleration - solved.acceleration[:, -2])
        a = a - jnp.cross(w_rate, p) - jnp.cross(w, 2 * v + jnp.cross(w, p))
        pose = Pose(R.T @ (geometry.rotation(datum[3:]) @ home.R), p)

        phi = logarithm(home.R.T @ pose.R)
        turn, turn_rate = -home.R.T @ w, -home.R.T @ w_rate
        phi_1 = vector_rate(phi, turn)
        phi_2 = jax.jvp(vector_rate, (phi, turn), (phi_1, turn_rate))[1]
        return pose, {
            "displacement": jnp.concatenate([p - home.p, phi]),
            "velocity": jnp.concatenate([v, phi_1]),
            "acceleration": jnp.concatenate([a, phi_2]),
        }

    def nozzle(self, t, datum) -> tuple[jax.Array, jax.Array, jax.Array]:
        """Place, velocity and acceleration of the nozzle in the tanker's frame, (3,) each."""
        place, velocity, acceleration = self.receiver.path(t)
        R = geometry.rotation(datum[3:])
        return datum[:3] + R @ place, R @ velocity, R @ acceleration


@eqx.filter_jit  # some hundred small operations, each of which would compile by itself
def _start(flow: DrogueHose, angles: jax.Array):
    """Steady flight, and the drogue's place in it."""
    hose = flow.hose
    zero = jnp.zeros(())
    m = hose.motion(angles, jnp.zeros_like(angles), top=flow.tow.motion(0.0, hose.tow_point)[:2])
    datum = jnp.concatenate([m.r[:, -2], angles[:, -1]])
    places = {
        "angles": angles,
        "reeled": zero,
        "since_contact": zero,
        "datum": datum,
        "impulse": hose.momentum(m),  # momentum and energy of the start, to which impulse and work add up
        "work": hose.kinetic_energy(m),
    }
    return places, {"angles": jnp.zeros_like(angles), "reeled": zero}


def vector_rate(phi: jax.Array, w: jax.Array) -> jax.Array:
    r"""Rate of a rotation vector under an angular velocity w (3,) in the fixed axes.

    .. math::

        \dot\phi = w - \tfrac12\phi\times w
            + \frac{1 - \frac\theta2\cot\frac\theta2}{\theta^2}\,\phi\times(\phi\times w)
    """
    square = phi @ phi
    small = square < 1e-2
    half = 0.5 * jnp.sqrt(jnp.where(small, 1.0, square))
    # the series' next term is 1e-13 there
    series = 1 / 12 + square * (1 / 720 + square * (1 / 30240 + square / 1209600))
    c = jnp.where(small, series, (1 - half / jnp.tan(half)) / jnp.where(small, 1.0, square))
    across = jnp.cross(phi, w)
    return w - 0.5 * across + c * jnp.cross(phi, across)


def _six(force) -> jax.Array:
    return jnp.broadcast_to(jnp.asarray(force, float), (6,))
