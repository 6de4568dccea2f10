"""ParameterDeclaration paths of a test, used in `--set`, campaigns, tunable parameters, schedules and Python.

A path consists of names joined by dots. An entry of a list or array is in brackets, counted from 0; a name that
contains dots is in quotes::

    rig.actuator.delay
    numerical.mass[0]                       # also rig.actuator.parts[1].gain, or rig.actuator.parts.1.gain
    tunable."feedback.measured_fraction".max
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.core.parameter import ParameterDeclaration, declared_parameters
from dovetail.core.renamed import new_key

Step = str | int
T = TypeVar("T")
_STEP = re.compile(r'(?:(?P<dot>^|\.)(?:"(?P<quoted>[^"]+)"|(?P<name>[^."\[\]]+)))|\[(?P<entry>\d{1,9})\]')


def steps(path: str) -> tuple[Step, ...]:
    """Return the names and entries of a path.

    >>> steps('rig.parts[1].k')
    ('rig', 'parts', 1, 'k')
    """
    path_steps: list[Step] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or (not path_steps and (match["entry"] or match["dot"])):
            break
        path_steps.append(int(match["entry"]) if match["entry"] else match["quoted"] or match["name"].strip())
        at = match.end()
    if at < len(path) or not path_steps or "" in path_steps:
        raise ParameterError(
            f'"{path}" is not a path; join names by dots and give an entry of a list in brackets: numerical.mass[0]'
        )
    return tuple(path_steps)


def format_path(path_steps: Iterable[Step]) -> str:
    """Return the path of these steps; the inverse of `steps`."""
    text = ""
    for step in path_steps:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            name = f'"{step}"' if re.search(r"[.\[\]]", step) else step
            text += f".{name}" if text else name
    return text


def get(tree: Any, path: str) -> Any:
    """Return the value at a path of fields, keys, and entries of lists and arrays."""
    node = tree
    for step in steps(path):
        node = _next(node, step, path)
    return node


def replace_value(tree: T, path: str, value: Any) -> T:
    """Return the tree with another value at a path."""
    path_steps, entry = _split(tree, path)
    if entry:
        value = get(tree, format_path(path_steps)).at[entry].set(value)
    replaced: T = eqx.tree_at(lambda node: get(node, format_path(path_steps)), tree, value)
    return replaced


def replace_all(tree: T, values: Mapping[str, Any]) -> T:
    """Return the tree with other numbers at paths, in all entries if the value there is an array."""
    for path, value in values.items():
        old = get(tree, path)
        library = jnp if isinstance(value, jax.Array) else np  # NumPy needs no compilation
        number = jnp.asarray(library.broadcast_to(value, old.shape), dtype=old.dtype)
        tree = replace_value(tree, path, number)
    return tree


def declared_at(tree: Any, path: str) -> ParameterDeclaration | None:
    """Return the declaration of the parameter at a path, or of the array with the entry at the path."""
    path_steps, _ = _split(tree, path)
    part = get(tree, format_path(path_steps[:-1])) if path_steps[1:] else tree
    return (
        declared_parameters(type(part)).get(str(path_steps[-1])) if dataclasses.is_dataclass(part) else None
    )


def _split(tree: Any, path: str) -> tuple[tuple[Step, ...], tuple[int, ...]]:
    """Split a path into the steps to a value of the tree and the entry of that value."""
    node, path_steps = tree, steps(path)
    for i, step in enumerate(path_steps):
        if isinstance(node, jax.Array | np.ndarray):
            _next(node, step, path)
            return path_steps[:i], tuple(int(s) for s in path_steps[i:])
        node = _next(node, step, path)
    return path_steps, ()


def _next(node: Any, step: Step, path: str) -> Any:
    entry = int(step) if isinstance(step, int) or step.isdecimal() else None
    if entry is not None and isinstance(node, jax.Array | np.ndarray):
        if node.ndim < 1 or entry >= node.shape[0]:
            raise ParameterError(f'"{path}": the array has the shape {node.shape} and no entry {entry}')
        return node[entry]
    if entry is not None and isinstance(node, list | tuple):
        names = [str(i) for i in range(len(node))]
    elif isinstance(node, dict):
        names = list(node)
    else:
        names = [f.name for f in dataclasses.fields(node)] if dataclasses.is_dataclass(node) else []
        names = [field for field in names if field != "shape"]
    if str(step) not in names:
        raise UnknownNameError(f'parameter in "{path}"', str(step), names, new=new_key(type(node), str(step)))
    if isinstance(node, list | tuple):
        return node[int(step)]
    return node[str(step)] if isinstance(node, dict) else getattr(node, str(step))
