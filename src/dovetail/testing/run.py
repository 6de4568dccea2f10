"""A run: what was recorded, how it ended, and what can be done with it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core import roles, signals
from dovetail.testing.limit_monitor import CHECKS, TURNED, Watch, across
from dovetail.testing.outcome import Outcome, Trip
from dovetail.testing.recorder import Records, thinned
from dovetail.testing.rig import Rig

if TYPE_CHECKING:
    import xarray as xr

    from dovetail.testing.runnable import Runnable

SPECIMENS = (Outcome.LATCHED, Outcome.JOINED, Outcome.PARTED)  # what a specimen's own way of ending is called
Progress = Callable[[float, str], None]  # share done in [0, 1], and what is going on


@dataclasses.dataclass(frozen=True)
class Run:
    """The recording of one run of a test.

    `data` is a dataset over `time` (and `axis` where the interface has several) whose variables are the
    signals of `signals.toml`, each with its unit.
    """

    test: Any  # Runnable: what a test has and a simulation has not is asked for by those who know the mode
    mode: str
    data: xr.Dataset
    outcome: Outcome
    trip: Trip | None = None
    aftermath: xr.Dataset | None = None  # samples around the end of a run that was stopped on a real rig

    @property
    def title(self) -> str:
        """Title of the test, or what there is instead."""
        return self.test.title or "untitled test"

    def plot(self):
        """An overview of the run as a matplotlib figure."""
        from dovetail import report

        return report.plot(self)

    def ideal(self, progress: Progress | None = None) -> Run | None:
        """The ideal to compare with: of the same test, in the same time; None where there is none, or this is it."""
        return None if self.mode in ("emulate", "creep") else self.test.ideal(progress)

    def report(self, path: str | Path) -> Path:
        """Write a self-contained HTML page on this run, compared with the ideal."""
        from dovetail import report

        return report.write_run(self, Path(path))

    def save(self, folder: str | Path) -> Path:
        """Write the run's folder: resolved test, `result.nc`, `outcome.json`, log."""
        from dovetail.testing.run_folder import save

        return save(self, Path(folder))

    def view(self, port: int = 0) -> Any:
        """The view of this run on a page of its own, which a notebook shows in its cell; `close()` ends it.

        It listens on this machine only, at a free port unless one is named.
        """
        from dovetail.view.notebook_frame import RunFrame

        return RunFrame(self, port)

    def _repr_html_(self) -> str:
        from dovetail.report.notebook import run_html

        return run_html(self)

    def __str__(self) -> str:
        last = float(self.data.time[-1]) if self.data.sizes["time"] else 0.0
        lines = [f"{self.title}: {self.mode}, {last:g} of {self.test.duration:g} s. {self.outcome.value}"]
        if self.trip:
            lines.append(f"  {self.trip}")
        return "\n".join(lines)


def dataset(
    test: Runnable, times: np.ndarray, records: Mapping[str, np.ndarray], attributes: Mapping[str, Any]
) -> xr.Dataset:
    """Records as a dataset: every signal with its unit, symbol, label and frame.

    Where some axes of the interface are angles, `units` names the units of both and `axis_units` that of each
    axis; the coordinate `axis_kind` says which is which.
    """
    variables, axes = {}, _axis_names(test)
    numerical, turning = test.numerical, test.turning
    own = numerical.DIMS if isinstance(numerical, roles.NamesDimensions) else {}
    for name, values in records.items():
        known = signals.signal(name)
        values = np.asarray(values)
        dims = ["time", *own.get(name, ())]
        for i, size in enumerate(values.shape[1:] if len(dims) == 1 else ()):
            dims.append("axis" if i == 0 and size == len(axes) else f"{name}_{i}")
        unit = (name == "excitation" and test.excitation_unit) or known.unit
        about: dict[str, Any] = {
            "units": unit,
            "symbol": known.symbol,
            "long_name": known.label,
            "frame": known.frame,
        }
        if "axis" in dims and any(turning):
            each = [TURNED.get(unit, unit) if turns else unit for turns in turning]
            about |= {"units": ", ".join(dict.fromkeys(each)), "axis_units": each}
        variables[name] = (dims, values, about)
    time = signals.signal("time")
    coordinates: dict[str, Any] = {
        "time": ("time", times, {"units": time.unit, "symbol": time.symbol, "long_name": time.label})
    }
    if axes:
        coordinates["axis"] = ("axis", axes)
    if axes and any(turning):
        coordinates["axis_kind"] = ("axis", ["angle" if turns else "length" for turns in turning])
    from dovetail.core.light_xarray import xarray

    return xarray.Dataset(variables, coords=coordinates, attrs=dict(attributes))


def as_run(
    test: Runnable,
    prepared: Runnable,
    attributes: Mapping[str, Any],
    rows: Mapping[str, np.ndarray],
    records: Records,
    seen: Mapping[str, Any],
    outcome: Outcome,
) -> Run:
    """A run in simulated time, from its rows and what else was kept of its ticks."""
    times = np.arange(len(next(iter(rows.values())))) * (test.record_every * test.dt)
    data, outcome = ended(test, dataset(test, times, rows, attributes), outcome)
    if (
        test.record_every > 1
    ):  # of a run that its specimen ended, largest values would be of ticks after that too
        data = thinned(data, {} if outcome in SPECIMENS else records.largest, test.record_every)
    trip = find_trip(prepared, outcome, records.tick * test.dt, records.last, seen)
    return Run(test, attributes["mode"], data, outcome, trip)


def ended(test: Runnable, data: xr.Dataset, outcome: Outcome) -> tuple[xr.Dataset, Outcome]:
    """The recording up to where its specimen says that it was over, and the outcome; else as they are."""
    specimen = test.rig.specimen if isinstance(test.rig, Rig) else None
    ending = specimen.ending(data["achieved_displacement"].values) if specimen is not None else None
    if ending is None or outcome is Outcome.NOT_FINITE:
        return data, outcome
    sample, name = ending
    return data.isel(time=slice(0, sample + 1)), Outcome[name.upper()]


def _axis_names(test: Runnable) -> list[str]:
    shape = test.shape
    if not shape:
        return []
    return list(test.axes) or [str(i + 1) for i in range(shape[0])]


def find_trip(
    test: Runnable, outcome: Outcome, time: float, last: Mapping[str, Any], seen: Mapping[str, Any]
) -> Trip | None:
    """What the last tick of a stopped run met, in numbers; None where it was no limit."""
    if not any(check.outcome is outcome for check in CHECKS):
        return None
    met = dict(last)
    if test.rig is not None:
        met |= across(met, met) | {"interface_energy": seen["energy"], "still_readings": seen["still"][0]}
    return Watch.of(test, test.USUAL).trip(outcome, time, met)
