"""Named arrays of an `.npz` file, with all that can be wrong with such a file told in one way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dovetail.core.errors import OutputError, ParameterError, reason


def read_arrays(path: str | Path, names: Sequence[str], what: str) -> dict[str, np.ndarray]:
    """All arrays of the file that holds `what`, as numbers; those with these names must be there.

    Raises
    ------
    OutputError
        If it cannot be read, or holds no numbers.
    ParameterError
        If one of the names is missing.
    """
    try:
        with open(path, "rb") as file:  # here, as NumPy leaves one open that it cannot read
            stored = np.load(file, allow_pickle=False)
            if isinstance(stored, np.ndarray):
                raise ValueError("one array and no archive of named ones")
            data = {name: np.asarray(stored[name], dtype=float) for name in stored}
    except Exception as error:  # of many kinds: archive, compression and headers each have their own
        raise OutputError(
            f"{path}: no {what} could be read ({reason(error)[:120]}); give an .npz file"
        ) from error
    missing = [name for name in names if name not in data]
    if missing:
        raise ParameterError(f"{path}: has no {', '.join(missing)}; a file of {what} has {', '.join(names)}")
    return data


def require_rising(
    path: str | Path, data: Mapping[str, np.ndarray], names: Sequence[str], at_least: int = 2
) -> None:
    """Raise `ParameterError` unless these are rows of so many finite numbers, which rise."""
    for name in names:
        row = np.atleast_1d(data[name])
        if (
            row.ndim != 1
            or len(row) < at_least
            or not (np.isfinite(row).all() and np.all(row[1:] > row[:-1]))
        ):
            raise ParameterError(f"{path}: {name} must be a row of {at_least} or more numbers that rise")
