"""Array shapes that annotations of the source name, checked while the tests run; in production they cost nothing.

jaxtyping's import hook wraps the functions of every module that imports jaxtyping (`annotated`), and asks `checked`
for a check of each. It looks at arrays only: mypy checks the rest, and functions of one's own may be given whatever
becomes an array, so a NumPy array or a number is taken for the array that it becomes.
"""

import inspect
import re
import types
import typing
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import AbstractArray

SOURCE = Path(__file__).resolve().parents[1] / "src"


def annotated(source: Path = SOURCE) -> list[str]:
    """Modules that name shapes, jaxtyping's or `Each`, the name that some rooms give to one."""
    files = (
        file
        for file in sorted(source.rglob("*.py"))
        if re.search(r"from jaxtyping import|import Each\b", file.read_text("utf-8"))
    )
    return [".".join(file.relative_to(source).with_suffix("").parts) for file in files]


def checked(function):
    """The function, with a check of every argument and result whose annotation names a shape."""
    hints = {name: hint for name, hint in function.__annotations__.items() if _names_a_shape(hint)}
    if not hints:
        return function
    result = hints.pop("return", None)
    signature = inspect.signature(function)

    @wraps(function)
    def checking(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        for name, hint in hints.items():
            if name in given and not fits(given[name], hint):
                raise TypeError(f"{name} is {_shape(given[name])}, not {hint}")
        found = function(*args, **kwargs)
        if result is not None and not fits(found, result):
            raise TypeError(f"the result is {_shape(found)}, not {result}")
        return found

    return checking


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what an annotation says of arrays; what it says of anything else is not looked at."""
    inner = typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, AbstractArray):
        array = value if hasattr(value, "shape") else np.asarray(value) * 1.0
        return isinstance(array, hint.dtype[Any, hint.dim_str])
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return any(fits(value, one) if _names_a_shape(one) else isinstance(value, one) for one in inner)
    if typing.get_origin(hint) is tuple:
        return len(value) == len(inner) and all(map(fits, value, inner))
    return True


def _names_a_shape(hint: Any) -> bool:
    if isinstance(hint, type) and issubclass(hint, AbstractArray):
        return True
    return any(map(_names_a_shape, typing.get_args(hint)))


def _shape(value: Any) -> str:
    return (
        "x".join(map(str, np.shape(value))) if not isinstance(value, tuple) else str(list(map(_shape, value)))
    )
