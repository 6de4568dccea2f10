"""Rotor on an airframe: force and moment about the centre of gravity from hub motion, wind and controls."""

from __future__ import annotations

from abc import abstractmethod

import jax
import jax.numpy as jnp

from dovetail.air.rotor.controls import Controls, RotorSchedule
from dovetail.air.rotor.rotor import Rotor, RotorLoads
from dovetail.air.wind import StillAir, WindField
from dovetail.core import Parameter, choice, kind, parameter
from dovetail.mechanics.bodies.loads import BodyLoad, BodyMotion


class RotorOnBody(BodyLoad):
    """Base of rotors on an airframe; subclasses set the controls.

    The rotor's axes are those of the airframe (forward, port, up); its shaft is not tilted. The wind is evaluated at
    the hub or, with `wind_at`, at each element.
    """

    rotor: Rotor
    schedule: RotorSchedule
    wind: WindField = StillAir()
    hub: Parameter = parameter(
        "m", "position of the hub in the axes of the airframe's data", default=(0.0, 0.0, 0.5)
    )
    density: Parameter = parameter("kg/m^3", "density of the air", default=1.225, at_least=0.0)
    wind_at: str = choice("hub", "elements", about="where the wind is evaluated", default="hub")

    def __check_init__(self) -> None:
        self.wind.check_without_stream(f"{type(self).__name__}.wind")

    @property
    def valid_until(self) -> float:
        """Time [s] up to which controls and wind have data."""
        return min(self.schedule.valid_until, self.wind.valid_until)

    def loads(self, t: jax.Array, motion: BodyMotion) -> RotorLoads:
        """Loads of the rotor on its hub, in body axes."""
        arm = self.hub - motion.offset
        velocity = motion.velocity + jnp.cross(motion.spin, arm)
        offsets = arm + (self.rotor.element_positions() if self.wind_at == "elements" else jnp.zeros(3))
        positions = motion.position + offsets @ motion.rotation.T
        wind = self.wind.velocity(t, positions.T).T @ motion.rotation
        return self.rotor.loads(self.commands(t, motion), velocity, motion.spin, wind, self.density)

    @abstractmethod
    def commands(self, t: jax.Array, motion: BodyMotion) -> Controls:
        """Return the controls at t [s]."""

    def act(self, t, motion):
        loads = self.loads(t, motion)
        return loads.force, loads.moment + jnp.cross(self.hub - motion.offset, loads.force)


@kind("rotor-load")
class RotorLoad(RotorOnBody):
    """Rotor whose controls follow a schedule, independent of the airframe's motion."""

    def commands(self, t, motion):
        return self.schedule(t)
