"""Zarr arrays as the files that they are, for a writer of whole chunks.

An array of Zarr's format 3 is a folder: `zarr.json` says its shape, and `0`, `1`, ... (`0.0`, ... with more dimensions)
are its chunks, here plain little-endian numbers in C order. Any reader of Zarr opens them. They are written here
without the library, which for every chunk of every array plans and schedules for a millisecond: as long as fifty points
of a campaign take to compute. Reading is the library's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core.errors import OutputError

ABOUT = "zarr.json"
CODECS = [{"name": "bytes", "configuration": {"endian": "little"}}]


def create_group(path: Path, attributes: Mapping[str, Any]) -> None:
    """A folder of arrays, with attributes."""
    os.makedirs(path, exist_ok=True)
    _say(path, {"node_type": "group", "attributes": dict(attributes)})


def attributes(path: Path) -> dict[str, Any]:
    """Those of a group or an array."""
    return _about(path)["attributes"]


def create_array(
    path: Path,
    shape: Sequence[int],
    dims: Sequence[str],
    attributes: Mapping[str, Any],
    *,
    chunk: int,
) -> None:
    """An array of float64, NaN wherever nothing is written, in chunks of so many entries of its first dimension."""
    with suppress(FileExistsError):
        os.mkdir(path)
    about = {
        "node_type": "array",
        "shape": list(shape),
        "data_type": "float64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [chunk, *shape[1:]]}},
        "chunk_key_encoding": {"name": "v2", "configuration": {"separator": "."}},
        "fill_value": "NaN",
        "codecs": CODECS,
        "attributes": dict(attributes),
        "dimension_names": list(dims),
    }
    _say(path, about)


def write_chunk(path: Path, number: int, values: np.ndarray, chunk: int) -> None:
    """One chunk of an array, filled up with NaN where it is the last and shorter."""
    values = np.ascontiguousarray(values, "<f8")
    with open(f"{path}/{number}{'.0' * (values.ndim - 1)}", "wb") as file:
        file.write(values.data)
        if len(values) < chunk:
            file.write(np.full((chunk - len(values), *values.shape[1:]), np.nan).data)


def shape(path: Path) -> tuple[int, ...]:
    """That of an array."""
    return tuple(_about(path)["shape"])


def _about(path: Path) -> dict[str, Any]:
    """What a group or an array says of itself; `OutputError` names its file if that is not right."""
    about = read_json(path / ABOUT)
    shape = about.get("shape", [])
    right = isinstance(about.get("attributes"), dict) and isinstance(shape, list)
    if not right or not all(type(size) is int and 0 <= size < 2**40 for size in shape):
        raise OutputError(f"{path / ABOUT}: is damaged: it is not what Zarr writes")
    return about


def read_json(file: Path) -> dict[str, Any]:
    """The table in a file; `OutputError` if it is missing or damaged."""
    try:
        table = json.loads(file.read_text("utf-8"))
    except OSError as error:
        reason = (
            "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read ({error.strerror})"
        )
        raise OutputError(f"{file}: {reason}") from error
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{file}: is damaged ({error})") from error
    if not isinstance(table, dict):
        raise OutputError(f"{file}: is damaged: it holds no table")
    return table


def written(file: str | Path, text: str) -> None:
    """A file that is there as a whole or not at all, whenever the process may be killed."""
    partial = f"{file}.partial"
    with open(partial, "w", encoding="utf-8") as opened:
        opened.write(text)
    os.replace(partial, file)


def _say(path: Path, about: Mapping[str, Any]) -> None:
    written(f"{path}/{ABOUT}", json.dumps({"zarr_format": 3, **about}))
