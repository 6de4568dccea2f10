"""Scene of a blade with its lag damper."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.scene.subjects.blade import ARM, HORN, REACH
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def drawn():
    stroke = 8e-3 * np.sin(np.arange(9.0))
    columns = {"displacement": stroke, "measured_displacement": stroke - 3e-4, "measured_force": 1e5 * stroke}
    data = xr.Dataset({n: ("time", v) for n, v in columns.items()}, {"time": np.arange(9.0)})
    run = SimpleNamespace(
        test=dv.load(find_test("substructuring/lag-damper")),
        recording=Recording.from_dataset(data),
        title="damper",
    )
    return run, build_scene(run)


def test_the_damper_is_drawn_out_as_far_as_it_was(drawn):
    run, scene = drawn
    piston = next(tube for tube in scene.tubes if tube.name == "simulation/piston")
    stroke = scene.enlarged * run.recording["displacement"].values
    k = int(np.argmax(np.abs(stroke)))
    assert abs(stroke[k]) == pytest.approx(REACH)
    horn, joint = piston.points(k)
    assert joint[1] - horn[1] == pytest.approx(HORN + stroke[k])


def test_the_blade_follows_its_damper_and_the_rig_the_measurement(drawn):
    run, scene = drawn
    solids = {solid.name: solid for solid in scene.solids}
    k = len(scene.times) // 2
    R, p = solids["simulation/blade"].pose(k)
    piston = next(tube for tube in scene.tubes if tube.name == "simulation/piston")
    np.testing.assert_allclose(R @ [ARM, 0, 0] + p, piston.points(k)[1], atol=1e-12)
    cell = solids["rig/load cell"].pose(k)[1]
    assert cell[0] == pytest.approx(scene.enlarged * run.recording["measured_displacement"].values[k])
