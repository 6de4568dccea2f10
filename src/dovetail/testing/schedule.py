"""Parameters that change during a run: gain ramps, switching over, any parameter of the test.

A schedule maps the path of a parameter (`"feedback.share"`) to a profile, a function of time. The loop
puts the profile's value into the test in every tick; nothing else knows about it.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter
from dovetail.core.units import PARAMETER
from dovetail.testing.paths import spread


class Profile(Part):
    """A parameter's value as a function of time."""

    @abstractmethod
    def __call__(self, t) -> jax.Array:
        """Value at t [s]."""

    @property
    def ends(self) -> float:
        """Time [s] from which it no longer changes."""
        return 0.0


@kind("ramp")
class Ramp(Profile):
    """From one value to another in a straight line, constant before and after."""

    begin: jax.Array = parameter("s", "start of the ramp")
    end: jax.Array = parameter("s", "end of the ramp")
    before: jax.Array = parameter(PARAMETER, "value until the ramp starts")
    after: jax.Array = parameter(PARAMETER, "value once it has ended")

    @property
    def ends(self) -> float:
        return float(jnp.max(self.end))

    def __call__(self, t):
        share = jnp.clip((t - self.begin) / jnp.maximum(self.end - self.begin, 1e-300), 0.0, 1.0)
        return self.before + share * (self.after - self.before)


@kind("switch")
class Switch(Profile):
    """One value until a moment, another from then on."""

    at: jax.Array = parameter("s", "moment of the switch")
    before: jax.Array = parameter(PARAMETER, "value until then")
    after: jax.Array = parameter(PARAMETER, "value from then on")

    @property
    def ends(self) -> float:
        return float(jnp.max(self.at))

    def __call__(self, t):
        return jnp.where(t < self.at, self.before, self.after)


def apply(schedule: dict[str, Profile], test: Any, t) -> Any:
    """The test as it is at t [s]."""
    for path, profile in schedule.items():
        test = spread(test, path, profile(t))
    return test
