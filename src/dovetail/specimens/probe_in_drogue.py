r"""A spherical probe tip in a drogue: the specimen of a six-axis docking test.

The imposed motion is that of the tip in the drogue's frame D on six axes (see
`mechanics.bodies.free_bodies`). Where the ball overlaps the wall by :math:`\delta`, a normal law gives
:math:`F_N(\delta, \dot\delta, \dot\delta_i)` along the wall's normal n and a friction law a force against the
slip, in any direction of the tangent plane:

.. math:: f = F_N\,n + F_t(F_N, v_t),\qquad v_t = v - (v\cdot n)\,n,\qquad \tau_D = c \times f

with v the velocity, relative to D, of the ball's material at the contact point c. What is returned is the
wrench on the probe about its tip: the force in the axes of D, the moment in those the tip had at the start.

The source takes the velocity of the ball's centre and slip in the meridian plane only [Bondoky 2020, secs
6.3.3 and 6.3.4]; both are special cases. One contact point, no friction torque about the normal, no latches.
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known
from dovetail.mechanics.bodies.free_bodies import from_motion
from dovetail.mechanics.contact import Latch, Meeting, Met, NormalLaw
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.geometry import Cavity, Drogue, Touch
from dovetail.mechanics.spatial import Pose, Twist, Wrench, euler
from dovetail.specimens.base import Specimen


class Contact(eqx.Module):
    """What goes on between ball and wall at one instant."""

    touch: Touch
    met: Met
    wrench: Wrench  # on the ball, about the origin of D, in D
    stored: jax.Array  # [J] elastic energy


class BallInCavity(Part):
    """A ball, a wall, and the laws between them; what is remembered is in the hand."""

    cavity: Cavity
    law: NormalLaw
    friction: Friction
    radius: jax.Array = parameter("m", "radius of the probe's tip", above=0.0)
    latch: Latch = Latch()

    @property
    def meeting(self) -> Meeting:
        """The laws between ball and wall."""
        return Meeting(self.law, self.friction, self.latch)

    def approach(self, pose: Pose, twist: Twist) -> tuple[Touch, jax.Array]:
        """Where ball and wall are nearest, and the rate of the depth [m/s]."""
        touch = self.cavity.touch(pose.p, self.radius)
        return touch, -jnp.sum(touch.normal * twist.v)

    def contact(self, pose: Pose, twist: Twist, memory: dict[str, jax.Array]) -> Contact:
        """Everything about the contact of a ball with a pose and a twist in D; `memory` as `Meeting` has it."""
        touch = self.cavity.touch(pose.p, self.radius)
        met = self.meeting.at(memory, touch.gap, touch.normal, twist.at(touch.on_ball - pose.p).v)
        wrench = Wrench(met.force, jnp.cross(touch.on_ball, met.force))
        return Contact(touch, met, wrench, self.law.stored_energy(touch.depth))


def misfit(cavity: Cavity, radius) -> str | None:
    """What is wrong with a ball that cannot enter, in words; None where it can."""
    if not isinstance(cavity, Drogue) or float(radius) < float(cavity.cylinder_radius):
        return None
    bore = 1e3 * float(cavity.cylinder_radius)
    size = f"{1e3 * float(radius):g} mm does not fit into the cylinder of {bore:g} mm"
    return f"{size}; it could never come home"


@kind("probe-in-drogue")
class ProbeInDrogue(Specimen):
    """Probe tip and drogue, or any other cavity, with a contact law and friction; six axes.

    `home` and `home_euler` are the tip's pose in D at zero displacement: those of the numerical substructure.
    """

    large: ClassVar[bool] = True  # some five hundred operations

    cavity: Cavity
    law: NormalLaw
    friction: Friction
    radius: jax.Array = parameter("m", "radius of the probe's tip", above=0.0)
    home: jax.Array = parameter("m", "tip in D at zero displacement")
    home_euler: jax.Array = parameter("rad", "roll, pitch, yaw of the tip's frame in D at zero displacement")
    latch: Latch = Latch()

    def __check_init__(self):
        super().__check_init__()
        if not known(*jax.tree.leaves(self)):
            return
        touch = self.cavity.touch(self.home, self.radius)
        if self.home[0] <= self.cavity.mouth and float(touch.gap) < 0:
            raise ParameterError(
                f"ProbeInDrogue.home: the tip overlaps the wall by {-1e3 * float(touch.gap):.3g} mm at the "
                "start; move it towards the axis or out of the drogue"
            )
        too_large = misfit(self.cavity, self.radius)
        if too_large:
            raise ParameterError(f"ProbeInDrogue.radius: {too_large}")

    def ending(self, displacement: np.ndarray) -> tuple[int, str] | None:
        """Joined when the front of the ball reaches the bottom; parted when its centre is out and goes away."""
        x = float(self.home[0]) + np.asarray(displacement)[:, 0]
        outward = np.diff(x, prepend=x[0]) > 0
        home, out = x <= float(self.radius), (x > float(self.cavity.mouth)) & outward
        over = np.flatnonzero(home | out)
        return (int(over[0]), "joined" if home[over[0]] else "parted") if over.size else None

    @property
    def ball(self) -> BallInCavity:
        """The contact without its memory."""
        return BallInCavity(self.cavity, self.law, self.friction, self.radius, self.latch)

    def init(self) -> dict[str, jax.Array]:
        sums = dict.fromkeys(("impact_heat", "friction_heat", "touched"), jnp.zeros(()))
        return {**self.ball.meeting.init(3), **sums}

    def derivative(self, t, x, u):
        return self.rates(self._contact(x, u).met)

    def rates(self, met: Met) -> dict[str, jax.Array]:
        """Of the state, from what goes on at the wall."""
        return {
            **met.rate,
            "impact_heat": met.impact_power,
            "friction_heat": met.friction_power,
            "touched": jnp.where(met.depth > 0, 1.0, 0.0),
        }

    @property
    def jumps(self) -> bool:
        """Whether anything is remembered from step to step."""
        return self.ball.meeting.jumps

    def jump(self, t, x, u):
        return {**x, **self.ball.meeting.after(x, self._contact(x, u).met)}

    def output(self, t, x, u):
        contact = self._contact(x, u)
        wrench = contact.wrench.at(self.home + u["displacement"][:3])
        return {
            "force": jnp.concatenate([wrench.f, euler.to_matrix(self.home_euler).T @ wrench.tau]),
            "depth": contact.touch.depth,
            "normal_force": contact.met.normal_force,
            "contact_energy": contact.stored,
            "contact_heat": x["impact_heat"],
            "friction_heat": x["friction_heat"],
            "contact_time": x["touched"],
        }

    def seen(self, u) -> tuple[Pose, Twist]:
        """Pose and twist in D of the ball that an imposed motion makes."""
        home = Pose(euler.to_matrix(self.home_euler), self.home)
        return from_motion(home, u["displacement"], u["velocity"])

    def _contact(self, x, u) -> Contact:
        return self.ball.contact(*self.seen(u), x)
