"""Places in a test: values at dotted paths, what is declared of them, and room for what varies there."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.campaign.axes import Axis
from dovetail.core.errors import DovetailError, ParameterError
from dovetail.core.parameter import Parameter, declared
from dovetail.core.units import SIGNAL
from dovetail.testing.schedule import get, put

ENTRY = re.compile(r"(.+)\[(\d+)\]$")


def leaf(test: Any, path: str) -> Any:
    """The value at a dotted path, or an entry of an array there: `numerical.mass[0]`."""
    entry = ENTRY.match(path)
    if entry is None:
        return get(test, path)
    array = get(test, entry[1])
    if not isinstance(array, jax.Array) or array.ndim < 1 or int(entry[2]) >= array.shape[0]:
        raise ParameterError(f'"{path}": {entry[1]} has the shape {jnp.shape(array)}, so no entry {entry[2]}')
    return array[int(entry[2])]


def put_leaf(test: Any, path: str, value: Any) -> Any:
    """The test with another value at a path."""
    entry = ENTRY.match(path)
    old = get(test, entry[1] if entry else path)
    value = jnp.asarray(value, old.dtype)
    if entry:
        return put(test, entry[1], old.at[int(entry[2])].set(value))
    return put(test, path, jnp.broadcast_to(value, old.shape))


def parameter_at(test: Any, path: str) -> Parameter | None:
    """What is declared of the parameter at a path."""
    entry = ENTRY.match(path)
    parent, _, name = (entry[1] if entry else path).rpartition(".")
    part = get(test, parent) if parent else test
    return declared(type(part)).get(name) if dataclasses.is_dataclass(part) else None


def unit_at(test: Any, entry: Mapping[str, Any]) -> str:
    """Unit of the parameter that an axis's table names; any, where it names none."""
    path = entry.get("path") or (entry.get("paths") or [""])[0]
    try:
        about = parameter_at(test, path) if isinstance(path, str) and path else None
    except DovetailError:
        return SIGNAL
    return about.unit if about is not None and not about.choices else SIGNAL


def longest_buffers(test: Any, axes: list[Axis]) -> Any:
    """The test with room for the longest of every delay that varies."""
    for axis in axes:
        for path in axis.paths:
            parent, _, name = path.rpartition(".")
            part = get(test, parent) if parent else test
            if name == "delay" and hasattr(part, "longest"):
                longest = max(axis.values) if axis.values else axis.high
                test = put(test, parent, dataclasses.replace(part, longest=max(float(longest), part.longest)))
    return test


def flat(table: Mapping[str, Any], at: str = "") -> dict[str, Any]:
    """A nested table by dotted paths."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{at}{key}"
        found |= flat(value, f"{path}.") if isinstance(value, Mapping) else {path: value}
    return found
