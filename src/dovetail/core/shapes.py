"""Shapes of what a function gives, found once for all arguments of the same form.

To find them JAX runs the function on placeholders, which takes as long for a whole test as a short run of it. They
follow from the shapes of the arguments and from what is fixed in them, so that whoever asks again, with other numbers
only, is told what was found before, in this process or, where that is allowed (`ready`), in an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import equinox as eqx
import jax
import numpy as np

from dovetail.core import executable_store

MOST = 256  # answers that are remembered
_found: dict[Hashable, Any] = {}


def shapes(function: Callable[..., Any], *arguments: Any) -> Any:
    """What `function(*arguments)` gives, with shapes and types in the place of arrays."""
    leaves, form = jax.tree.flatten(arguments)
    key = (function, form, tuple((np.shape(v), v.dtype) if eqx.is_array(v) else v for v in leaves))
    try:
        known = key in _found
    except (TypeError, ValueError):  # a part that cannot be told from others at a glance
        return eqx.filter_eval_shape(function, *arguments)
    if not known:
        if len(_found) >= MOST:
            _found.pop(next(iter(_found)))
        _found[key] = executable_store.shapes(function, *arguments)
    return _found[key]
