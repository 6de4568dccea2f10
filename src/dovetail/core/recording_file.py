"""NetCDF file of a recording, with h5netcdf.

xarray reads the same file. Attributes that netCDF cannot store, such as None, are stored as JSON in one attribute.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5netcdf
import numpy as np

from dovetail.core.recording import RecordedSignal, Recording

OTHERS = "other_attributes"  # attribute with the values that netCDF attributes cannot store
BOOLEAN = {"dtype": "bool"}  # attribute of a signal of truth values, stored as int8


def write_recording(recording: Recording, target: Path | io.RawIOBase) -> None:
    """Write a recording to a path or an open file; `netcdf_file` writes it completely or not at all."""
    with h5netcdf.File(target, "w") as file:
        file.dimensions = recording.sizes
        beside = [name for name in recording.coords if name not in recording.sizes]
        for name, signal in {**recording.coords, **recording.signals}.items():
            values, attributes = signal.values, dict(signal.attrs)
            if values.dtype.kind == "b":
                values, attributes = values.astype("i1"), attributes | BOOLEAN
            if values.dtype.kind in "UO":
                variable = file.create_variable(name, signal.dims, h5netcdf.core.h5py.string_dtype())
                values = values.astype(object)
            elif values.dtype.kind == "f":
                variable = file.create_variable(name, signal.dims, values.dtype, fillvalue=np.nan)
            else:
                variable = file.create_variable(name, signal.dims, values.dtype)
            variable[...] = values
            places = [each for each in beside if set(recording.coords[each].dims) <= set(signal.dims)]
            if places and name in recording.signals:
                attributes["coordinates"] = " ".join(places)
            variable.attrs.update(_encoded(attributes))
        file.attrs.update(_encoded(recording.attrs))


def read_recording(path: Path, max_size: float = math.inf) -> Recording:
    """Return the recording in a file that needs at most `max_size` [B]; other errors are those of h5netcdf."""
    with h5netcdf.File(path, "r", decode_vlen_strings=True) as file:
        size = sum(math.prod(each.shape) * each.dtype.itemsize for each in file.variables.values())
        if size > max_size:
            raise MemoryError(f"it needs {size:.3g} bytes of memory, {max_size:.3g} are available")
        signals = {name: _signal(variable) for name, variable in file.variables.items()}
        attributes = _decoded(file.attrs)
    beside = " ".join(str(signal.attrs.get("coordinates", "")) for signal in signals.values()).split()
    beside += str(attributes.pop("coordinates", "")).split()
    for signal in signals.values():
        signal.attrs.pop("coordinates", None)
    coords = {name: signal for name, signal in signals.items() if signal.dims == (name,) or name in beside}
    recorded = {name: signal for name, signal in signals.items() if name not in coords}
    return Recording(recorded, coords, attributes)


def _signal(variable: Any) -> RecordedSignal:
    attributes = _decoded(variable.attrs)
    values = np.asarray(variable[...])
    fill = attributes.pop("_FillValue", None)
    if fill is not None and values.dtype.kind == "f" and not np.isnan(fill):
        values = np.where(values == fill, np.nan, values)
    if values.dtype.kind in "OS":
        values = values.astype(str)
    if attributes.get("dtype") == BOOLEAN["dtype"]:
        attributes.pop("dtype")
        values = values.astype(bool)
    return RecordedSignal(values, tuple(variable.dimensions), attributes)


def _encoded(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes that netCDF can store."""
    plain = {name: value for name, value in attributes.items() if _is_plain(value)}
    others = {name: value for name, value in attributes.items() if name not in plain}
    return plain | ({OTHERS: json.dumps(others, default=str)} if others else {})


def _decoded(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the original attributes; the inverse of `_encoded`."""
    decoded = dict(attributes)
    if OTHERS in decoded:
        with suppress(ValueError, TypeError, RecursionError):  # written by another program
            decoded |= dict(json.loads(decoded.pop(OTHERS)))
    return decoded


def _is_plain(value: Any) -> bool:
    """True if a value can be stored as a netCDF attribute."""
    if isinstance(value, list | tuple):
        return bool(value) and all(
            _is_plain(v) and not isinstance(v, list | tuple | np.ndarray) for v in value
        )
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiu" and value.ndim == 1 and value.size > 0
    return isinstance(value, str | int | float | np.number) and not isinstance(value, bool | np.bool_)
