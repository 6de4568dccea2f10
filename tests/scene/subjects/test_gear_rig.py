"""Scene of a landing gear on its rig."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.scene.subjects.gear_rig import poses


@pytest.fixture(scope="module")
def run():
    """What a rehearsal records, by chance: the picture is of what was recorded, whatever that is."""
    rng = np.random.default_rng(2)
    moved = {name: 0.05 * rng.standard_normal((5, 6)) for name in ("displacement", "measured_displacement")}
    shown = {name: (("time", "axis"), values) for name, values in moved.items()}
    shown["foot_force"] = (("time", "foot"), rng.uniform(0.0, 900.0, (5, 4)))
    axes = ["x", "y", "z", "roll", "pitch", "yaw"]
    data = xr.Dataset(shown, {"time": 0.1 * np.arange(5), "axis": axes})
    return SimpleNamespace(
        test=dv.load("shipboard/hybrid-drop"), recording=Recording.from_dataset(data), title="a drop"
    )


def test_the_airframe_has_the_demanded_and_the_flange_the_measured_pose(run):
    scene = build_scene(run)
    placed = {solid.name: solid.pose for solid in scene.solids}
    for name, signal in (("simulation/airframe", "displacement"), ("flange", "measured_displacement")):
        moved = (
            run.recording.to_dataset()[signal].values[-1, :3]
            - run.recording.to_dataset()[signal].values[0, :3]
        )
        np.testing.assert_allclose(placed[name](-1)[1] - placed[name](0)[1], moved, atol=1e-12)


def test_the_airframe_starts_at_the_height_of_the_test(run):
    specimen = run.test.rig.specimen
    R, p = poses(specimen, np.zeros((1, 6)))
    standing = float(specimen.body.init()["body"].p[2])
    np.testing.assert_allclose(R[0], np.eye(3), atol=1e-12)
    assert p[0][2] == pytest.approx(standing + 0.25)


def test_feet_remain_on_the_plate_with_recorded_loads(run):
    scene = build_scene(run)
    loads = run.recording["foot_force"].values
    k = int(np.argmax(loads.sum(axis=1)))
    assert len(scene.arrows) == loads.shape[1] == 4
    for i, arrow in enumerate(scene.arrows):
        assert np.linalg.norm(arrow.vector(k)) == pytest.approx(loads[k, i])
    assert all(scene.tubes[0].points(k)[:4, 1, 2] > 0)
