"""From a recorded run to what is to be seen of it. What was recorded decides which picture is drawn."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import xarray as xr

from dovetail.core.errors import AnalysisError
from dovetail.core.kinds import name_of
from dovetail.scene.events import events_of
from dovetail.scene.scene import Stage
from dovetail.scene.signal_plots import choices, curves
from dovetail.testing import Rig
from dovetail.testing.runnable import Runnable

ON_RIG = "on the rig"
SAMPLES = 20_000  # of a recording that a viewer keeps; more are thinned


def stage_of(run: Any, ideal: Any = None, largest: float | None = None) -> Stage:
    """The stage of a run; `ideal`, where there is one, stands behind it as a ghost.

    Small motion is magnified so that the `largest` displacement [m] fills the picture; by default that of the run.

    Raises
    ------
    AnalysisError
        If nothing was recorded that has a place in space.
    """
    data = thinned(run.data).assign_attrs(largest=largest)
    title = str(getattr(run, "title", "") or data.attrs.get("title", "run"))
    behind = None if ideal is None else _beside(ideal.data, data)
    for needs, draw in (*_of_part(run), *PICTURES):
        if all(name in data for name in needs):
            stage = draw(title, run, data, behind)
            if data.attrs.get("mode") == "emulate":
                stage = attached(stage)
            return dataclasses.replace(
                stage, plots=curves(run.data), choices=choices(run.data), events=events_of(run)
            )
    raise AnalysisError(
        f"{title}: nothing in the recording has a place in space (needs one of "
        + "; ".join(", ".join(needs) for needs, _ in PICTURES)
        + ")"
    )


def pictures_of(run: Any, ideal: Any = None) -> dict[str, Stage]:
    """All pictures of a run by name: the machine, and the robots where they are known."""
    from dovetail.scene.subjects.hexapod_cell import hexapod_of, hexapod_stage
    from dovetail.scene.subjects.robot_cell import cell_of, cell_stage

    found = {"the machine": stage_of(run, ideal)}
    cell = cell_of(run)
    if cell is not None:
        stage = found["the machine"]
        found["the robot cell"] = cell_stage(stage.title, run, thinned(run.data), cell)
    robot = hexapod_of(run)
    if robot is not None and run.data.attrs.get("mode") != "emulate":
        stage = hexapod_stage(found["the machine"].title, run, thinned(run.data), robot)
        found["the hexapod"] = dataclasses.replace(stage, events=found["the machine"].events)
    return found


def attached(stage: Stage) -> Stage:
    """The ideal has no rig: the specimen is attached directly, and nothing moves or measures it."""
    moved_by = tuple(f"{ON_RIG}/{part}" for part in ("actuator", "rod", "load cell"))
    solids = [solid for solid in stage.solids if not solid.name.endswith(moved_by)]
    marks = [(text.replace(ON_RIG, "specimen, attached"), place) for text, place in stage.marks]
    return dataclasses.replace(stage, solids=solids, marks=marks)


def thinned(data: xr.Dataset) -> xr.Dataset:
    """Every so many samples, so that no more are kept than a viewer can show."""
    every = max(1, -(-data.sizes["time"] // SAMPLES))
    return data.isel(time=slice(None, None, every))


def _beside(ideal: xr.Dataset, data: xr.Dataset) -> xr.Dataset:
    """What is drawn of an ideal run, at the moments of another."""
    names = [name for needs, _ in PICTURES for name in needs if name in ideal and name in data]
    return ideal[sorted(set(names))].interp(time=data.time, kwargs={"fill_value": "extrapolate"})


Draw = Callable[[str, Any, xr.Dataset, xr.Dataset | None], Stage]


def _by(module: str, *chosen: str) -> Draw:
    """The picture that a module of this package draws; it is imported for those it draws."""

    def draw(title: str, run: Any, data: xr.Dataset, ideal: xr.Dataset | None) -> Stage:
        return import_module(f"dovetail.scene.subjects.{module}").draw(title, run, data, ideal, *chosen)

    return draw


def _of_part(run: Any) -> list[tuple[Sequence[str], Draw]]:
    """The picture of a specimen, or of a simulated system, that has one of its own."""
    test = getattr(run, "test", None)  # a recording need not have one, nor a rig
    rig = getattr(test, "rig", None)
    parts = [rig.specimen] if isinstance(rig, Rig) else []
    parts += [test.numerical] if isinstance(test, Runnable) else []
    kinds = [name_of(type(part)) for part in parts]
    return [(("displacement",), OF_PARTS[kind]) for kind in kinds if kind in OF_PARTS]


OF_PARTS = {
    "deck-gear": _by("gear_rig"),
    "tennis-ball": _by("falling_plate"),
    "rope-fleet": _by("towed_rope"),
    "free-pair": _by("impact_pair"),
    "lag-damper": _by("blade"),
    "hung-drogue": _by("hung_drogue"),
}
PICTURES: Sequence[tuple[Sequence[str], Draw]] = (
    (("hose_position",), _by("hose_and_drogue", "hose_position")),
    (("platform_position", "node_position"), _by("aircraft")),
    (("node_position",), _by("hose_and_drogue", "node_position")),
    (("probe_position",), _by("probe_and_drogue")),
    (("storey_displacement",), _by("multi_storey_frame")),
    (("displacement",), _by("oscillator")),
)
