"""Writer for complete chunks of Zarr arrays.

An array in Zarr format 3 is a folder: `zarr.json` contains its shape, and `0`, `1`, ... (`0.0`, ... with more
dimensions) are its chunks, here plain little-endian numbers in C order. Every Zarr reader opens them. The Zarr library
needs about a millisecond for each chunk of each array, the computing time of fifty points of a campaign; therefore
chunks are written directly. They are read with the library.
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

METADATA = "zarr.json"
CODECS = [{"name": "bytes", "configuration": {"endian": "little"}}]


def create_group(path: Path, attributes: Mapping[str, Any]) -> None:
    """Create a folder of arrays, with attributes."""
    os.makedirs(path, exist_ok=True)
    _write_metadata(path, {"node_type": "group", "attributes": dict(attributes)})


def attributes(path: Path) -> dict[str, Any]:
    """Return the attributes of a group or an array."""
    return _metadata(path)["attributes"]


def create_array(
    path: Path,
    shape: Sequence[int],
    dims: Sequence[str],
    attributes: Mapping[str, Any],
    *,
    chunk: int,
) -> None:
    """Create an array of float64, initially NaN, in chunks of `chunk` entries of the first dimension."""
    with suppress(FileExistsError):
        os.mkdir(path)
    metadata = {
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
    _write_metadata(path, metadata)


def write_chunk(path: Path, number: int, values: np.ndarray, chunk: int) -> None:
    """Write one chunk of an array; a shorter last chunk is padded with NaN."""
    values = np.ascontiguousarray(values, "<f8")
    with open(f"{path}/{number}{'.0' * (values.ndim - 1)}", "wb") as file:
        file.write(values.data)
        if len(values) < chunk:
            file.write(np.full((chunk - len(values), *values.shape[1:]), np.nan).data)


def shape(path: Path) -> tuple[int, ...]:
    """Return the shape of an array."""
    return tuple(_metadata(path)["shape"])


def _metadata(path: Path) -> dict[str, Any]:
    """Return the metadata of a group or an array; `OutputError` with its file if they are damaged."""
    metadata = read_json(path / METADATA)
    shape = metadata.get("shape", [])
    valid = isinstance(metadata.get("attributes"), dict) and isinstance(shape, list)
    if not valid or not all(type(size) is int and 0 <= size < 2**40 for size in shape):
        raise OutputError(f"{path / METADATA}: is damaged: these are not Zarr metadata")
    return metadata


def read_json(file: Path) -> dict[str, Any]:
    """Return the table in a JSON file; `OutputError` if it is missing or damaged."""
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
        raise OutputError(f"{file}: is damaged: it does not contain a table")
    return table


def write_atomically(file: str | Path, text: str) -> None:
    """Write a file completely or not at all, even if the process is killed."""
    partial = f"{file}.partial"
    with open(partial, "w", encoding="utf-8") as opened:
        opened.write(text)
    os.replace(partial, file)


def _write_metadata(path: Path, metadata: Mapping[str, Any]) -> None:
    write_atomically(f"{path}/{METADATA}", json.dumps({"zarr_format": 3, **metadata}))
