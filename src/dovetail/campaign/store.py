"""Store of a campaign: a folder written chunk by chunk; missing chunks can be computed later.

::

    DIR/campaign.toml     resolved campaign
    DIR/results.zarr      coordinates and measures over "point" (and "seed", "mode", "time")
    DIR/done/000012.json  one file per finished chunk, with the reasons of its failed points

A chunk is one Zarr chunk of every array and is written once. Its file in `done` appears, by renaming, after its
numbers are written; a chunk without this file is computed again. One process writes at a time. Written chunks survive
the end of any process; they survive a power failure only as far as the file system guarantees it.
"""

from __future__ import annotations

import json
import re
import shutil
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
from dovetail.campaign import zarr_files
from dovetail.campaign.plan import FINGERPRINT_EXCLUDED, Campaign
from dovetail.campaign.subjects import ChunkResult, Values
from dovetail.core.errors import DovetailError, OutputError, format_value

FORMAT = 2
RESULTS, DONE, PLAN, LOCK = "results.zarr", "done", "campaign.toml", ".lock"
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
            for parameter in campaign.parameters:
                about = parameter.about or parameter.paths[0]
                store._write_coordinate(parameter.name, points[parameter.name], parameter.unit, about)
            if len(campaign.seeds) > 1:
                seeds = np.array(campaign.seeds, dtype=float)
                store._write_coordinate("seed", seeds, "1", "seed", dim="seed")
            spec = campaign.to_dict()
            attributes = {
                "format": FORMAT,
                "dovetail": __version__,
                "fingerprint": campaign.fingerprint,
                "chunk": chunk,
                "batch": batch,
                "campaign": spec,
                "title": campaign.title,
            }
            zarr_files.create_group(folder / RESULTS, attributes)
            # last: a folder without this file is not a campaign
            zarr_files.write_atomically(folder / PLAN, tomli_w.dumps(_without_none(spec)))
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
        if not (folder / PLAN).is_file():
            raise OutputError(f"{folder}: contains no campaign; remove --resume to start one")
        attributes = zarr_files.attributes(folder / RESULTS)
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
                f"{folder}: contains another campaign ({_difference(stored, campaign)}); choose another folder"
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
        """Write the campaign file if its analyses or titles have changed."""
        attributes = zarr_files.attributes(self.folder / RESULTS)
        spec = json.loads(json.dumps(self.campaign.to_dict()))
        if attributes["campaign"] == spec:
            return
        with disk_errors(self.folder, self.point_count, self.total):
            zarr_files.create_group(
                self.folder / RESULTS, {**attributes, "campaign": spec, "title": self.campaign.title}
            )
            zarr_files.write_atomically(self.folder / PLAN, tomli_w.dumps(_without_none(spec)))

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
        with disk_errors(self.folder, self.point_count, self.total):
            for name, values in sorted(result.values.items()):
                array, shape = values.array[:size], self._shape(name, values)
                if array.shape[1:] != shape:
                    text = f"incompatible shapes: {name} has {array.shape[1:]} here, {shape} elsewhere"
                    result.reasons |= dict.fromkeys(range(size), text)
                    array = np.full((size, *shape), np.nan)
                zarr_files.write_chunk(self.folder / RESULTS / name, number, array, self.chunk)
            reasons = {str(indices.start + i): text for i, text in sorted(result.reasons.items()) if i < size}
            file = self.folder / DONE / f"{number:06d}.json"
            zarr_files.write_atomically(file, json.dumps({"reasons": reasons}))

    def failure_reasons(self) -> dict[int, str]:
        """Return the reasons of failed points, by index."""
        reasons: dict[int, str] = {}
        for file in self._finished_chunks().values():
            chunk_reasons = zarr_files.read_json(file).get("reasons")
            if not isinstance(chunk_reasons, dict) or not all(
                re.fullmatch(r"\d{1,18}", i) for i in chunk_reasons
            ):
                raise OutputError(f"{file}: is damaged; remove it, and --resume computes its points again")
            reasons |= {int(i): str(text) for i, text in chunk_reasons.items()}
        return reasons

    def _finished_chunks(self) -> dict[int, Path]:
        """Return the files of finished chunks by number, in order."""
        files = sorted((self.folder / DONE).glob("*.json"))
        return {int(file.stem): file for file in files if re.fullmatch(r"\d{1,18}", file.stem)}

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

    def _write_coordinate(self, name, column, unit, about, dim="point"):
        texts = None
        if column.dtype == object:  # texts are stored as indices into a list
            texts = list(dict.fromkeys(str(v) for v in column))
            column = np.array([texts.index(str(v)) for v in column], dtype=float)
        attrs = {"units": unit, "long_name": about, "coordinate": True} | ({"texts": texts} if texts else {})
        path, size = self.folder / RESULTS / name, max(len(column), 1)
        zarr_files.create_array(path, column.shape, (dim,), attrs, chunk=size)
        zarr_files.write_chunk(path, 0, column, size)


