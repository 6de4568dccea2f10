"""Parameters that change during a run: gain ramps, switching over, any parameter of the test.

A schedule maps the path of a parameter (`"feedback.share"`) to a profile, a function of time. The loop
puts the profile's value into the test in every tick; nothing else knows about it.
"""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter
from dovetail.core.errors import UnknownNameError


class Profile(Part):
    """A parameter's value as a function of time."""

    @abstractmethod
    def __call__(self, t) -> jax.Array:
        """Value at t [s]."""


@kind("ramp")
class Ramp(Profile):
    """From one value to another in a straight line, constant before and after."""

    begin: jax.Array = parameter("s", "start of the ramp")
    end: jax.Array = parameter("s", "end of the ramp")
    before: jax.Array = parameter("1", "value until the ramp starts")
    after: jax.Array = parameter("1", "value once it has ended")

    def __call__(self, t):
        share = jnp.clip((t - self.begin) / jnp.maximum(self.end - self.begin, 1e-300), 0.0, 1.0)
        return self.before + share * (self.after - self.before)


@kind("switch")
class Switch(Profile):
    """One value until a moment, another from then on."""

    at: jax.Array = parameter("s", "moment of the switch")
    before: jax.Array = parameter("1", "value until then")
    after: jax.Array = parameter("1", "value from then on")

    def __call__(self, t):
        return jnp.where(t < self.at, self.before, self.after)


def get(tree: Any, path: str) -> Any:
    """The value at a dotted path: attributes, keys and positions."""
    node = tree
    for name in path.split("."):
        if name.isdigit() and isinstance(node, list | tuple):
            known = [str(i) for i in range(len(node))]
        elif isinstance(node, dict):
            known = list(node)
        else:
            known = [f.name for f in dataclasses.fields(node)] if dataclasses.is_dataclass(node) else []
            known = [field for field in known if field != "shape"]
        if name not in known:
            raise UnknownNameError(f'parameter in "{path}"', name, known)
        node = (
            node[int(name)]
            if isinstance(node, list | tuple)
            else (node[name] if isinstance(node, dict) else getattr(node, name))
        )
    return node


def put(tree: Any, path: str, value: Any) -> Any:
    """The tree with another value at a dotted path."""
    return eqx.tree_at(lambda node: get(node, path), tree, value)


def apply(schedule: dict[str, Profile], test: Any, t) -> Any:
    """The test as it is at t [s]."""
    for path, profile in schedule.items():
        old = get(test, path)
        test = put(test, path, jnp.broadcast_to(profile(t), jnp.shape(old)).astype(old.dtype))
    return test
