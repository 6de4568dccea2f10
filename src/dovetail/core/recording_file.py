"""File of a recording: netCDF, written sample by sample or as a whole, and read as a whole or in blocks.

The file has the classic format (`classic_netcdf`), so that a recording that is being written is complete after each
append. `docs/design/records-on-disk.md` has the reasons. Files in the netCDF-4 format, of other programs, are read with
h5netcdf. Attributes that the format cannot store, such as None, are stored as JSON in one attribute.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.core import plain_file
from dovetail.core.classic_netcdf import MAGIC, MAX_HEADER, NUMBER_AT, FormatError, Header, Variable, decoded
from dovetail.core.recording import RecordedSignal, Recording

OTHERS = "other_attributes"  # attribute with the values that netCDF attributes cannot store
TYPE = "dtype"  # attribute with the type of values that are stored as another
CONVERTED = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
SAFE_NAMES = {"mode": "run_mode"}  # attributes whose names scipy uses for itself, and their names in the file
UNFINISHED = "unfinished"  # attribute of a recording that is still being written, or whose process has ended
TIME = "time"
MARGIN = (
    64 * 2**10
)  # [B] behind the header of a file that is written sample by sample, for attributes at its end
TAIL = 64 * 2**20  # [B] at the end of an unfinished file whose times are checked
BLOCK = 4 * 2**20  # [B] that are read or copied at once


def write_recording(
    recording: Recording, path: Path, blocks: Iterable[Mapping[str, np.ndarray]] = ()
) -> None:
    """Write a recording completely or not at all; `OSError` with the reason, for example a full disk.

    The samples of `blocks` follow those of the recording.
    """
    partial = path.with_name(f"{path.name}.partial")
    try:
        with RecordingFile(partial, recording) as file:
            for block in blocks:
                file.append(block)
            file.sync()
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    os.replace(partial, path)


class RecordingFile:
    """File to which samples are appended.

    It begins with the samples, coordinates and attributes of a recording; `margin` [B] is space for further attributes.
    """

    def __init__(self, path: Path, first: Recording, margin: int = 0):
        self.path, self.names = path, list(first.signals)
        self.header = _header(first)
        self.header.place(margin)
        self.dtype = self.header.record_dtype
        self.file = plain_file.create(path)
        try:
            self._write(self.header.encoded(), 0)
            for name, variable in self.header.variables.items():
                if name not in self.header.recorded:
                    self._write(_stored(first[name].values, variable.dtype).tobytes(), variable.begin)
            self._write(b"", self.header.data_begin)
            self.append({name: first[name].values for name in self.header.recorded})
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> RecordingFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()

    def append(self, rows: Mapping[str, np.ndarray]) -> None:
        """Append samples of all variables; if it raises an error, the file has the samples of earlier calls."""
        count = len(rows[next(iter(self.header.recorded))]) if self.header.recorded else 0
        if not count:
            return
        records = np.zeros(count, self.dtype)
        for name, variable in self.header.recorded.items():
            records[name] = _stored(rows[name], variable.dtype).reshape(records[name].shape)
        end = self.header.data_begin + self.header.records * self.dtype.itemsize
        try:
            self._write(records.tobytes(), end)
        except OSError:
            os.ftruncate(self.file.fileno(), end)
            raise
        self.header.records += count
        self._write(self.header.records.to_bytes(4, "big"), NUMBER_AT)

    def replace_first(self, row: Mapping[str, np.ndarray]) -> None:
        """Replace values of the first sample."""
        offsets: Mapping[str, Any] = self.dtype.fields or {}
        for name, values in row.items():
            data = _stored(values, self.header.variables[name].dtype).tobytes()
            self._write(data, self.header.data_begin + offsets[name][1])

    def sync_samples(self) -> None:
        """Wait until the disk has the samples; another thread can append meanwhile."""
        os.fdatasync(self.file.fileno())

    def sync(self) -> None:
        """Wait until the disk has the file, and its name."""
        os.fsync(self.file.fileno())
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _write(self, data: bytes, at: int) -> None:
        view = memoryview(data)
        while len(view):
            written = os.pwrite(self.file.fileno(), view, at)
            view, at = view[written:], at + written


def copy_samples(source: Path, recording: Recording, path: Path, count: int) -> None:
    """Write the first `count` samples of a file with the attributes of a recording, completely or not at all.

    In the same file only the header is written, if there is space for it.
    """
    header = _header(recording)
    with StoredRecording(source) as stored:
        for name, variable in header.variables.items():
            variable.begin = stored.header.variables[name].begin
        header.records = min(count, stored.count)
        data, begin = header.encoded(), min(v.begin for v in header.variables.values())
        end = header.data_begin + header.records * stored.dtype.itemsize
        if path == source and len(data) <= begin:
            with open(path, "r+b") as file:
                file.truncate(end)
                os.fsync(file.fileno())  # the samples first
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            return
        write_recording(recording.isel(time=slice(0, 0)), path, stored.blocks(header.records))


class StoredRecording:
    """Recording in a file of the classic format, read in blocks."""

    def __init__(self, path: Path):
        self.file = plain_file.open_plain(path)
        try:
            self.header = decoded(self.file.read(MAX_HEADER))
            self.header_attrs = _decoded(self.header.attrs)
            self.dtype, length = self.header.record_dtype, os.fstat(self.file.fileno()).st_size
            whole = max(length - self.header.data_begin, 0) // max(self.dtype.itemsize, 1)
            self.count = self.header.records if self.header.recorded else 0
            if UNFINISHED in self.header_attrs and TIME in self.header.recorded:
                self.count = self._increasing(whole)
            fixed = [v for name, v in self.header.variables.items() if name not in self.header.recorded]
            if self.count > whole or any(v.begin + self.header.size(v) > length for v in fixed):
                raise FormatError("the file ends before its last record")
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> StoredRecording:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()

    def _increasing(self, count: int) -> int:
        """Return how many of the samples have increasing times; a power cut can leave zeros at the end of a file."""
        first = max(count - TAIL // self.dtype.itemsize, 0)
        self.file.seek(self.header.data_begin + first * self.dtype.itemsize)
        times = np.frombuffer(self.file.read((count - first) * self.dtype.itemsize), self.dtype)[TIME]
        wrong = np.flatnonzero(~(np.diff(times.astype(float)) > 0))
        return first + int(wrong[0]) if wrong.size else count  # the sample before may be incomplete too

    @property
    def size(self) -> int:
        """Memory of all samples [B]."""
        return self.count * self.dtype.itemsize

    def blocks(self, count: int | None = None) -> Iterator[dict[str, np.ndarray]]:
        """Yield the values of successive samples by name, of the first `count`."""
        rows, count = max(BLOCK // max(self.dtype.itemsize, 1), 1), self.count if count is None else count
        for first in range(0, count, rows):
            self.file.seek(self.header.data_begin + first * self.dtype.itemsize)
            data = self.file.read(min(rows, count - first) * self.dtype.itemsize)
            records = np.frombuffer(data, self.dtype)
            yield {
                name: _original(records[name], variable) for name, variable in self.header.recorded.items()
            }

    def recording(self, rows: Mapping[str, np.ndarray]) -> Recording:
        """Return the recording with these samples of its variables over time."""
        signals = {}
        for name, variable in self.header.variables.items():
            values = rows[name] if name in self.header.recorded else self._fixed(variable)
            attributes = _decoded(variable.attrs)
            attributes.pop(TYPE, None)
            fill = attributes.pop("_FillValue", None)
            if fill is not None and values.dtype.kind == "f" and not np.isnan(fill):
                values = np.where(values == fill, np.nan, values)
            dims = variable.dims[:-1] if variable.dtype.kind == "S" else variable.dims
            signals[name] = RecordedSignal(values, dims, attributes)
        return _recording(signals, self.header_attrs)

    def _fixed(self, variable: Variable) -> np.ndarray:
        self.file.seek(variable.begin)
        data = self.file.read(self.header.size(variable))
        return _original(np.frombuffer(data, variable.dtype).reshape(self.header.shape(variable)), variable)


def is_classic(path: Path) -> bool:
    """Return whether a file begins as one of the classic format."""
    with plain_file.open_plain(path) as file:
        return file.read(len(MAGIC)) == MAGIC


def read_recording(path: Path, max_size: float = math.inf) -> Recording:
    """Return the recording in a file that needs at most `max_size` [B].

    Raises
    ------
    MemoryError, FormatError
        If it is larger, or not a recording. Other errors are those of h5netcdf.
    """
    if not is_classic(path):
        return _netcdf4(path, max_size)
    with StoredRecording(path) as stored:
        _require(stored.size, max_size)
        recorded = stored.header.recorded.items()
        rows = {name: np.empty((stored.count, *stored.header.shape(v)), _type(v)) for name, v in recorded}
        at = 0
        for block in stored.blocks():
            size = len(next(iter(block.values())))
            for name, values in block.items():
                rows[name][at : at + size] = values
            at += size
        return stored.recording(rows)


def _require(size: float, max_size: float) -> None:
    if size > max_size:
        raise MemoryError(f"it needs {size:.3g} bytes of memory, {max_size:.3g} are available")


def _netcdf4(path: Path, max_size: float) -> Recording:
    """Return the recording in a file of the netCDF-4 format."""
    import h5netcdf

    with h5netcdf.File(path, "r", decode_vlen_strings=True) as file:
        _require(
            sum(math.prod(each.shape) * each.dtype.itemsize for each in file.variables.values()), max_size
        )
        signals = {name: _netcdf4_signal(variable) for name, variable in file.variables.items()}
        return _recording(signals, _decoded(file.attrs))


def _netcdf4_signal(variable: Any) -> RecordedSignal:
    attributes = _decoded(variable.attrs)
    values = np.asarray(variable[...])
    fill = attributes.pop("_FillValue", None)
    if fill is not None and values.dtype.kind == "f" and not np.isnan(fill):
        values = np.where(values == fill, np.nan, values)
    if values.dtype.kind in "OS":
        values = values.astype(str)
    if attributes.get(TYPE) == "bool":
        attributes.pop(TYPE)
        values = values.astype(bool)
    return RecordedSignal(values, tuple(variable.dimensions), attributes)


def _recording(signals: Mapping[str, RecordedSignal], attributes: dict[str, Any]) -> Recording:
    """Return a recording; coordinates are named as their dimension, or listed in attributes as xarray does."""
    beside = " ".join(str(signal.attrs.get("coordinates", "")) for signal in signals.values()).split()
    beside += str(attributes.pop("coordinates", "")).split()
    for signal in signals.values():
        signal.attrs.pop("coordinates", None)
    coords = {name: signal for name, signal in signals.items() if signal.dims == (name,) or name in beside}
    recorded = {name: signal for name, signal in signals.items() if name not in coords}
    return Recording(recorded, coords, attributes)


def _header(recording: Recording) -> Header:
    """Return the header of a recording without samples."""
    dims = {name: 0 if name == TIME else size for name, size in recording.sizes.items()}
    beside = [name for name in recording.coords if name not in dims]
    header = Header(dims, {}, _encoded(recording.attrs))
    for name, signal in {**recording.coords, **recording.signals}.items():
        if any(size == 0 for dim, size in signal.sizes.items() if dim != TIME):
            continue  # no values; the length 0 is that of the record dimension
        attributes, variable_dims, dtype = dict(signal.attrs), signal.dims, signal.values.dtype
        places = [each for each in beside if set(recording.coords[each].dims) <= set(signal.dims)]
        if places and name in recording.signals:
            attributes["coordinates"] = " ".join(places)
        if dtype.kind in "UO":
            length = max((len(str(text).encode()) for text in signal.values.flat), default=0) or 1
            dims[f"string{length}"] = length
            variable_dims, dtype = (*variable_dims, f"string{length}"), np.dtype("S1")
            attributes["_Encoding"] = "utf-8"
        elif dtype.kind == "b":
            attributes[TYPE], dtype = "bool", np.dtype(">i1")
        elif dtype.kind in "iu":
            attributes[TYPE], dtype = dtype.name, np.dtype(">f8")
        else:
            dtype = np.dtype(">f4" if dtype.itemsize <= 4 else ">f8")
        header.variables[name] = Variable(variable_dims, dtype, _encoded(attributes))
    used = {dim for variable in header.variables.values() for dim in variable.dims}
    header.dims = {name: length for name, length in dims.items() if name in used and (length or name == TIME)}
    return header


def _stored(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Return values as they are stored: big-endian numbers, or the bytes of texts."""
    if dtype.kind != "S":
        return np.asarray(values).astype(dtype)
    texts = [str(text).encode() for text in np.asarray(values).flat]
    length = max(map(len, texts), default=0) or 1
    return np.array(texts, f"S{length}").view("S1").reshape(*np.shape(values), length)


