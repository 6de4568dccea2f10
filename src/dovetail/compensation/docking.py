r"""Docking through instruments whose energy error is compensated: lead, model, passivity.

A rig that is late makes a collision generate energy. Three remedies, apart or together:

*Lead*: the robot is commanded ahead along the bodies' motion, :math:`z + T\dot z + \tfrac12T^2\ddot z`, with
T the lag of robot and sensor. Needs no model of the contact; knows of an impact only once
its force has come back.

*Model*: a model of contact and instruments runs beside the rig, and the wrench that is used is the model's
without delay plus what the rig measured differently from the model's delayed one (a Smith predictor),

.. math:: w = w_m(z) + \left(s - s_m\right).

With a perfect model the bodies feel an ideal contact and the rig follows; what the model has wrong comes back
late, as without it.

*Passivity*: an observer keeps account of the energy the rig has generated, what the bodies were given less
what the contact gave,

.. math:: E = \int \left(w\cdot V_{bodies} - \hat w\cdot V_{robot}\right) dt,\qquad \hat w = s + T_s\dot s

from signals any rig has; a controller brakes the bodies along the normal with the power :math:`g\,E` until
it is paid back, :math:`f = -g\,E\,v_n/(v_n^2 + v_0^2)\,n`. Needs no model at all and holds the energy, not
the trajectory. It acts while a contact is fresh and pays back what little is left in free flight.

After Hannaford & Ryu's time-domain passivity control; not in Bondoky's thesis, which names compensation as
its first open question.
"""

from __future__ import annotations

from typing import Any, ClassVar

import jax
import jax.numpy as jnp

from dovetail.core import parameter
from dovetail.mechanics.bodies.free_bodies import as_motion
from dovetail.mechanics.spatial import Twist, Wrench
from dovetail.specimens.probe_in_drogue import BallInCavity
from dovetail.specimens.six_dof_loop import HilDocking, lag_rate


class CompensatedDocking(HilDocking):
    """A HIL docking with any of the three remedies; all off by default."""

    references: ClassVar[dict[str, str]] = {"hannaford2002": "time-domain passivity observer and controller"}

    lead: jax.Array = parameter("s", "how far ahead the robot is commanded", at_least=0.0, default=0.0)
    passivity: jax.Array = parameter(
        "1/s", "share of the generated energy paid back in a second; 0 is off", at_least=0.0, default=0.0
    )
    slowest: jax.Array = parameter("m/s", "speed below which the brake fades", above=0.0, default=5e-3)
    model: BallInCavity | None = None  # of the contact, for the predictor; None is none

    def init(self) -> dict[str, Any]:
        x = {**super().init(), "generated": jnp.zeros(()), "paid_back": jnp.zeros(())}
        if self.model is not None:
            x |= {"model_robot": x["robot"], "model_sensor": x["sensor"]}
        return x

    def derivative(self, t, x, u):
        home, _ = self._home
        pose, twist = self.pair.relative(x["bodies"])
        now = self.contact(x, u)
        touch, rate = self.ball.approach(pose, twist)
        robot_pose, robot_twist = self.seen(x)

        # what the bodies are given
        read = self.felt(x)
        used = read
        if self.model is not None:
            modelled = self.model.contact(pose, twist, u)
            used = _six(modelled.wrench) + read - self.instruments.read(x["model_sensor"][0])
        brake = self.passivity * x["generated"] * rate / (rate**2 + self.slowest**2)  # [N] along the normal
        force = brake * touch.normal
        push = Wrench(used[:3] + force, used[3:] + jnp.cross(pose.p, force))
        bodies = self.pair.derivative(t, x["bodies"], push)

        # energy: what the bodies got without the brake, less what the contact gave as measured
        lag = 2 * self.instruments.sensor.damping / self.instruments.sensor.frequency
        s, ds = x["sensor"]
        given = _power(used, pose.p, twist)
        contact = _power(s + lag * ds, robot_pose.p, robot_twist)
        drained = brake * rate  # [W] positive: the brake takes energy out

        def motion(x):
            pose, twist = self.pair.relative(x)
            return as_motion(home, pose, twist)

        (z, dz), (_, ddz) = jax.jvp(motion, (x["bodies"],), (bodies,))
        command = z + self.lead * dz + self.lead**2 / 2 * ddz
        new = {
            "bodies": bodies,
            "impact_heat": now.impact_power,
            "friction_heat": now.friction_power,
            "robot": lag_rate(self.instruments.robot, x["robot"], command),
            "sensor": lag_rate(self.instruments.sensor, x["sensor"], _six(now.wrench)),
            "generated": given - contact - drained,
            "paid_back": drained,
        }
        if self.model is not None:
            y, dy = x["model_robot"]
            seen = self.model.contact(*self._placed(y, dy), u)
            new |= {
                "model_robot": lag_rate(self.instruments.robot, x["model_robot"], command),
                "model_sensor": lag_rate(self.instruments.sensor, x["model_sensor"], _six(seen.wrench)),
            }
        return new

    def output(self, t, x, u):
        return {**super().output(t, x, u), "generated": x["generated"], "paid_back": x["paid_back"]}

    def settled(self, x):
        quiet = super().settled(x)
        # a debt below a thousandth of a joule is left: paying it would keep the steps short for ever
        return quiet & ((self.passivity == 0) | (jnp.abs(x["generated"]) < 1e-3))

    def coast(self, x, h):
        new = super().coast(x, h)
        pose, twist = self.pair.relative(x["bodies"])
        ahead = self.lead * as_motion(self._home[0], pose, twist)[1]
        y, dy = x["robot"]
        (y, dy, _), _ = self.instruments.robot.step(
            0.0, h, (y, dy, self._demand(x) + ahead), self._demand(new) + ahead
        )
        new = {**new, "robot": (y, dy)}
        if self.model is not None:
            y, dy = x["model_robot"]
            (y, dy, _), _ = self.instruments.robot.step(
                0.0, h, (y, dy, self._demand(x) + ahead), self._demand(new) + ahead
            )
            new |= {"model_robot": (y, dy), "model_sensor": new["sensor"]}
        return new


def _six(wrench: Wrench) -> jax.Array:
    return jnp.concatenate([wrench.f, wrench.tau])


def _power(wrench_D: jax.Array, p: jax.Array, twist: Twist) -> jax.Array:
    """Power [W] of a wrench about D on a body whose point at p has this twist, both in D."""
    return Wrench(wrench_D[:3], wrench_D[3:]).at(p).power(twist)
