r"""Spherical probe tip in a drogue: the specimen of a six-axis docking test.

The imposed motion is the motion of the tip in the drogue's frame D on six axes (see `mechanics.bodies.free_bodies`). If
the ball penetrates the wall by :math:`\delta`, a normal law gives :math:`F_N(\delta, \dot\delta, \dot\delta_i)` along
the wall's normal n. A friction law gives a force against the slip, in any direction of the tangent plane:

.. math:: f = F_N\,n + F_t(F_N, v_t),\qquad v_t = v - (v\cdot n)\,n,\qquad \tau_D = c \times f

with v the velocity, relative to D, of the ball's material at the contact point c. The output is the wrench on the probe
about its tip: the force in the axes of D, the moment in the initial axes of the tip.

The source uses the velocity of the ball's centre and slip in the meridian plane only [Bondoky 2020, secs
6.3.3 and 6.3.4]; both are special cases. The model has one contact point, no friction torque about the normal, and no
latches.
"""

from __future__ import annotations

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Input, Output, Parameter, Part, State, Time, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.bodies.free_bodies import from_motion
from dovetail.mechanics.contact import ContactForces, ImpactSpeedMemory, NormalLaw, SurfaceContact
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.geometry import Cavity, Drogue, NearestPoint
from dovetail.mechanics.spatial import Pose, Twist, Wrench, euler
from dovetail.specimens.base import Specimen


class Contact(eqx.Module):
    """Contact between ball and wall at one instant."""

    touch: NearestPoint
    met: ContactForces
    wrench: Wrench  # wrench on the ball about the origin of D, in D
    stored: jax.Array  # [J] elastic energy


class BallInCavity(Part):
    """Ball, wall and contact laws; the caller stores the contact states."""

    cavity: Cavity
    law: NormalLaw
    friction: Friction
    radius: Parameter = parameter("m", "radius of the probe's tip", above=0.0)
    impact_speed_memory: ImpactSpeedMemory = ImpactSpeedMemory()

    @property
    def surface_contact(self) -> SurfaceContact:
        """Normal and friction laws between ball and wall."""
        return SurfaceContact(self.law, self.friction, self.impact_speed_memory)

    def approach(self, pose: Pose, twist: Twist) -> tuple[NearestPoint, jax.Array]:
        """Nearest point of ball and wall, and the rate of the penetration [m/s]."""
        touch = self.cavity.touch(pose.p, self.radius)
        return touch, -jnp.sum(touch.normal * twist.v)

    def contact(self, pose: Pose, twist: Twist, memory: dict[str, jax.Array]) -> Contact:
        """Contact of a ball with a pose and a twist in D; `memory` holds the states of the surface contact."""
        touch = self.cavity.touch(pose.p, self.radius)
        met = self.surface_contact.forces(
            memory, touch.gap, touch.normal, twist.shift(touch.on_ball - pose.p).v
        )
        wrench = Wrench(met.force, jnp.cross(touch.on_ball, met.force))
        return Contact(touch, met, wrench, self.law.stored_energy(touch.depth))


def misfit_message(cavity: Cavity, radius: jax.Array | float) -> str | None:
    """Error text for a ball that does not fit into the cylinder; None if it fits."""
    if not isinstance(cavity, Drogue) or float(radius) < float(cavity.cylinder_radius):
        return None
    bore = 1e3 * float(cavity.cylinder_radius)
    return (
        f"{1e3 * float(radius):g} mm does not fit into the cylinder of {bore:g} mm; use a smaller tip radius"
    )