def open_results(folder: str | Path, *, flat: bool = False) -> xr.Dataset:
    """Return the results in a campaign folder as a dataset: a grid over its parameters, otherwise over `point`.

    Points that are not computed yet are NaN, as failed points are; `attrs["failed"]` counts those with a reason.
    """
    store = Store.resume(folder)
    data = _arrays(store)
    for name in data.variables:
        data[name].attrs.pop("coordinate", None)  # for other readers; here the campaign names the coordinates
    names = [*store.campaign.points(), *({"seed"} & set(data.variables))]
    for name, column in store.campaign.points().items():  # known, therefore not taken from damaged files
        texts = data[name].attrs.pop("texts", None)
        index = {text: i for i, text in enumerate(texts or ())}
        expected = column if texts is None else np.array([index.get(str(v), -1) for v in column], dtype=float)
        if data[name].dims != ("point",) or not np.array_equal(data[name].values, expected):
            file = store.folder / RESULTS / str(name)
            raise OutputError(f"{file}: is damaged: its values are not those of the campaign")
        values = column if texts is None else np.array([str(v) for v in column])
        data[name] = ("point", values, data[name].attrs)
    data = data.set_coords(names)
    data = xr.Dataset({name: data[name] for name in sorted(map(str, data.data_vars))}, data.coords)
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


def _arrays(store: Store) -> xr.Dataset:
    """Return all arrays of a store; `OutputError` if Zarr cannot read them, or a parameter has none."""
    results = store.folder / RESULTS
    for path in sorted(p for p in results.iterdir() if p.is_dir()):
        attributes = zarr_files.attributes(path)
        texts = attributes.get("texts", [])
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise OutputError(f"{path / zarr_files.METADATA}: is damaged: texts is not a list of texts")
        if not isinstance(attributes.get("units", ""), str):
            raise OutputError(f"{path / zarr_files.METADATA}: is damaged: units is not a text")
    try:
        with xr.open_zarr(results, consolidated=False, chunks=None) as opened:
            data = opened.load()
    except Exception as error:  # any type: Zarr and its codecs have no error class of their own
        text = f"{results}: is damaged and cannot be read ({str(error)[:200]})"
        raise OutputError(f"{text}; compute the campaign again in another folder") from error
    missing = [parameter.name for parameter in store.campaign.parameters if parameter.name not in data]
    if missing or data.sizes.get("point") != store.total:
        names = ", ".join(missing) or f"points (has {data.sizes.get('point', 0)} of {store.total})"
        raise OutputError(f"{results}: is damaged: missing {names}")
    invalid = [str(name) for name, array in data.items() if array.dims[:1] != ("point",)]
    if invalid:
        raise OutputError(f"{results}: is damaged: {', '.join(invalid)} has no dimension point")
    return data


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


def _difference(stored: Campaign, other: Campaign) -> str:
    """Return the differences of two campaigns as a short text."""
    a, b = stored.to_dict(), other.to_dict()
    keys = [key for key in a if a[key] != b[key] and key not in FINGERPRINT_EXCLUDED]
    if "parameters" in keys:
        names = [[parameter["name"] for parameter in spec["parameters"]] for spec in (a, b)]
        if names[0] != names[1]:
            return f"its parameters: {', '.join(names[0])}; given: {', '.join(names[1])}"
        pairs = zip(a["parameters"], b["parameters"], strict=True)
        first, second = next((p, q) for p, q in pairs if p != q)
        return f"its {first['name']}: {_values_text(first)}; given: {_values_text(second)}"
    labels = {
        "table": "[set] or values of the test",
        "subject_name": "subject",
        "point_count": "design.count",
        "design_kind": "design.kind",
    }
    return f"different {', '.join(labels.get(key, key) for key in keys)}"


def _values_text(parameter: Mapping[str, Any]) -> str:
    """Return the values of a parameter as a short text."""
    values = parameter["values"]
    if len(values) > 4:
        return f"{len(values)} values from {values[0]} to {values[-1]}"
    if parameter["distribution"] != "uniform":
        return f"{parameter['distribution']} distribution, centre {parameter['centre']:g}"
    return ", ".join(map(str, values)) or f"{parameter['low']:g} to {parameter['high']:g}"


def _without_none(node: Any) -> Any:
    """Return a table without None, which TOML cannot express."""
    if isinstance(node, Mapping):
        return {key: _without_none(value) for key, value in node.items() if value is not None}
    return [_without_none(value) for value in node] if isinstance(node, list) else node
