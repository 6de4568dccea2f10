"""Zarr arrays, written and read chunk by chunk, each chunk with a checksum.

An array in Zarr format 3 is a folder: `zarr.json` contains its shape, and `0`, `1`, ... (`0.0`, ... with more
dimensions) are its chunks, here plain little-endian numbers in C order. Every Zarr reader opens them. The Zarr library
needs about a millisecond for each chunk of each array, the computing time of fifty points of a campaign; therefore
chunks are written and read directly. `zarr.json` contains its own checksum as an attribute; the caller stores the
checksums of the chunks.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core import plain_file
from dovetail.core.errors import OutputError, reason

METADATA, CHECKSUM = "zarr.json", "sha256"
CODECS = [{"name": "bytes", "configuration": {"endian": "little"}}]


def create_group(path: Path, attributes: Mapping[str, Any]) -> None:
    """Create a folder of arrays, with attributes."""
    os.makedirs(path, exist_ok=True)
    _write_metadata(path, {"node_type": "group"}, attributes)


def attributes(path: Path) -> dict[str, Any]:
    """Return the attributes of a group or an array."""
    values: dict[str, Any] = _metadata(path)["attributes"]
    return values


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
        "dimension_names": list(dims),
    }
    _write_metadata(path, metadata, attributes)


def write_chunk(path: Path, number: int, values: np.ndarray, chunk: int) -> str:
    """Write one chunk of an array; a shorter last chunk is padded with NaN. Return its checksum."""
    values = np.ascontiguousarray(values, "<f8")
    missing = np.full((chunk - len(values), *values.shape[1:]), np.nan)
    checksum = hashlib.sha256(values.data)
    checksum.update(missing.data)
    with plain_file.create(chunk_file(path, number, values.ndim)) as file:
        file.write(values.data)
        file.write(missing.data)
    return checksum.hexdigest()


def read_chunk(path: Path, number: int, shape: Sequence[int], checksum: str) -> np.ndarray:
    """Return one chunk of this shape; `OutputError` with its file if it is damaged."""
    file = chunk_file(path, number, len(shape))
    with _read_errors(file):
        data = plain_file.read(file, 8 * math.prod(shape))
    if hashlib.sha256(data).hexdigest() != checksum:
        raise OutputError(f"{file}: is damaged: its checksum differs from the one stored when it was written")
    return np.frombuffer(data, "<f8").reshape(shape)


def chunk_file(path: Path, number: int, dimensions: int) -> Path:
    """Return the file of a chunk."""
    return path / f"{number}{'.0' * (dimensions - 1)}"


def shape(path: Path) -> tuple[int, ...]:
    """Return the shape of an array."""
    return tuple(_metadata(path).get("shape", ()))


def dimensions(path: Path) -> tuple[str, ...]:
    """Return the names of the dimensions of an array."""
    return tuple(_metadata(path).get("dimension_names", ()))


def _metadata(path: Path) -> dict[str, Any]:
    """Return the metadata of a group or an array; `OutputError` with its file if they are damaged."""
    metadata = read_json(path / METADATA)
    attributes = metadata.get("attributes")
    stored = attributes.pop(CHECKSUM, None) if isinstance(attributes, dict) else None
    if stored != digest(metadata):
        raise OutputError(
            f"{path / METADATA}: is damaged: its checksum differs from the one stored when it was written"
        )
    shape, dims = metadata.get("shape", []), metadata.get("dimension_names", [])
    valid = isinstance(shape, list) and isinstance(dims, list) and len(shape) == len(dims)
    valid = valid and all(type(size) is int and 0 <= size < 2**40 for size in shape)
    if not valid or not all(isinstance(name, str) for name in dims):
        raise OutputError(f"{path / METADATA}: is damaged: these are not Zarr metadata")
    return metadata


def _write_metadata(path: Path, metadata: Mapping[str, Any], attributes: Mapping[str, Any]) -> None:
    metadata = {"zarr_format": 3, **metadata, "attributes": dict(attributes)}
    metadata["attributes"][CHECKSUM] = digest(metadata)
    plain_file.write(path / METADATA, json.dumps(metadata))


def digest(table: Mapping[str, Any]) -> str:
    """Return the checksum of a table of plain values."""
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()


def read_json(file: Path) -> dict[str, Any]:
    """Return the table in a file written with `json.dumps`; `OutputError` if it is missing or damaged."""
    with _read_errors(file):
        data = plain_file.read(file)
    try:
        table = json.loads(data)
        unchanged = json.dumps(table).encode() == data
    except (ValueError, RecursionError) as error:
        raise OutputError(f"{file}: is damaged ({error})") from error
    if not isinstance(table, dict) or not unchanged:
        raise OutputError(f"{file}: is damaged: it is not as it was written")
    return table


@contextmanager
def _read_errors(file: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise OutputError(f"{file}: is missing") from error
    except OSError as error:
        raise OutputError(f"{file}: cannot be read ({reason(error)})") from error
