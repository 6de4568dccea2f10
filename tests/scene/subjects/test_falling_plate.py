"""Scene of a plate on a ball."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.scene import build_scene
from dovetail.testing.outcome import Outcome
from dovetail.testing.run import Run, recording_of


def test_plate_and_ball_are_true_to_scale():
    test = dv.load("refuelling/drop")
    way = np.array([0.0, -0.1, -0.15])
    records = {name: way for name in ("displacement", "measured_displacement")}
    records["measured_force"] = np.array([0.0, 0.0, 7.0])
    data = recording_of(test, np.arange(3.0), records, {"mode": "pseudodynamic", "title": "drop"})
    run = Run(test, "pseudodynamic", data, Outcome.FINISHED)
    scene = build_scene(run)
    solids = {solid.name: solid for solid in scene.solids}
    plate, ball = solids["rig/plate"], solids["rig/ball"]
    assert [plate.pose(k)[1][2] for k in range(3)] == pytest.approx([0.205, 0.105, 0.055])
    assert [ball.stretch(k) for k in range(3)] == pytest.approx([1.0, 1.0, 0.055 / 0.067])
    up = (ball.mesh.vertices * [ball.stretch(2), 1, 1]) @ ball.pose(2)[0].T
    assert (up[:, 2].min(), up[:, 2].max()) == (pytest.approx(0.0, abs=1e-9), pytest.approx(0.055))
    assert "ball compression 12 mm" in scene.notes(2)
    assert plate.opacity < 1  # at its lowest it would hide the ball
    assert "simulation/plate" not in solids  # it is where it was demanded
    records["measured_displacement"] = way + 0.01
    late = recording_of(test, np.arange(3.0), records, {"mode": "pseudodynamic", "title": "drop"})
    names = {solid.name for solid in build_scene(Run(test, "pseudodynamic", late, Outcome.FINISHED)).solids}
    assert "simulation/plate" in names
