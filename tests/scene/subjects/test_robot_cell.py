"""Scene of the robot cell: the arms reach the recorded tool position."""

from types import SimpleNamespace

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene.subjects.robot_cell import arm_points, cell_of, cell_scene

HOME = np.array([-0.75, 0.0, -0.05, 0.0, 0.0, 0.0])  # [m, rad] of the nozzle against the drogue


@pytest.fixture(scope="module")
def run():
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
        {"time": 0.01 * np.arange(count), "axis": ["x", "y", "z", "roll", "pitch", "yaw"]},
        {"cell": "Robot cell with a full-scale drogue: nozzle against funnel"},
    )
    test = SimpleNamespace(pseudodynamic=SimpleNamespace(home_pose=HOME))
    return SimpleNamespace(test=test, recording=Recording.from_dataset(data), title="strike")


@pytest.fixture(scope="module")
def cell(run):
    return cell_of(run)


@pytest.fixture(scope="module")
def scene(run, cell):
    return cell_scene("strike", run, run.recording.to_dataset(), cell)


def test_the_cell_is_found_by_its_name(run, cell):
    assert cell is not None
    assert cell_of(SimpleNamespace(recording=run.recording.with_attrs(cell="someone's cell"))) is None


def test_the_tool_has_its_measured_pose_in_the_specimen_frame(run, cell, scene):
    place = cell.rig.actuator.specimen_pose
    R, p = np.asarray(place.R), np.asarray(place.p)
    tool = next(tube for tube in scene.tubes if tube.name == "tool")
    for k in (0, 5, 11):
        tip = (tool.points(k)[-1] - p) @ R  # in the specimen's frame
        np.testing.assert_allclose(
            tip, HOME[:3] + run.recording["measured_displacement"].values[k, :3], atol=1e-9
        )
    assert "measurement 10" in scene.notes(11)  # twelve samples, eleven places


def test_the_demand_is_drawn_only_while_the_arms_wait(run, cell, scene):
    assert "demand" not in {solid.name for solid in scene.solids}
    ahead = run.recording.to_dataset().displacement + xr.DataArray([0.1, 0, 0, 0, 0, 0.2], dims="axis")
    waiting = SimpleNamespace(
        test=run.test,
        recording=Recording.from_dataset(run.recording.to_dataset().assign(displacement=ahead)),
        title="strike",
    )
    ghost = next(s for s in cell_scene("s", waiting, waiting.recording, cell).solids if s.name == "demand")
    place = cell.rig.actuator.specimen_pose
    R, p = np.asarray(place.R), np.asarray(place.p)
    turn, at = ghost.pose(7)
    np.testing.assert_allclose((at - p) @ R, HOME[:3] + ahead.values[7, :3], atol=1e-12)
    np.testing.assert_allclose(R.T @ turn @ [1, 0, 0], [np.cos(0.2), np.sin(0.2), 0], atol=1e-12)


def test_limbs_are_joined_and_the_turret_of_the_tools_arm_runs_on_its_track(cell, scene):
    solids = {solid.name: solid.pose for solid in scene.solids}
    tubes = {tube.name: tube.points for tube in scene.tubes}
    for k in (0, 11):
        joint = {i: solids[f"tool arm/joint {i}"](k)[1] for i in (1, 2, 4)}
        np.testing.assert_array_equal(tubes["tool arm/upper"](k), [joint[1], joint[2]])
        np.testing.assert_array_equal(tubes["tool arm/fore"](k)[[0, -1]], [joint[2], joint[4]])
        np.testing.assert_array_equal(tubes["tool arm/wrist"](k)[0], joint[4])
    way = solids["tool arm/turret"](11)[1] - solids["tool arm/turret"](0)[1]
    axis = np.asarray(cell.rig.actuator.track_axis)
    assert np.linalg.norm(way) > 0.1
    np.testing.assert_allclose(np.cross(way, axis), 0.0, atol=1e-9)


def test_the_plinth_stands_on_the_floor_and_carries_the_arm_of_the_specimen(scene):
    solids = {solid.name: solid for solid in scene.solids}
    plinth, floor = (solids[name].mesh.vertices[:, 2] for name in ("plinth", "floor"))
    assert plinth.min() == pytest.approx(floor.max())
    assert plinth.max() == pytest.approx(solids["specimen arm/turret"].pose(0)[1][2])


def test_an_arm_ends_in_its_flange():
    arm = dv.transfer.robot.Arm()
    joints = jnp.array([0.3, -0.2, 0.5, 0.1, 0.7, -0.4])
    points = arm_points(arm, joints)
    np.testing.assert_allclose(points[-1], arm.forward(joints).p, atol=1e-12)
    lengths = np.linalg.norm(np.diff(np.asarray(points), axis=0), axis=1)
    np.testing.assert_allclose(lengths[[1, 3, 4]], [arm.c2, arm.c3, arm.c4], rtol=1e-12)
