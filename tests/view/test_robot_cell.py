"""The robot cell: the arms reach where the run says the tool was."""

from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.studies.registry import find_test
from dovetail.view.robot_cell import arm_points, cell_of, cell_stage


@pytest.fixture(scope="module")
def run():
    test = dv.load(find_test("refuelling/full-scale"))
    count = 12
    moved = np.zeros((count, 6))
    moved[:, 0] = np.linspace(0.0, 0.5, count)
    moved[:, 2] = np.linspace(0.0, 0.02, count)
    moved[5] = moved[4]  # a sample without a move of its own
    data = xr.Dataset(
        {
            "measured_displacement": (("time", "axis"), moved),
            "displacement": (("time", "axis"), moved),
            "measured_force": (("time", "axis"), np.tile([100.0, 0, 0, 0, 0, 0], (count, 1))),
        },
        {"time": 0.01 * np.arange(count), "axis": list(test.axes)},
        {"cell": "Robot cell with a full-scale drogue: nozzle against funnel"},
    )
    return SimpleNamespace(test=test, data=data, title="strike")


def test_the_cell_is_found_by_its_name(run):
    assert cell_of(run) is not None
    assert cell_of(SimpleNamespace(data=run.data.assign_attrs(cell="someone's cell"))) is None


def test_the_tool_is_where_it_was_measured_in_the_specimens_frame(run):
    cell = cell_of(run)
    stage = cell_stage("strike", run, run.data, cell)
    place = cell.rig.actuator.specimen_pose
    R, p = np.asarray(place.R), np.asarray(place.p)
    home = np.asarray(run.test.stepping.home)[:3]
    tool = next(tube for tube in stage.tubes if tube.name == "tool")
    for k in (0, 5, 11):
        tip = (tool.points(k)[-1] - p) @ R  # in the specimen's frame
        np.testing.assert_allclose(tip, home + run.data.measured_displacement.values[k, :3], atol=1e-9)
    assert "reading 10" in stage.notes(11)  # twelve samples, eleven places


def test_an_arm_ends_in_its_flange():
    arm = dv.transfer.robot.Arm()
    joints = jnp.array([0.3, -0.2, 0.5, 0.1, 0.7, -0.4])
    points = arm_points(arm, joints)
    np.testing.assert_allclose(points[-1], arm.forward(joints).p, atol=1e-12)
    lengths = np.linalg.norm(np.diff(np.asarray(points), axis=0), axis=1)
    np.testing.assert_allclose(lengths[[1, 3, 4]], [arm.c2, arm.c3, arm.c4], rtol=1e-12)
