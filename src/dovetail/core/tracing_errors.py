"""Reasons why a part cannot be compiled, each with its remedy."""

from __future__ import annotations

import dataclasses
import sysconfig
import traceback
from pathlib import Path

import jax

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
TRACING_ERRORS = (TypeError, ValueError, AttributeError)  # raised by a part that cannot be compiled


def tracing_reason(error: Exception) -> str:
    """Return why a function of a part cannot be compiled, where, and what to do."""
    for kind, remedy in REMEDIES:
        if isinstance(error, kind):
            return f"{_place(error)}{remedy}"
    first = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
    return f"{_place(error)}{first}; give each parameter one value or one per axis"


def _place(error: Exception) -> str:
    """Return file and line of the innermost statement outside installed packages; empty if there is none."""
    files = [
        (Path(line.filename), line.lineno)
        for line in traceback.extract_tb(error.__traceback__)
        if line.filename[0] != "<"
    ]
    own = [(file, line) for file, line in files if not any(file.is_relative_to(path) for path in INSTALLED)]
    return f"{own[-1][0].name}, line {own[-1][1]}: " if own else ""
