"""Store of a campaign: a folder written chunk by chunk; missing chunks can be computed later.

::

    DIR/campaign.toml     resolved campaign, with the sizes of chunks and batches
    DIR/results.zarr      coordinates and measures over "point" (and "seed", "mode", "time")
    DIR/done/000012.json  one record per finished chunk: checksums of its files, reasons of its failed points

A chunk is one Zarr chunk of every array and is written once. Its record in `done` appears, by renaming, after its
numbers are written; a chunk without this record is computed again. One process writes at a time. Written chunks
survive the end of any process; they survive a power failure only as far as the file system guarantees it.

Every file has a checksum, which is checked when the file is read. `mend` restores damaged settings and coordinates from
the campaign, and removes the records of damaged chunks, which are then computed again. Links, devices and pipes in the
folder are refused.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
import xarray as xr
from filelock import FileLock, Timeout

from dovetail import __version__
from dovetail.campaign.plan import Campaign
from dovetail.campaign.subject_base import ChunkResult, Values
from dovetail.core import plain_file, zarr_files
from dovetail.core.errors import DovetailError, OutputError, format_value, reason
from dovetail.testing.memory_estimate import COPIES, available_memory, format_size

FORMAT = 3
RESULTS, DONE, PLAN, LOCK = "results.zarr", "done", "campaign.toml", ".lock"
CHUNK_FILE = re.compile(r"(?P<name>[^./\0][^/\0]*)/\d+(\.0)*")  # in the record of a chunk
EDITABLE_FIELDS = (
    "title",
    "source",
    "analyses",
    "fixed",
)  # of a campaign: taken from its file at every resume


class Store:
    """Folder of one campaign."""

    def __init__(self, folder: Path, campaign: Campaign, chunk: int, batch: int, total: int):
        self.folder, self.campaign = folder, campaign
        self.chunk, self.batch, self.total = chunk, batch, total
        self._shapes: dict[str, tuple[int, ...]] = {}  # of a measure at one point

    @classmethod
    def create(cls, folder: str | Path, campaign: Campaign, chunk: int, batch: int) -> Store:
        """Create a folder with the coordinates of all points and no results.

        Raises
        ------
        OutputError
            If the folder is not empty, or cannot be written.
        """
        folder = Path(folder)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            hint = "add --resume to continue it" if (folder / PLAN).is_file() else "choose another folder"
            raise OutputError(f"{folder}: exists and is not empty; {hint}")
        points = campaign.points()
        total = len(next(iter(points.values())))
        with _rollback(folder):
            (folder / DONE).mkdir(parents=True, exist_ok=True)
            (folder / RESULTS).mkdir(exist_ok=True)
            store = cls(folder, campaign, chunk, batch, total)
            store._write_coordinates()
            store._write_settings()
        return store

    @classmethod
    def resume(cls, folder: str | Path, campaign: Campaign | None = None) -> Store:
        """Open the folder of a campaign; `campaign`, if given, must be the campaign in the folder.

        Raises
        ------
        OutputError
            If the folder contains another campaign, or one of another version.
        """
        folder = Path(folder)
        if not (folder / PLAN).exists():
            raise OutputError(f"{folder}: contains no campaign; remove --resume to start one")
        try:
            plain_file.require_plain_tree(folder)
        except OSError as error:
            raise OutputError(f"{error.filename}: {reason(error)}") from error
        attributes = _read_settings(folder)
        if attributes.get("format") != FORMAT:
            raise OutputError(
                f"{folder}: has format {format_value(attributes.get('format'))}, this version writes {FORMAT}"
            )
        if attributes.get("dovetail") != __version__:
            version = str(attributes.get("dovetail"))[:40]
            raise OutputError(
                f"{folder}: computed by version {version}; this is {__version__}. A campaign has results of one "
                "version only. Continue with that version, or choose another folder"
            )
        try:
            stored = Campaign.from_dict(attributes["campaign"])
            total = len(next(iter(stored.points().values())))
            sizes = [attributes[key] for key in ("chunk", "batch")]
            fingerprint = attributes["fingerprint"]
            valid = stored.fingerprint == fingerprint and all(type(n) is int and n > 0 for n in sizes)
        except (DovetailError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise OutputError(f"{folder / RESULTS / zarr_files.METADATA}: is damaged ({error})") from error
        if not valid:
            file = folder / RESULTS / zarr_files.METADATA
            raise OutputError(f"{file}: is damaged: its fingerprint is not that of the campaign")
        if campaign is not None and campaign.fingerprint != stored.fingerprint:
            raise OutputError(
                f"{folder}: contains another campaign ({stored.difference(campaign)}); choose another folder"
            )
        if campaign is not None:
            stored = replace(stored, **{key: getattr(campaign, key) for key in EDITABLE_FIELDS})
        return cls(folder, stored, sizes[0], sizes[1], total)

    def set_analyses(self, analyses: Any) -> None:
        """Replace the analyses in the folder; `OutputError` while another process computes."""
        self.campaign = replace(self.campaign, analyses=tuple(analyses))
        with self.write_lock():
            self.write_settings()

    def write_settings(self) -> None:
        """Write the settings; titles and analyses may have changed."""
        with disk_errors(self.folder, self.point_count, self.total):
            self._write_settings()

    def _write_settings(self) -> None:
        """Write the settings twice, so that one copy restores the other."""
        settings = {
            "title": self.campaign.title,
            "format": FORMAT,
            "dovetail": __version__,
            "fingerprint": self.campaign.fingerprint,
            "chunk": self.chunk,
            "batch": self.batch,
            "campaign": _without_none(self.campaign.to_dict()),
        }
        zarr_files.create_group(self.folder / RESULTS, settings)
        # last: a folder without this file is not a campaign
        text = tomli_w.dumps({**settings, zarr_files.CHECKSUM: zarr_files.digest(settings)})
        plain_file.write(self.folder / PLAN, text)

    def mend(self) -> list[int]:
        """Restore settings and coordinates, and remove the records of damaged chunks; return their numbers."""
        with disk_errors(self.folder, self.point_count, self.total):
            self._write_settings()
            self._write_coordinates()
            lost = {path.name for path in (self.folder / RESULTS).iterdir() if _lost_metadata(path)}
            damaged = []
            for number, file in self._finished_chunks().items():
                try:
                    names = self._verify(number)
                except (OutputError, OSError):
                    names = None
                if names is None or lost & names:  # a chunk that is written again restores the metadata
                    lost -= names or set()
                    file.unlink()
                    damaged.append(number)
        return damaged

    @contextmanager
    def write_lock(self) -> Iterator[Store]:
        """Hold the lock for writing until the end of the block or of this process."""
        try:
            with FileLock(self.folder / LOCK, timeout=0):
                yield self
        except Timeout as error:
            raise OutputError(
                f"{self.folder}: another process is computing this campaign; wait for it, or stop it"
            ) from error

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.total // self.chunk)

    def point_indices(self, number: int) -> slice:
        """Return the indices of the points of a chunk."""
        return slice(number * self.chunk, min((number + 1) * self.chunk, self.total))

    def missing_chunks(self) -> list[int]:
        """Return the numbers of the chunks without results."""
        finished = self._finished_chunks()
        return [number for number in range(self.chunks) if number not in finished]

    def point_count(self, missing: list[int] | None = None) -> int:
        """Return the number of points with results; `missing` are the missing chunks, if known."""
        missing = self.missing_chunks() if missing is None else missing
        indices = [self.point_indices(number) for number in missing]
        return self.total - sum(part.stop - part.start for part in indices)

    def write(self, number: int, result: ChunkResult) -> None:
        """Write a chunk.

        Points with a measure of another shape than in earlier chunks have failed; their reasons are added to `result`.
        """
        indices = self.point_indices(number)
        size = indices.stop - indices.start
        checksums: dict[str, str] = {}
        with disk_errors(self.folder, self.point_count, self.total):
            for name, values in sorted(result.values.items()):
                array, shape = values.array[:size], self._shape(name, values)
                if array.shape[1:] != shape:
                    text = f"incompatible shapes: {name} has {array.shape[1:]} here, {shape} elsewhere"
                    result.reasons |= dict.fromkeys(range(size), text)
                    array = np.full((size, *shape), np.nan)
                path = self.folder / RESULTS / name
                file = f"{name}/{zarr_files.chunk_file(path, number, array.ndim).name}"
                checksums[file] = zarr_files.write_chunk(path, number, array, self.chunk)
            reasons = {str(indices.start + i): text for i, text in sorted(result.reasons.items()) if i < size}
            record = {"reasons": reasons, "checksums": checksums}
            text = json.dumps({**record, zarr_files.CHECKSUM: zarr_files.digest(record)})
            plain_file.write(self.folder / DONE / _record_name(number), text)

    def failure_reasons(self) -> dict[int, str]:
        """Return the reasons of failed points, by index."""
        reasons: dict[int, str] = {}
        for number in self._finished_chunks():
            chunk_reasons = self._record(number)["reasons"]
            reasons |= {
                int(i): str(text) for i, text in chunk_reasons.items() if re.fullmatch(r"\d{1,18}", i)
            }
        return reasons

    def arrays(self) -> dict[str, tuple[tuple[str, ...], np.ndarray, dict[str, Any]]]:
        """Return dimensions, values and attributes of all measures.

        Raises
        ------
        OutputError
            If a file is damaged, or the arrays do not fit in memory.
        """
        checksums: dict[str, dict[int, str]] = {}
        for number in self._finished_chunks():
            for file, checksum in self._checksums(number).items():
                checksums.setdefault(file.partition("/")[0], {})[number] = checksum
        results = self.folder / RESULTS
        shapes = {name: zarr_files.shape(results / name) for name in sorted(checksums)}
        dims = {name: zarr_files.dimensions(results / name) for name in shapes}
        wrong = [name for name in shapes if (shapes[name][:1], dims[name][:1]) != ((self.total,), ("point",))]
        if wrong:
            raise OutputError(f"{results / wrong[0]}: is damaged: it is not an array over all points")
        size, available = COPIES * 8 * sum(map(math.prod, shapes.values())), available_memory()
        if size > available:
            raise OutputError(
                f"{results}: needs {format_size(size)} of memory, {format_size(available)} are available"
            )
        table = {}
        for name, shape in shapes.items():
            values = np.full(shape, np.nan)
            for number, checksum in checksums[name].items():
                part = zarr_files.read_chunk(results / name, number, (self.chunk, *shape[1:]), checksum)
                indices = self.point_indices(number)
                values[indices] = part[: indices.stop - indices.start]
            about = zarr_files.attributes(results / name)
            table[name] = dims[name], values, about
        return table

    def _record(self, number: int) -> dict[str, dict[str, str]]:
        """Return reasons and checksums of a finished chunk."""
        file = self.folder / DONE / _record_name(number)
        record = zarr_files.read_json(file)
        stored = record.pop(zarr_files.CHECKSUM, None)
        tables = (record.get("reasons"), record.get("checksums"))
        if stored != zarr_files.digest(record) or not all(isinstance(table, dict) for table in tables):
            raise OutputError(f"{file}: is damaged; --resume computes its points again")
        return record

    def _checksums(self, number: int) -> dict[str, str]:
        """Return the files of a finished chunk with their checksums."""
        checksums = self._record(number)["checksums"]
        return {file: str(text) for file, text in checksums.items() if CHUNK_FILE.fullmatch(file)}

    def _verify(self, number: int) -> set[str]:
        """Return the arrays of a finished chunk; `OutputError` or `OSError` if a file is damaged."""
        checksums = self._checksums(number)
        for name, checksum in checksums.items():
            file = self.folder / RESULTS / name
            with plain_file.open_plain(file) as opened:
                if hashlib.file_digest(opened, "sha256").hexdigest() != checksum:
                    raise OutputError(f"{file}: is damaged")
        return {name.partition("/")[0] for name in checksums}

    def _finished_chunks(self) -> dict[int, Path]:
        """Return the records of finished chunks by number, in order."""
        files = {file.name: file for file in (self.folder / DONE).glob("*.json")}
        names = {number: _record_name(number) for number in range(self.chunks)}
        return {number: files[name] for number, name in names.items() if name in files}

    def _shape(self, name: str, values: Values) -> tuple[int, ...]:
        """Return the stored shape of a measure at one point; the first chunk determines it."""
        if name not in self._shapes:
            path, shape = self.folder / RESULTS / name, values.array.shape[1:]
            if (path / zarr_files.METADATA).is_file():
                shape = zarr_files.shape(path)[1:]
            else:
                full_shape, dims = (self.total, *shape), ("point", *values.dims)
                zarr_files.create_array(path, full_shape, dims, values.attrs, chunk=self.chunk)
            self._shapes[name] = shape
        return self._shapes[name]

    def coordinates(self) -> dict[str, tuple[str, np.ndarray, dict[str, Any]]]:
        """Return dimension, values and attributes of the parameters and the seeds."""
        points = self.campaign.points()
        table = {}
        for parameter in self.campaign.parameters:
            about = {"units": parameter.unit, "long_name": parameter.about or parameter.paths[0]}
            table[parameter.name] = ("point", points[parameter.name], about)
        if len(self.campaign.seeds) > 1:
            seeds = np.array(self.campaign.seeds, dtype=float)
            table["seed"] = ("seed", seeds, {"units": "1", "long_name": "seed"})
        return table

    def _write_coordinates(self) -> None:
        for name, (dim, column, about) in self.coordinates().items():
            attributes = {**about, "coordinate": True}
            if column.dtype == object:  # texts are stored as indices into a list
                texts = list(dict.fromkeys(str(v) for v in column))
                index = {text: i for i, text in enumerate(texts)}
                column = np.array([index[str(v)] for v in column], dtype=float)
                attributes["texts"] = texts
            path, size = self.folder / RESULTS / name, max(len(column), 1)
            zarr_files.create_array(path, column.shape, (dim,), attributes, chunk=size)
            zarr_files.write_chunk(path, 0, column, size)


def open_results(folder: str | Path, *, flat: bool = False) -> xr.Dataset:
    """Return the results in a campaign folder as a dataset: a grid over its parameters, otherwise over `point`.

    Points that are not computed yet are NaN, as failed points are; `attrs["failed"]` counts those with a reason.
    """
    store = Store.resume(folder)
    coordinates = {
        name: (dim, column if column.dtype != object else np.array([str(v) for v in column]), about)
        for name, (dim, column, about) in store.coordinates().items()
    }
    try:
        data = xr.Dataset(store.arrays(), coordinates)
    except ValueError as error:  # arrays that do not fit together
        raise OutputError(f"{store.folder / RESULTS}: is damaged ({error})") from error
    if "mode" in data.dims:
        data = data.assign_coords(mode=list(store.campaign.modes))
    data.attrs = {
        "title": store.campaign.title,
        "computed": store.point_count(),
        "points": store.total,
        "failed": len(store.failure_reasons()),
    }
    if flat or store.campaign.design_kind != "grid":
        return data
    names = [parameter.name for parameter in store.campaign.parameters]
    attrs = {name: data[name].attrs for name in names}
    data = data.set_index(point=names).unstack("point") if len(names) > 1 else data.swap_dims(point=names[0])
    for name in names:
        data[name].attrs = attrs[name]
    return data


def _record_name(number: int) -> str:
    return f"{number:06d}.json"


def _read_settings(folder: Path) -> dict[str, Any]:
    """Return the settings of a store from the sound one of their two copies."""
    try:
        return zarr_files.attributes(folder / RESULTS)
    except OutputError as damaged:
        try:
            settings = tomllib.loads(plain_file.read(folder / PLAN).decode())
        except (OSError, ValueError, RecursionError):
            raise damaged from None
        if settings.pop(zarr_files.CHECKSUM, None) != zarr_files.digest(settings):
            raise
        return settings


def _lost_metadata(path: Path) -> bool:
    """Remove the metadata of an array if they are damaged; return whether there are none."""
    if not path.is_dir():
        return False
    try:
        zarr_files.shape(path)
    except OutputError:
        (path / zarr_files.METADATA).unlink(missing_ok=True)
        return True
    return False


@contextmanager
def disk_errors(folder: Path, count: Callable[[], int], total: int) -> Iterator[None]:
    """Raise errors of the disk as `OutputError`, with the number of stored points."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(
            f"{folder}: cannot be written ({reason}); {count()} of {total} points are stored. "
            "Free disk space and continue with --resume"
        ) from error


@contextmanager
def _rollback(folder: Path) -> Iterator[None]:
    """Remove everything that was written if the disk fails before the first result."""
    try:
        yield
    except OSError as error:
        for part in (folder / DONE, folder / RESULTS):
            shutil.rmtree(part, ignore_errors=True)
        reason = (error.strerror or str(error)).lower()
        text = f"{folder}: cannot be written ({reason}); no point was computed"
        raise OutputError(f"{text}. Free disk space, or choose another folder") from error


def _without_none(node: Any) -> Any:
    """Return a table without None, which TOML cannot express."""
    if isinstance(node, Mapping):
        return {key: _without_none(value) for key, value in node.items() if value is not None}
    return [_without_none(value) for value in node] if isinstance(node, list) else node