@kind("probe-in-drogue")
class ProbeInDrogue(Specimen):
    """Probe tip in a drogue or another cavity, with contact law and friction; six axes.

    `initial_position` and `initial_angles` are the pose of the tip in D at zero displacement. They must equal those of
    the numerical substructure.
    """

    large: ClassVar[bool] = True  # about five hundred operations

    cavity: Cavity
    law: NormalLaw
    friction: Friction
    radius: Parameter = parameter("m", "radius of the probe's tip", above=0.0)
    initial_position: Parameter = parameter("m", "position of the tip in D at zero displacement")
    initial_angles: Parameter = parameter(
        "rad", "roll, pitch, yaw of the tip's frame in D at zero displacement"
    )
    impact_speed_memory: ImpactSpeedMemory = ImpactSpeedMemory()

    def __check_init__(self) -> None:
        super().__check_init__()
        if not all_concrete(*jax.tree.leaves(self)):
            return
        touch = self.cavity.touch(self.initial_position, self.radius)
        if self.initial_position[0] <= self.cavity.mouth and float(touch.gap) < 0:
            raise ParameterError(
                f"ProbeInDrogue.initial_position: the tip penetrates the wall by {-1e3 * float(touch.gap):.3g} mm "
                "initially; move it towards the axis or out of the drogue"
            )
        misfit_text = misfit_message(self.cavity, self.radius)
        if misfit_text:
            raise ParameterError(f"ProbeInDrogue.radius: {misfit_text}")

    def end_event(self, displacement: np.ndarray) -> tuple[int, str] | None:
        """Docked when the front of the ball reaches the bottom; separated when its centre leaves the drogue."""
        x = float(self.initial_position[0]) + np.asarray(displacement)[:, 0]
        outward = np.diff(x, prepend=x[0]) > 0
        docked, separated = x <= float(self.radius), (x > float(self.cavity.mouth)) & outward
        ends = np.flatnonzero(docked | separated)
        return (int(ends[0]), "docked" if docked[ends[0]] else "separated") if ends.size else None

    @property
    def ball(self) -> BallInCavity:
        """Contact laws and geometry, without contact states."""
        return BallInCavity(self.cavity, self.law, self.friction, self.radius, self.impact_speed_memory)

    def init(self) -> dict[str, jax.Array]:
        sums = dict.fromkeys(("impact_heat", "friction_dissipation", "touched"), jnp.zeros(()))
        return {**self.ball.surface_contact.init(3), **sums}

    def derivative(self, t: Time, x: State, u: Input) -> State:
        return self.rates(self._contact(x, u).met)

    def rates(self, met: ContactForces) -> dict[str, jax.Array]:
        """Rates of the states from the contact forces."""
        return {
            **met.rate,
            "impact_heat": met.impact_power,
            "friction_dissipation": met.friction_power,
            "touched": jnp.where(met.depth > 0, 1.0, 0.0),
        }

    @property
    def jumps(self) -> bool:
        """True if the contact has states that change at each step."""
        return self.ball.surface_contact.jumps

    def jump(self, t: Time, x: State, u: Input) -> State:
        return {**x, **self.ball.surface_contact.update_memory(x, self._contact(x, u).met)}

    def guards(self, t: Time, x: State, u: Input) -> jax.Array:
        return self.ball.surface_contact.guards(self._contact(x, u).met)

    def output(self, t: Time, x: State, u: Input) -> Output:
        contact = self._contact(x, u)
        wrench = contact.wrench.shift(self.initial_position + u["displacement"][:3])
        return {
            "force": jnp.concatenate([wrench.f, euler.to_matrix(self.initial_angles).T @ wrench.tau]),
            "penetration": contact.touch.depth,
            "normal_force": contact.met.normal_force,
            "contact_energy": contact.stored,
            "contact_dissipation": x["impact_heat"],
            "friction_dissipation": x["friction_dissipation"],
            "contact_time": x["touched"],
        }

    def relative_motion(self, u: Input) -> tuple[Pose, Twist]:
        """Pose and twist of the ball in D for an imposed motion."""
        pose = Pose(euler.to_matrix(self.initial_angles), self.initial_position)
        return from_motion(pose, u["displacement"], u["velocity"])

    def _contact(self, x: State, u: Input) -> Contact:
        return self.ball.contact(*self.relative_motion(u), x)
