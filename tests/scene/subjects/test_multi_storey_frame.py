"""Scene of a multi-storey frame."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.scene.subjects.multi_storey_frame import REACH, STOREY, WALL


@pytest.fixture
def scene():
    rng = np.random.default_rng(5)
    sways = 1e-3 * rng.normal(size=(4, 3))
    told = {"units": "m"}
    data = xr.Dataset(
        {
            "storey_displacement": (("time", "storey"), sways, told),
            "displacement": ("time", sways[:, 0], told),
            "measured_displacement": ("time", 0.9 * sways[:, 0], told),
            "measured_force": ("time", np.array([0.0, 2.0, -4.0, 1.0]), {"units": "N"}),
        },
        {"time": np.arange(4.0)},
    )
    run = SimpleNamespace(
        test=SimpleNamespace(rig=None), recording=Recording.from_dataset(data), title="frame"
    )
    return build_scene(run), sways


def test_each_floor_has_its_recorded_position_times_the_stated_scale(scene):
    scene, sways = scene
    placed = {solid.name: solid.pose for solid in scene.solids}
    assert scene.enlarged == pytest.approx(REACH / np.abs(sways).max())
    for k in range(4):
        for i in range(3):
            at = placed[f"simulation/floor {i + 1}"](k)[1]
            np.testing.assert_allclose(at, [scene.enlarged * sways[k, i], 0.0, STOREY * (i + 1)])
        assert placed["rig/floor"](k)[1][0] == pytest.approx(0.9 * scene.enlarged * sways[k, 0])


def test_the_rod_reaches_from_the_load_cell_into_the_actuator_on_the_wall(scene):
    solids = {solid.name: solid for solid in scene[0].solids}
    cylinder = solids["rig/actuator"].mesh.vertices[:, 0] + solids["rig/actuator"].pose(0)[1][0]
    assert cylinder.max() == pytest.approx(WALL)
    cell, rod = solids["rig/load cell"], solids["rig/rod"]
    ends = []
    for k in range(4):
        start = rod.pose(k)[1][0]
        assert start == pytest.approx((cell.mesh.vertices[:, 0] + cell.pose(k)[1][0]).max())
        ends.append(start + rod.stretch(k) * rod.mesh.vertices[:, 0].max())
    assert np.ptp(ends) < 1e-12
    assert cylinder.min() < ends[0] < cylinder.max()


def test_columns_join_floor_to_floor(scene):
    scene, sways = scene
    columns = next(tube for tube in scene.tubes if tube.name == "simulation/columns 2").points(2)
    np.testing.assert_allclose(np.ptp(columns[..., 2]), STOREY)
    for corner in columns.reshape(4, 8, 2, 3):
        np.testing.assert_allclose(corner[1:, 0], corner[:-1, 1])  # in one piece
        np.testing.assert_allclose(
            corner[-1, 1, 0] - corner[0, 0, 0], scene.enlarged * (sways[2, 1] - sways[2, 0])
        )
