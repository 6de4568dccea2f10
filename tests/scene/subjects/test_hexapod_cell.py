"""Scene of a hexapod with a probe."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene.subjects.hexapod_cell import hexapod_of, hexapod_scene
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def run():
    rng = np.random.default_rng(4)
    motion = np.concatenate([np.zeros((1, 6)), 0.03 * rng.standard_normal((3, 6))])
    test = dv.load(find_test("docking/six-dof-hexapod"))
    tip = np.asarray(test.rig.specimen.initial_position) + motion[:, :3]
    shown = {"displacement": (("time", "axis"), motion), "probe_position": (("time", "xyz"), tip)}
    return SimpleNamespace(
        test=test, recording=Recording.from_dataset(xr.Dataset(shown, {"time": np.arange(4.0)})), title="a"
    )


def test_legs_connect_joints_with_the_length_of_the_robot(run):
    robot = hexapod_of(run)
    scene = hexapod_scene("a", run, run.recording, robot)
    lower, upper = (tube.points(2) for tube in scene.tubes)
    np.testing.assert_allclose(lower[:, 0], robot.hexapod.joints[0], atol=1e-12)
    np.testing.assert_allclose(lower[:, 1], upper[:, 0], atol=1e-12)
    platform = robot.platform(run.recording["displacement"].values[2])
    np.testing.assert_allclose(
        np.linalg.norm(upper[:, 1] - lower[:, 0], axis=1), robot.hexapod.lengths(platform), rtol=1e-9
    )


def test_the_tip_has_its_recorded_position_in_the_drogue(run):
    solids = {solid.name: solid for solid in hexapod_scene("a", run, run.recording, hexapod_of(run)).solids}
    tool = float(hexapod_of(run).tool)
    for k in range(4):
        (R, p), (turn, place) = solids["probe"].pose(k), solids["drogue"].pose(k)
        tip = turn.T @ (p + tool * R[:, 2] - place)
        np.testing.assert_allclose(tip, run.recording["probe_position"].values[k], atol=1e-9)


def test_a_robot_of_another_kind_has_no_legs():
    assert hexapod_of(SimpleNamespace(test=dv.load(find_test("docking/six-dof")))) is None
    assert hexapod_of(SimpleNamespace()) is None
