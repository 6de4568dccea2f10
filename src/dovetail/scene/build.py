"""Build the 3-D scene of a recorded run; the recorded signals select the subject."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from scipy.interpolate import make_interp_spline

from dovetail.core import Flow
from dovetail.core.errors import AnalysisError
from dovetail.core.kind_names import name_of
from dovetail.core.recording import Recording
from dovetail.scene.events import events_of
from dovetail.scene.scene import Scene
from dovetail.scene.signal_plots import choices, curves
from dovetail.testing import Rig
from dovetail.testing.modes import mode_named
from dovetail.testing.test import Test

ON_RIG = "rig"
MAX_SAMPLES = 20_000  # samples of a recording in a viewer; longer recordings are thinned


def build_scene(run: Any, reference_run: Any = None, largest: float | None = None) -> Scene:
    """Return the scene of a run, with its reference run as a ghost if given.

    Small motion is scaled so that the `largest` displacement [m] (default: of the run) fills the view.

    Raises
    ------
    AnalysisError
        If no signal with a position was recorded.
    """
    data = thin(run.recording).with_attrs(largest=largest)
    title = str(getattr(run, "title", "") or data.attrs.get("title", "run"))
    reference = None if reference_run is None else _interpolate_reference(reference_run.recording, data)
    for needs, draw in (*_part_subjects(run), *SUBJECTS):
        if all(name in data for name in needs):
            scene = draw(title, run, data, reference)
            if mode_named(data.attrs.get("mode")).is_reference:
                scene = without_rig_parts(scene)
            return dataclasses.replace(
                scene, plots=curves(run.recording), choices=choices(run.recording), events=events_of(run)
            )
    raise AnalysisError(
        f"{title}: no 3-D scene: the recording has no signal with a position (record one of "
        + "; ".join(", ".join(needs) for needs, _ in SUBJECTS)
        + ")"
    )


def available_scenes(run: Any, reference_run: Any = None) -> dict[str, Scene]:
    """Return all scenes of a run by name: machine, and robot cell or hexapod if the run used one."""
    from dovetail.scene.subjects.hexapod_cell import hexapod_of, hexapod_scene
    from dovetail.scene.subjects.robot_cell import cell_of, cell_scene

    scenes = {"machine": build_scene(run, reference_run)}
    cell = cell_of(run)
    if cell is not None:
        scene = scenes["machine"]
        scenes["robot cell"] = cell_scene(scene.title, run, thin(run.recording), cell)
    robot = hexapod_of(run)
    if robot is not None and not mode_named(run.recording.attrs.get("mode")).is_reference:
        scene = hexapod_scene(scenes["machine"].title, run, thin(run.recording), robot)
        scenes["hexapod"] = dataclasses.replace(scene, events=scenes["machine"].events)
    return scenes


def without_rig_parts(scene: Scene) -> Scene:
    """Return the scene of a reference run, without actuator and load cell."""
    moved_by = tuple(f"{ON_RIG}/{part}" for part in ("actuator", "rod", "load cell"))
    solids = [solid for solid in scene.solids if not solid.name.endswith(moved_by)]
    marks = [(text.replace(ON_RIG, "specimen, directly coupled"), place) for text, place in scene.marks]
    return dataclasses.replace(scene, solids=solids, marks=marks)


def thin(data: Recording) -> Recording:
    """Thin a recording to at most `MAX_SAMPLES` samples."""
    every = max(1, -(-data.sizes["time"] // MAX_SAMPLES))
    return data.isel(time=slice(None, None, every))


def _interpolate_reference(reference_run: Recording, data: Recording) -> Recording:
    """Return the drawn signals of a reference run, interpolated at the times of another run."""
    names = [name for needs, _ in SUBJECTS for name in needs if name in reference_run and name in data]
    signals = {}
    for name in set(names):
        signal = reference_run[name]
        curve = make_interp_spline(reference_run.time.values, signal.values, k=1)
        signals[name] = dataclasses.replace(signal, values=curve(data.time.values))
    return reference_run.at_times(data.time).with_signals(signals)


Draw = Callable[[str, Any, Recording, Recording | None], Scene]


def _subject(module: str, *chosen: str) -> Draw:
    """Return the `draw` function of a module of `subjects`, imported when called."""

    def draw(title: str, run: Any, data: Recording, reference_run: Recording | None) -> Scene:
        return import_module(f"dovetail.scene.subjects.{module}").draw(
            title, run, data, reference_run, *chosen
        )

    return draw


def _part_subjects(run: Any) -> list[tuple[Sequence[str], Draw]]:
    """Return the subject of a specimen or simulated system with its own drawing."""
    test = getattr(run, "test", None)  # None for a recording
    rig = getattr(test, "rig", None)
    parts: list[Flow] = [rig.specimen] if isinstance(rig, Rig) else []
    parts += [test.numerical] if isinstance(test, Test) else []
    kinds = [name_of(type(part)) for part in parts]
    return [(("displacement",), PART_SUBJECTS[kind]) for kind in kinds if kind in PART_SUBJECTS]


PART_SUBJECTS = {
    "deck-gear": _subject("gear_rig"),
    "middle-mass": _subject("mass_chain"),
    "tennis-ball": _subject("falling_plate"),
    "rope-fleet": _subject("towed_rope"),
    "free-pair": _subject("impact_pair"),
    "lag-damper": _subject("blade"),
    "hung-drogue": _subject("hung_drogue"),
}
SUBJECTS: Sequence[tuple[Sequence[str], Draw]] = (
    (("hose_position",), _subject("hose_and_drogue", "hose_position")),
    (("platform_position", "node_position"), _subject("aircraft")),
    (("node_position",), _subject("hose_and_drogue", "node_position")),
    (("probe_position",), _subject("probe_and_drogue")),
    (("storey_displacement",), _subject("multi_storey_frame")),
    (("displacement",), _subject("oscillator")),
)
