"""Reasons why a part cannot be compiled, each with its remedy."""

from __future__ import annotations

import dataclasses
import sysconfig
import traceback
from pathlib import Path

import jax

from dovetail.core.user_parts import place_of

INSTALLED = (Path(__file__).resolve().parents[1], *map(Path, map(sysconfig.get_path, ("purelib", "stdlib"))))
REMEDIES: tuple[tuple[type[Exception], str], ...] = (
    (
        jax.errors.TracerBoolConversionError,
        "a Python condition (if, and, or, not, min, max) uses a value that is known only while the loop runs; "
        "use jnp.where(condition, a, b), jnp.minimum or jnp.clip",
    ),
    (
        jax.errors.TracerArrayConversionError,
        "a NumPy function gets a value that is known only while the loop runs; use the function of jax.numpy",
    ),
    (
        jax.errors.ConcretizationTypeError,
        "float() or int() gets a value that is known only while the loop runs; keep it an array",
    ),
    (dataclasses.FrozenInstanceError, "a part cannot store values in self; return them as state"),
)
TRACING_ERRORS = (TypeError, ValueError, AttributeError, KeyError)  # raised by a part that cannot be compiled


def tracing_reason(error: Exception) -> str:
    """Return why a function of a part cannot be compiled, where, and what to do."""
    for kind, remedy in REMEDIES:
        if isinstance(error, kind):
            return f"{_place(error)}{remedy}"
    if isinstance(error, KeyError):
        return f"{_place(error)}there is no signal or state {error}"
    first = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    remedy = "; give each parameter one value or one per axis" if "shape" in first else ""
    return f"{_place(error)}{first}{remedy}"


def _place(error: Exception) -> str:
    """Return file and line of the innermost statement outside installed packages; empty if there is none."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if place := place_of(frame.filename, frame.lineno):
            return f"{place}: "
        file = Path(frame.filename)
        if frame.filename[0] != "<" and not any(file.is_relative_to(path) for path in INSTALLED):
            return f"{file.name}, line {frame.lineno}: "
    return ""