def _type(variable: Variable) -> np.dtype:
    """Return the type of the original values."""
    name = variable.attrs.get(TYPE)
    return np.dtype(name) if name in CONVERTED else variable.dtype.newbyteorder("=")


def _original(values: np.ndarray, variable: Variable) -> np.ndarray:
    """Return stored values as they were; the inverse of `_stored`."""
    if variable.dtype.kind != "S":
        with np.errstate(invalid="ignore"):
            return values.astype(_type(variable))
    joined = np.ascontiguousarray(values).view(f"S{values.shape[-1]}")[..., 0]
    return np.array([text.decode(errors="replace") for text in joined.flat], dtype=str).reshape(joined.shape)


def _encoded(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes that netCDF can store."""
    plain = {SAFE_NAMES.get(name, name): value for name, value in attributes.items() if _is_plain(value)}
    others = {name: value for name, value in attributes.items() if not _is_plain(value)}
    return plain | ({OTHERS: json.dumps(others, default=_listed)} if others else {})


def _listed(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def _decoded(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the original attributes; the inverse of `_encoded`."""
    names = {safe: name for name, safe in SAFE_NAMES.items()}
    decoded = {names.get(name, name): value for name, value in attributes.items() if name != "_Encoding"}
    if OTHERS in decoded:
        with suppress(ValueError, TypeError, RecursionError):  # written by another program
            decoded |= dict(json.loads(decoded.pop(OTHERS)))
    return decoded


def _is_plain(value: Any) -> bool:
    """True if a value can be stored as a netCDF attribute."""
    if isinstance(value, str):
        return not value.endswith("\0")
    if isinstance(value, bool | np.bool_ | dict) or value is None:
        return False
    array = np.asarray(value)
    if array.ndim > 1 or not array.size or array.dtype.kind not in "iuf":
        return False
    return array.dtype.kind == "f" or bool(np.all((array >= -(2**31)) & (array < 2**31)))
