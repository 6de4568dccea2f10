"""Scene of a drogue on a rope."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.scene.subjects.hung_drogue import _nozzle
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def drawn():
    """At rest, and as a rib is struck 0.15 m from the axis, 0.4424 m below the flange."""
    joint, centre = np.array([[0.0, 0, -1.5]] * 2), np.array([[0.0, 0, -1.85]] * 2)
    nozzle = np.array([[-0.6, 0, 0.05, 0, -0.6, 0], [-0.4424, 0, 0.15, 0, -0.6, 0]])
    data = xr.Dataset(
        {
            "displacement": (("time", "axis"), nozzle - nozzle[0]),
            "ball_joint_position": (("time", "side"), joint),
            "drogue_position": (("time", "side"), centre),
            "nozzle_pose": (("time", "axis"), nozzle),
            "measured_force": (("time", "axis"), np.array([[0.0] * 6, [50.0, 0, 80.0, 0, 0, 0]])),
        },
        {"time": [0.0, 0.2], "axis": ["x", "y", "z", "roll", "pitch", "yaw"]},
    )
    run = SimpleNamespace(
        test=dv.load(find_test("refuelling/validation")), recording=Recording.from_dataset(data), title="hung"
    )
    return run, build_scene(run)


def test_the_drogue_hangs_below_its_rope_with_its_mouth_down(drawn):
    run, scene = drawn
    solids = {solid.name: solid for solid in scene.solids}
    rope = next(tube for tube in scene.tubes if tube.name == "rope")
    np.testing.assert_allclose(rope.points(0)[1], run.recording["ball_joint_position"].values[0])
    R, p = solids["drogue/ribs"].pose(0)
    placed = solids["drogue/ribs"].mesh.vertices @ R.T + p
    assert placed[:, 2].max() < rope.points(0)[1][2]
    widest = placed[np.argmax(np.hypot(placed[:, 0], placed[:, 1]))]
    assert widest[2] < placed[:, 2].mean()
    np.testing.assert_allclose(p, rope.points(0)[1] - [0, 0, float(run.test.numerical.flange)], atol=1e-9)
    assert scene.up == "+z"


def test_the_probe_approaches_from_below_with_an_upward_force(drawn):
    run, scene = drawn
    probe = next(solid for solid in scene.solids if solid.name == "probe")
    before, struck = probe.pose(0)[1], probe.pose(1)[1]
    assert before[2] < struck[2]
    flange = np.array([0.0, 0.0, -1.5 - float(run.test.numerical.flange)])
    np.testing.assert_allclose(struck - flange, [-0.15, 0.0, -0.4424], atol=1e-9)
    (arrow,) = scene.arrows
    np.testing.assert_allclose(arrow.at(1), struck)
    np.testing.assert_allclose(arrow.vector(1), [-80.0, 0.0, 50.0], atol=1e-9)


def test_bungees_reach_from_their_anchors_to_the_body(drawn):
    run, scene = drawn
    bungees = next(tube for tube in scene.tubes if tube.name == "bungees").points(0)
    hung = run.test.numerical
    np.testing.assert_allclose(np.hypot(*bungees[:, 0, :2].T), float(hung.bungee_reach))
    np.testing.assert_allclose(
        bungees[:, 1] - run.recording["ball_joint_position"].values[0],
        [[0, 0, -float(hung.bungee_place)]] * 3,
        atol=1e-9,
    )


def test_poses_in_the_drogue_frame_convert_to_laboratory_axes():
    turn = np.array([[[0.0, 0, -1], [0, 1, 0], [1, 0, 0]]])
    R, p = _nozzle(np.array([[-0.5, 0, 0.1, 0, 0, 0]]), turn, np.array([[1.0, 2.0, 3.0]]))(0)
    np.testing.assert_allclose(p, [0.9, 2.0, 2.5])
    np.testing.assert_allclose(R @ [1, 0, 0], [0, 0, 1])  # it points up
