"""Run: recorded signals and outcome of a test."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core import roles, signals
from dovetail.core.advance import Progress
from dovetail.core.energy_balance import EnergyBalance, energy_balance
from dovetail.core.errors import value_or_none
from dovetail.core.extensions import display
from dovetail.core.kind_names import name_of
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.core.recording_file import UNFINISHED, read_recording
from dovetail.specimens import Specimen
from dovetail.testing.limits import ROTARY_UNITS
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.recorder import Records, with_record_interval
from dovetail.testing.rig import Rig
from dovetail.testing.tunable_history import with_recorded_values

if TYPE_CHECKING:
    import xarray as xr

    from dovetail.testing.test import Test

SPECIMEN_OUTCOMES = (
    Outcome.LATCHED,
    Outcome.DOCKED,
    Outcome.SEPARATED,
)  # outcomes caused by an end event of the specimen


@dataclasses.dataclass(frozen=True)
class Run:
    """Recording of one run of a test.

    `recording` has the signals of `signals.toml` as arrays with units over `time` (and `axis` for an interface with
    several axes); `data` is the same as an xarray dataset.
    """

    test: Any  # a `Test`; typed Any because the parts of a rig differ
    mode: str
    recording: Recording
    outcome: Outcome
    trip: Trip | None = None
    return_recording: Recording | None = None  # samples around the stop of a real-time run

    @functools.cached_property
    def data(self) -> xr.Dataset:
        """Recording as an xarray dataset over `time` (and `axis`), made at first use."""
        return self.recording.to_dataset()

    @property
    def title(self) -> str:
        """Title of the test, or "untitled test"."""
        return self.test.title or "untitled test"

    @functools.cached_property
    def energy_balance(self) -> EnergyBalance | None:
        """Energy balance of the numerical substructure; None if it records none."""
        system = getattr(self.test, "numerical", None)
        parts = (
            system.lines if isinstance(system, roles.NamesLines) else [f"numerical ({name_of(type(system))})"]
        )
        records = {name: self.recording[name].values for name in self.recording}
        times = self.recording.time.values
        return energy_balance(times, records, self.test.method, parts)

    def plot(self) -> Any:
        """Return an overview of the run as a matplotlib figure."""
        return display("plot", self)

    def reference(self, progress: Progress | None = None) -> Run | None:
        """Return the reference solution of the test, or None if there is none or this run is the reference.

        Tunable parameters have their recorded values. If the operator, the rig or the link has ended the run, the
        reference solution ends at the same time.
        """
        if not self.test.has_reference(self.mode):
            return None
        test = with_recorded_values(self.test, self.recording)
        if self.outcome.is_external:
            test = dataclasses.replace(test, duration=min(test.duration, self.recording.last_time))
        every = int(self.recording.attrs.get("record_every", test.record_every))  # larger for a large file
        if every != test.record_every:
            test = dataclasses.replace(test, record_every=every)
        reference = value_or_none(lambda: test.reference(progress=progress))
        return None if reference is None else dataclasses.replace(reference, test=self.test)

    def report(self, path: str | Path) -> Path:
        """Write a self-contained HTML report of this run, compared with the reference solution."""
        written: Path = display("report", self, Path(path))
        return written

    def save(self, folder: str | Path) -> Path:
        """Write the run folder: resolved test, `result.nc`, `outcome.json`, log."""
        saved: Path = display("save", self, Path(folder))
        return saved

    def view(self, port: int = 0) -> Any:
        """Return a 3-D view of this run, which a notebook shows in its cell; `close()` ends it.

        It listens on this machine only, by default at a free port.
        """
        return display("view", self, port)

    def _repr_html_(self) -> str:
        return str(display("run", self))

    def __str__(self) -> str:
        times = f"{self.recording.last_time:g} of {self.test.duration:g} s"
        lines = [f"{self.title}: {self.mode}, {times}. {self.outcome.value}"]
        if self.trip:
            lines.append(f"  {self.trip}")
        if self.energy_balance and not self.energy_balance.closes:
            lines.append(f"  {self.energy_balance}")
        return "\n".join(lines)


def recording_of(
    test: Test, times: np.ndarray, records: Mapping[str, np.ndarray], attributes: Mapping[str, Any]
) -> Recording:
    """Return records as a recording: each signal with its unit, symbol, label and frame.

    If some axes of the interface are rotary, `units` lists the units of both kinds and `axis_units` the unit of each
    axis; the coordinate `axis_kind` is "angle" or "length" for each axis.
    """
    variables, axes = {}, _axis_names(test)
    numerical, rotary = test.numerical, test.rotary_axes
    own: dict[str, tuple[str, ...]] = {"solver_steps": ("counted",)}
    own |= numerical.DIMS if isinstance(numerical, roles.NamesDimensions) else {}
    for name, values in records.items():
        declared = signals.signal(name)
        values = np.asarray(values)
        dims = ["time", *own.get(name, ())]
        for i, size in enumerate(values.shape[1:] if len(dims) == 1 else ()):
            dims.append("axis" if i == 0 and size == len(axes) else f"{name}_{i}")
        unit = (name == "excitation" and test.excitation_unit) or declared.unit
        about: dict[str, Any] = {
            "units": unit,
            "symbol": declared.symbol,
            "long_name": declared.label,
            "frame": declared.frame,
        }
        if "axis" in dims and any(rotary):
            each = [ROTARY_UNITS.get(unit, unit) if is_rotary else unit for is_rotary in rotary]
            about |= {"units": ", ".join(dict.fromkeys(each)), "axis_units": each}
        variables[name] = RecordedSignal(values, tuple(dims), about)
    time = signals.signal("time")
    about = {"units": time.unit, "symbol": time.symbol, "long_name": time.label}
    coordinates = {"time": RecordedSignal(times, ("time",), about)}
    if axes:
        coordinates["axis"] = RecordedSignal(np.array(axes), ("axis",))
    if axes and any(rotary):
        kinds = ["angle" if is_rotary else "length" for is_rotary in rotary]
        coordinates["axis_kind"] = RecordedSignal(np.array(kinds), ("axis",))
    return Recording(variables, coordinates, dict(attributes))


def as_run(
    test: Test,
    mode: str,
    records: Records,
    outcome: Outcome,
    trip: Trip | None,
    attributes: Mapping[str, Any] | None = None,
) -> Run:
    """Return a run in simulated time from its records."""
    data = recording_of_records(test, records, {"mode": mode, "title": test.title, "seed": test.seed})
    data, ending = cut_at_end_event(test, data.with_attrs(**(attributes or {})), outcome)
    if test.record_every > 1:  # the largest values of a run ended by its specimen would include later ticks
        kept = Records() if ending in SPECIMEN_OUTCOMES else records
        every = data.attrs.get("record_every", test.record_every)
        data = with_record_interval(data, kept.largest, every, kept.largest_vector)
    return Run(test, mode, data, ending, trip if ending is outcome else None)


def recording_of_records(test: Test, records: Records, attributes: Mapping[str, Any]) -> Recording:
    """Return the recording of records with these attributes; of a large one in a file, every n-th record."""
    if records.store is not None and records.is_begun:
        data = records.store.recording(records.chunks)
        known = {name: value for name, value in data.attrs.items() if name != UNFINISHED}
        return dataclasses.replace(data, attrs=known | dict(attributes))
    rows = records.to_arrays()
    times = np.arange(len(next(iter(rows.values())))) * (test.record_every * test.dt)
    return recording_of(test, times, rows, attributes)


def cut_at_end_event(test: Test, data: Recording, outcome: Outcome) -> tuple[Recording, Outcome]:
    """Return recording and outcome, cut at the end event of the specimen if there is one."""
    specimen = test.rig.specimen if isinstance(test.rig, Rig) else None
    if specimen is None or type(specimen).end_event is Specimen.end_event or outcome is Outcome.NOT_FINITE:
        return data, outcome
    file, every = data.file, data.attrs.get("record_every", test.record_every) // test.record_every
    whole = read_recording(file.path) if file is not None and every > 1 else data
    ending = specimen.end_event(whole["achieved_displacement"].values)
    if ending is None:
        return data, outcome
    sample, name = ending
    cut = data.isel(time=slice(0, sample // every + 1))
    file = dataclasses.replace(file, count=sample + 1) if file is not None else None
    return dataclasses.replace(cut, file=file), Outcome[name.upper()]


def _axis_names(test: Test) -> list[str]:
    shape = test.shape
    if not shape:
        return []
    return list(test.axes) or [str(i + 1) for i in range(shape[0])]
