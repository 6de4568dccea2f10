"""The folder a campaign writes, chunk by chunk: what is there is complete, what is missing can be computed later.

::

    DIR/campaign.toml     the campaign, resolved
    DIR/results.zarr      coordinates and measures over "point" (and "seed", "mode", "time")
    DIR/done/000012.json  one file a finished chunk, with the reasons of its failed points

A chunk is one Zarr chunk of every array, so that nothing is ever written twice. Its file in `done` appears, by
renaming, after its numbers are written; a chunk without one is computed anew. One process writes at a time. What was
written survives the death of any process; of the power supply, only if the file system sees to it.
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
from dovetail.campaign.plan import UNSEEN, Campaign
from dovetail.campaign.subjects import ChunkResult, Values
from dovetail.core.errors import DovetailError, OutputError, shown

FORMAT = 1
RESULTS, DONE, PLAN, LOCK = "results.zarr", "done", "campaign.toml", ".lock"
SAID = ("title", "source", "answers", "fixed")  # of a campaign: may be said anew when it is taken up


class Store:
    """The folder of one campaign."""

    def __init__(self, folder: Path, campaign: Campaign, chunk: int, batch: int, total: int):
        self.folder, self.campaign = folder, campaign
        self.chunk, self.batch, self.total = chunk, batch, total
        self._shapes: dict[str, tuple[int, ...]] = {}  # of a measure at one point

    # opening

    @classmethod
    def create(cls, folder: str | Path, campaign: Campaign, chunk: int, batch: int) -> Store:
        """A new folder, with the coordinates of all points and nothing computed.

        Raises
        ------
        OutputError
            If there is something in it already, or it cannot be written.
        """
        folder = Path(folder)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            hint = "add --resume to go on with it" if (folder / PLAN).is_file() else "choose another folder"
            raise OutputError(f"{folder}: is already there and not empty; {hint}")
        points = campaign.points()
        total = len(next(iter(points.values())))
        with _begun(folder):
            (folder / DONE).mkdir(parents=True, exist_ok=True)
            (folder / RESULTS).mkdir(exist_ok=True)
            store = cls(folder, campaign, chunk, batch, total)
            for axis in campaign.axes:
                store._coordinate(axis.name, points[axis.name], axis.unit, axis.about or axis.paths[0])
            if len(campaign.seeds) > 1:
                store._coordinate("seed", np.array(campaign.seeds, dtype=float), "1", "seed", dim="seed")
            spec = campaign.spec()
            about = {
                "format": FORMAT,
                "dovetail": __version__,
                "fingerprint": campaign.fingerprint,
                "chunk": chunk,
                "batch": batch,
                "campaign": spec,
                "title": campaign.title,
            }
            zarr_files.create_group(folder / RESULTS, about)
            # last: a folder without it was never begun
            zarr_files.written(folder / PLAN, tomli_w.dumps(_without_none(spec)))
        return store

    @classmethod
    def resume(cls, folder: str | Path, campaign: Campaign | None = None) -> Store:
        """The folder of a campaign that was begun; `campaign`, where it is given, must be the same one.

        Raises
        ------
        OutputError
            If it holds another campaign, or one of another version.
        """
        folder = Path(folder)
        if not (folder / PLAN).is_file():
            raise OutputError(f"{folder}: holds no campaign that was begun; leave --resume away to begin one")
        about = zarr_files.attributes(folder / RESULTS)
        if about.get("format") != FORMAT:
            raise OutputError(
                f"{folder}: has format {shown(about.get('format'))}, this version writes {FORMAT}"
            )
        if about.get("dovetail") != __version__:
            raise OutputError(
                f"{folder}: computed by version {str(about.get('dovetail'))[:40]}; this is {__version__}. A campaign "
                "has results of one version only. Continue with that version, or choose another folder"
            )
        try:
            kept = Campaign.from_spec(about["campaign"])
            total = len(next(iter(kept.points().values())))
            sizes = [about[key] for key in ("chunk", "batch")]
            right = kept.fingerprint == about["fingerprint"] and all(type(n) is int and n > 0 for n in sizes)
        except (DovetailError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise OutputError(f"{folder / RESULTS / zarr_files.ABOUT}: is damaged ({error})") from error
        if not right:
            raise OutputError(f"{folder / RESULTS / zarr_files.ABOUT}: is damaged: it is not of its campaign")
        if campaign is not None and campaign.fingerprint != kept.fingerprint:
            raise OutputError(
                f"{folder}: holds another campaign ({_difference(kept, campaign)}); give another folder"
            )
        if campaign is not None:  # what changes no result is as it is asked for now
            kept = replace(kept, **{key: getattr(campaign, key) for key in SAID})
        return cls(folder, kept, sizes[0], sizes[1], total)

    def ask(self, questions: Any) -> None:
        """Keep other questions than before; `OutputError` while another process computes."""
        self.campaign = replace(self.campaign, answers=tuple(questions))
        with self.writing():
            self.say()

    def say(self) -> None:
        """Write the campaign down as it is now: its questions and titles may be other than when it was begun."""
        about = zarr_files.attributes(self.folder / RESULTS)
        spec = json.loads(json.dumps(self.campaign.spec()))
        if about["campaign"] == spec:
            return
        with told(self.folder, self.count, self.total):
            zarr_files.create_group(
                self.folder / RESULTS, {**about, "campaign": spec, "title": self.campaign.title}
            )
            zarr_files.written(self.folder / PLAN, tomli_w.dumps(_without_none(spec)))

    @contextmanager
    def writing(self) -> Iterator[Store]:
        """The right to write, until the end of the block or of this process."""
        try:
            with FileLock(self.folder / LOCK, timeout=0):
                yield self
        except Timeout as error:
            raise OutputError(
                f"{self.folder}: another process is computing this campaign; wait for it, or stop it"
            ) from error

    # chunks

    @property
    def chunks(self) -> int:
        """How many there are."""
        return -(-self.total // self.chunk)

    def places(self, number: int) -> slice:
        """Points of a chunk."""
        return slice(number * self.chunk, min((number + 1) * self.chunk, self.total))

    def missing(self) -> list[int]:
        """Chunks that are not there yet."""
        there = set(self._finished())
        return [number for number in range(self.chunks) if number not in there]

    def count(self, missing: list[int] | None = None) -> int:
        """Points that are there, where chunks are `missing`."""
        missing = self.missing() if missing is None else missing
        return self.total - sum(self.places(n).stop - self.places(n).start for n in missing)

    def write(self, number: int, result: ChunkResult) -> None:
        """Keep a chunk. Points with a measure of another shape than before have failed, and the result says so."""
        where = self.places(number)
        size = where.stop - where.start
        with told(self.folder, self.count, self.total):
            for name, values in sorted(result.values.items()):
                array, shape = values.array[:size], self._shape(name, values)
                if array.shape[1:] != shape:
                    text = f"incompatible shapes: {name} has {array.shape[1:]} here, {shape} elsewhere"
                    result.reasons |= dict.fromkeys(range(size), text)
                    array = np.full((size, *shape), np.nan)
                zarr_files.write_chunk(self.folder / RESULTS / name, number, array, self.chunk)
            reasons = {str(where.start + i): text for i, text in sorted(result.reasons.items()) if i < size}
            zarr_files.written(self.folder / DONE / f"{number:06d}.json", json.dumps({"reasons": reasons}))

    def reasons(self) -> dict[int, str]:
        """Why points failed."""
        found: dict[int, str] = {}
        for file in self._finished().values():
            reasons = zarr_files.read_json(file).get("reasons")
            if not isinstance(reasons, dict) or not all(re.fullmatch(r"\d{1,18}", i) for i in reasons):
                raise OutputError(f"{file}: is damaged; remove it, and --resume computes its points again")
            found |= {int(i): str(text) for i, text in reasons.items()}
        return found

    def _finished(self) -> dict[int, Path]:
        """Finished chunks by number, in order."""
        files = sorted((self.folder / DONE).glob("*.json"))
        return {int(file.stem): file for file in files if re.fullmatch(r"\d{1,18}", file.stem)}

    def _shape(self, name: str, values: Values) -> tuple[int, ...]:
        """Shape of a measure at one point, as it is kept; the first that come decide."""
        if name not in self._shapes:
            path, shape = self.folder / RESULTS / name, values.array.shape[1:]
            if (path / zarr_files.ABOUT).is_file():
                shape = zarr_files.shape(path)[1:]
            else:
                whole, dims = (self.total, *shape), ("point", *values.dims)
                zarr_files.create_array(path, whole, dims, values.attrs, chunk=self.chunk)
            self._shapes[name] = shape
        return self._shapes[name]

    def _coordinate(self, name, column, unit, about, dim="point"):
        words = None
        if column.dtype == object:  # words are kept as places in a list
            words = list(dict.fromkeys(str(v) for v in column))
            column = np.array([words.index(str(v)) for v in column], dtype=float)
        attrs = {"units": unit, "long_name": about, "coordinate": True} | ({"words": words} if words else {})
        path, size = self.folder / RESULTS / name, max(len(column), 1)
        zarr_files.create_array(path, column.shape, (dim,), attrs, chunk=size)
        zarr_files.write_chunk(path, 0, column, size)


def open_results(folder: str | Path, *, flat: bool = False) -> xr.Dataset:
    """What a campaign's folder holds, as a dataset; of a grid over its axes, else over `point`.

    Points that were not computed yet are NaN, as failed ones are; `attrs["failed"]` counts those with a reason.
    """
    store = Store.resume(folder)
    data = _arrays(store)
    for name in data.variables:
        data[name].attrs.pop("coordinate", None)  # for other readers; which they are the campaign says
    names = [*store.campaign.points(), *({"seed"} & set(data.variables))]
    for name, column in store.campaign.points().items():  # known, and so not to be taken from damaged files
        words = data[name].attrs.pop("words", None)
        kept = data[name].values
        places = {word: i for i, word in enumerate(words or ())}
        known = column if words is None else np.array([places.get(str(v), -1) for v in column], dtype=float)
        if data[name].dims != ("point",) or not np.array_equal(kept, known):
            raise OutputError(
                f"{store.folder / RESULTS / str(name)}: is damaged: these are not the campaign's points"
            )
        values = column if words is None else np.array([str(v) for v in column])
        data[name] = ("point", values, data[name].attrs)
    data = data.set_coords(names)
    data = xr.Dataset({name: data[name] for name in sorted(map(str, data.data_vars))}, data.coords)
    if "mode" in data.dims:
        data = data.assign_coords(mode=list(store.campaign.modes))
    data.attrs = {
        "title": store.campaign.title,
        "computed": store.count(),
        "points": store.total,
        "failed": len(store.reasons()),
    }
    if flat or store.campaign.kind != "grid":
        return data
    axes = [axis.name for axis in store.campaign.axes]
    about = {name: data[name].attrs for name in axes}
    data = data.set_index(point=axes).unstack("point") if len(axes) > 1 else data.swap_dims(point=axes[0])
    for name in axes:
        data[name].attrs = about[name]
    return data


def _arrays(store: Store) -> xr.Dataset:
    """All arrays of a store; `OutputError` if Zarr cannot read them, or an axis has none."""
    where = store.folder / RESULTS
    for path in sorted(p for p in where.iterdir() if p.is_dir()):
        about = zarr_files.attributes(path)
        words = about.get("words", [])
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise OutputError(f"{path / zarr_files.ABOUT}: is damaged: its words are no list of words")
        if not isinstance(about.get("units", ""), str):
            raise OutputError(f"{path / zarr_files.ABOUT}: is damaged: its units are no word")
    try:
        with xr.open_zarr(where, consolidated=False, chunks=None) as opened:
            data = opened.load()
    except Exception as error:  # of many kinds: Zarr and its codecs have no error of their own
        text = f"{where}: is damaged and cannot be read ({str(error)[:200]})"
        raise OutputError(f"{text}; begin the campaign anew in another folder") from error
    missing = [axis.name for axis in store.campaign.axes if axis.name not in data]
    if missing or data.sizes.get("point") != store.total:
        names = ", ".join(missing) or f"points ({data.sizes.get('point', 0)} of {store.total} are there)"
        raise OutputError(f"{where}: is damaged: it lacks {names}")
    strange = [str(name) for name, array in data.items() if array.dims[:1] != ("point",)]
    if strange:
        raise OutputError(f"{where}: is damaged: {', '.join(strange)} is not over the campaign's points")
    return data


@contextmanager
def told(folder: Path, count: Callable[[], int], total: int) -> Iterator[None]:
    """Errors of the disk as a message that says what is kept."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise OutputError(
            f"{folder}: cannot be written ({reason}); {count()} of {total} points are kept. "
            "Make room and go on with --resume"
        ) from error


