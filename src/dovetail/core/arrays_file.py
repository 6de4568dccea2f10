"""Reader for named arrays in an `.npz` file, with error messages for damaged files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dovetail.core.errors import OutputError, ParameterError, reason


def read_arrays(path: str | Path, names: Sequence[str], content: str) -> dict[str, np.ndarray]:
    """Return all arrays of a file as numbers; `names` are required, `content` describes the file in messages.

    Raises
    ------
    OutputError
        If the file cannot be read or contains something other than numbers.
    ParameterError
        If a required array is missing.
    """
    try:
        with open(path, "rb") as file:  # NumPy leaves a file open that it cannot read
            stored = np.load(file, allow_pickle=False)
            if isinstance(stored, np.ndarray):
                raise ValueError("a single array, not an archive of named arrays")
            data = {name: np.asarray(stored[name], dtype=float) for name in stored}
    except Exception as error:  # archive, compression and headers raise different types of errors
        raise OutputError(
            f"{path}: cannot read the {content} ({reason(error)[:120]}); expected an .npz file"
        ) from error
    missing = [name for name in names if name not in data]
    if missing:
        raise ParameterError(f"{path}: {', '.join(missing)} missing; expected the arrays {', '.join(names)}")
    return data


def require_rising(
    path: str | Path, data: Mapping[str, np.ndarray], names: Sequence[str], at_least: int = 2
) -> None:
    """Raise `ParameterError` unless these arrays are rows of at least `at_least` increasing finite numbers."""
    for name in names:
        row = np.atleast_1d(data[name])
        if (
            row.ndim != 1
            or len(row) < at_least
            or not (np.isfinite(row).all() and np.all(row[1:] > row[:-1]))
        ):
            raise ParameterError(f"{path}: {name} must be a row of {at_least} or more increasing numbers")
