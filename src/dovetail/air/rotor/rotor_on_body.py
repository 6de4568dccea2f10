"""A rotor on an airframe: hub motion, wind and controls in, force and moment about the centre of gravity out."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.air.rotor.controls import Controls, RotorSchedule
from dovetail.air.rotor.rotor import Rotor, RotorLoads
from dovetail.air.wind import StillAir, WindField
from dovetail.core import choice, kind, parameter
from dovetail.mechanics.bodies.loads import BodyLoad, BodyMotion


class RotorOnBody(BodyLoad):
    """A rotor on an airframe, whoever sets its controls.

    The rotor's axes are those of the airframe (forward, port, up); its shaft is not tilted. The wind is read at the
    hub, or at every element where it differs across the disc (`wind_at`).
    """

    rotor: Rotor
    schedule: RotorSchedule
    wind: WindField = StillAir()
    hub: jax.Array = parameter("m", "hub in the axes of the airframe's data", default=(0.0, 0.0, 0.5))
    density: jax.Array = parameter("kg/m^3", "density of the air", default=1.225, at_least=0.0)
    wind_at: str = choice("hub", "elements", about="where the wind is read", default="hub")

    def __check_init__(self):
        self.wind.check_without_stream(f"{type(self).__name__}.wind")

    @property
    def ends(self) -> float:
        """Time [s] up to which controls and wind are given."""
        return min(self.schedule.ends, self.wind.ends)

    def loads(self, t: jax.Array, motion: BodyMotion) -> RotorLoads:
        """What the rotor does to its hub, in body axes."""
        arm = self.hub - motion.offset
        velocity = motion.velocity + jnp.cross(motion.spin, arm)
        places = arm + (self.rotor.places() if self.wind_at == "elements" else jnp.zeros(3))
        at = motion.position + places @ motion.rotation.T
        wind = self.wind.velocity(t, at.T).T @ motion.rotation
        return self.rotor.loads(self.commands(t, motion), velocity, motion.spin, wind, self.density)

    @abstractmethod
    def commands(self, t: jax.Array, motion: BodyMotion) -> Controls:
        """What is set at t [s]."""

    def act(self, t, motion):
        got = self.loads(t, motion)
        return got.force, got.moment + jnp.cross(self.hub - motion.offset, got.force)


@kind("rotor-load")
class RotorLoad(RotorOnBody):
    """A rotor whose controls follow their schedule, however the airframe moves."""

    def commands(self, t, motion):
        return self.schedule(t)
