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

ABOUT = "zarr.json"
CODECS = [{"name": "bytes", "configuration": {"endian": "little"}}]


def create_group(path: Path, attributes: Mapping[str, Any]) -> None:
    """A folder of arrays, with attributes."""
    os.makedirs(path, exist_ok=True)
    _say(path, {"node_type": "group", "attributes": dict(attributes)})


def attributes(path: Path) -> dict[str, Any]:
    """Those of a group or an array."""
    return json.loads((path / ABOUT).read_text("utf-8"))["attributes"]


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
    return tuple(json.loads((path / ABOUT).read_text("utf-8"))["shape"])


def written(file: str | Path, text: str) -> None:
    """A file that is there as a whole or not at all, whenever the process may be killed."""
    partial = f"{file}.partial"
    with open(partial, "w", encoding="utf-8") as opened:
        opened.write(text)
    os.replace(partial, file)


def _say(path: Path, about: Mapping[str, Any]) -> None:
    written(f"{path}/{ABOUT}", json.dumps({"zarr_format": 3, **about}))