@contextmanager
def _begun(folder: Path) -> Iterator[None]:
    """Errors of the disk before anything is computed: what was written is taken away again."""
    try:
        yield
    except OSError as error:
        for part in (folder / DONE, folder / RESULTS):
            shutil.rmtree(part, ignore_errors=True)
        reason = (error.strerror or str(error)).lower()
        text = f"{folder}: cannot be written ({reason}); nothing was computed yet"
        raise OutputError(f"{text}. Make room, or choose another folder") from error


def _difference(kept: Campaign, other: Campaign) -> str:
    """What two campaigns do not agree in, in a few words."""
    a, b = kept.spec(), other.spec()
    told = [key for key in a if a[key] != b[key] and key not in UNSEEN]
    if "axes" in told:
        names = [[axis["name"] for axis in spec["axes"]] for spec in (a, b)]
        if names[0] != names[1]:
            return f"axes {', '.join(names[0])} there, {', '.join(names[1])} here"
        first = next(i for i, axis in enumerate(a["axes"]) if axis != b["axes"][i])
        there, here = (_span(spec["axes"][first]) for spec in (a, b))
        return f"axis {names[0][first]} has {there} there, {here} here"
    words = {"table": "[set] or the test's own values", "of": "what is evaluated", "number": "points"}
    return f"{', '.join(words.get(key, key) for key in told)} differ"


def _span(axis: Mapping[str, Any]) -> str:
    """Values of an axis, in a few words."""
    if len(axis["values"]) > 4:
        return f"{len(axis['values'])} values from {axis['values'][0]} to {axis['values'][-1]}"
    if axis["distribution"] != "uniform":
        return f"a {axis['distribution']} distribution about {axis['centre']:g}"
    return ", ".join(map(str, axis["values"])) or f"{axis['low']:g} to {axis['high']:g}"


def _without_none(node: Any) -> Any:
    """TOML has no word for nothing."""
    if isinstance(node, Mapping):
        return {key: _without_none(value) for key, value in node.items() if value is not None}
    return [_without_none(value) for value in node] if isinstance(node, list) else node
