"""Paths to the values of a test: one way to write them in `--set`, campaigns, dials, schedules and Python.

Names joined by dots, an entry of a list or an array in brackets (counted from 0), a name that holds dots in quotes::

    rig.actuator.delay
    numerical.mass[0]                       # also rig.actuator.parts[1].gain, or rig.actuator.parts.1.gain
    dials."feedback.share".most
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ParameterError, UnknownNameError
from dovetail.core.parameter import Parameter, declared
from dovetail.core.renamed import new_key

Step = str | int
_STEP = re.compile(r'(?:(?P<dot>^|\.)(?:"(?P<quoted>[^"]+)"|(?P<name>[^."\[\]]+)))|\[(?P<entry>\d{1,9})\]')


def steps(path: str) -> tuple[Step, ...]:
    """The names and entries that a path leads through.

    >>> steps('rig.parts[1].k')
    ('rig', 'parts', 1, 'k')
    """
    found: list[Step] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or (not found and (match["entry"] or match["dot"])):
            break
        found.append(int(match["entry"]) if match["entry"] else match["quoted"] or match["name"].strip())
        at = match.end()
    if at < len(path) or not found or "" in found:
        raise ParameterError(
            f'"{path}" is no path; join names by dots and give an entry of a list in brackets, as in numerical.mass[0]'
        )
    return tuple(found)


def joined(way: Iterable[Step]) -> str:
    """The path that leads through these steps: `steps` backwards."""
    text = ""
    for step in way:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            name = f'"{step}"' if re.search(r"[.\[\]]", step) else step
            text += f".{name}" if text else name
    return text


def get(tree: Any, path: str) -> Any:
    """The value at a path: fields, keys, entries of lists and of arrays."""
    node = tree
    for step in steps(path):
        node = _next(node, step, path)
    return node


def put(tree: Any, path: str, value: Any) -> Any:
    """The tree with another value at a path."""
    way, entry = _parted(tree, path)
    if entry:
        value = get(tree, joined(way)).at[entry].set(value)
    return eqx.tree_at(lambda node: get(node, joined(way)), tree, value)


def spread(tree: Any, path: str, value: Any) -> Any:
    """The tree with another number at a path, the same for all entries where there is an array."""
    old = get(tree, path)
    library = jnp if isinstance(value, jax.Array) else np  # NumPy compiles nothing
    return put(tree, path, jnp.asarray(library.broadcast_to(value, old.shape), dtype=old.dtype))


def declared_at(tree: Any, path: str) -> Parameter | None:
    """What is declared of the parameter at a path, or of the array whose entry is there."""
    way, _ = _parted(tree, path)
    part = get(tree, joined(way[:-1])) if way[1:] else tree
    return declared(type(part)).get(str(way[-1])) if dataclasses.is_dataclass(part) else None


def _parted(tree: Any, path: str) -> tuple[tuple[Step, ...], tuple[int, ...]]:
    """The way to a value that the tree holds, and the entry of it that is meant."""
    node, way = tree, steps(path)
    for i, step in enumerate(way):
        if isinstance(node, jax.Array | np.ndarray):
            _next(node, step, path)
            return way[:i], tuple(int(s) for s in way[i:])
        node = _next(node, step, path)
    return way, ()


def _next(node: Any, step: Step, path: str) -> Any:
    entry = int(step) if isinstance(step, int) or step.isdecimal() else None
    if entry is not None and isinstance(node, jax.Array | np.ndarray):
        if node.ndim < 1 or entry >= node.shape[0]:
            raise ParameterError(f'"{path}": what is there has the shape {node.shape}, so no entry {entry}')
        return node[entry]
    if entry is not None and isinstance(node, list | tuple):
        known = [str(i) for i in range(len(node))]
    elif isinstance(node, dict):
        known = list(node)
    else:
        known = [f.name for f in dataclasses.fields(node)] if dataclasses.is_dataclass(node) else []
        known = [field for field in known if field != "shape"]
    if str(step) not in known:
        raise UnknownNameError(f'parameter in "{path}"', str(step), known, new=new_key(type(node), str(step)))
    if isinstance(node, list | tuple):
        return node[int(step)]
    return node[str(step)] if isinstance(node, dict) else getattr(node, str(step))
