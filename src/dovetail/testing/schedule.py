"""Schedules: parameters that change during a run, for example gain ramps and switches.

A schedule maps a parameter path (`"feedback.measured_fraction"`) to a profile, a function of time. The loop sets the
parameter to the value of the profile in every tick.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TypeVar

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, Time, kind, parameter
from dovetail.core.units import PARAMETER
from dovetail.testing.paths import replace_all

T = TypeVar("T")


class Profile(Part):
    """Parameter value as a function of time."""

    @abstractmethod
    def __call__(self, t: Time) -> jax.Array:
        """Return the value at t [s]."""

    @property
    def constant_after(self) -> float:
        """Time [s] after which the value is constant."""
        return 0.0


@kind("ramp")
class Ramp(Profile):
    """Linear ramp between two values, constant before and after."""

    start: Parameter = parameter("s", "start of the ramp")
    end: Parameter = parameter("s", "end of the ramp")
    initial: Parameter = parameter(PARAMETER, "value before the ramp")
    final: Parameter = parameter(PARAMETER, "value after the ramp")

    @property
    def constant_after(self) -> float:
        return float(jnp.max(self.end))

    def __call__(self, t: Time) -> jax.Array:
        fraction = jnp.clip((t - self.start) / jnp.maximum(self.end - self.start, 1e-300), 0.0, 1.0)
        return self.initial + fraction * (self.final - self.initial)


@kind("switch")
class Switch(Profile):
    """Step from one value to another."""

    start: Parameter = parameter("s", "time of the step")
    initial: Parameter = parameter(PARAMETER, "value before the step")
    final: Parameter = parameter(PARAMETER, "value after the step")

    @property
    def constant_after(self) -> float:
        return float(jnp.max(self.start))

    def __call__(self, t: Time) -> jax.Array:
        return jnp.where(t < self.start, self.initial, self.final)


def apply(schedule: dict[str, Profile], test: T, t: Time) -> T:
    """Return the test with its scheduled values at t [s]."""
    return replace_all(test, {path: profile(t) for path, profile in schedule.items()})
