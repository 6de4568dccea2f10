"""Ropes and hoses in flight."""

from types import SimpleNamespace

import numpy as np
import xarray as xr

import dovetail as dv
from dovetail.studies.registry import find_test
from dovetail.view import stage_of
from dovetail.view.chains import axes_of, drogue_of, nodes_of, radius_of, reach_of


def test_a_rope_is_its_nodes(recorded):
    run = recorded(dv.load(find_test("capture/swing")))
    stage = stage_of(run)
    rope = next(tube for tube in stage.tubes if tube.name == "rope")
    np.testing.assert_array_equal(rope.points(3), run.data["node_position"].values[3].T)
    assert stage.up == "-y"


def test_a_chain_is_as_thick_as_the_air_finds_it():
    towed, alone = dv.load(find_test("capture/glider-tow")), dv.load(find_test("capture/swing"))
    assert radius_of(SimpleNamespace(test=towed), 1.0) == 5e-3  # 10 mm in its file
    assert radius_of(SimpleNamespace(test=alone), 1.0) == 1.0  # no air, and nobody says


def flight():
    """Two samples of a hose of two links with a drogue that points forward and a little up, and a nozzle behind it."""
    hose = np.array([[[0, 0, 0], [-5.0, 0, 2.0], [-10.0, 0, 3.0]]] * 2).transpose(0, 2, 1)
    joint = np.array([[-10.0, 0, 3.0], [-10.0, 0, 3.1]])
    centre = joint + np.array([-0.3, 0.0, 0.1])
    force = np.array([[0.0] * 6, [100.0, 0, 0, 0, 0, 0]])
    data = xr.Dataset(
        {
            "hose_position": (("time", "side", "node"), hose),
            "ball_joint_position": (("time", "side"), joint),
            "drogue_position": (("time", "side"), centre),
            "nozzle_position": (("time", "side"), centre - [0.3, 0, 0]),
            "measured_force": (("time", "axis"), force, {"units": "N"}),
        },
        {"time": [0.0, 0.1], "axis": ["x", "y", "z", "roll", "pitch", "yaw"]},
    )
    return (
        SimpleNamespace(test=SimpleNamespace(rig=None, numerical=None), data=data, title="strike"),
        joint,
        centre,
    )


def test_the_drogue_stands_at_its_ball_joint_along_its_axis_and_a_forward_force_points_along_it():
    run, joint, centre = flight()
    stage = stage_of(run)
    parts = {solid.name: solid for solid in stage.solids}
    assert {"tanker", "receiver", "probe", "drogue/ribs"} <= set(parts)
    R, p = parts["drogue/ribs"].pose(1)
    np.testing.assert_allclose(p, joint[1])
    np.testing.assert_allclose(np.linalg.det(R), 1.0)
    ahead = (joint[1] - centre[1]) / np.linalg.norm(joint[1] - centre[1])
    np.testing.assert_allclose(R[:, 0], ahead)
    (arrow,) = stage.arrows
    np.testing.assert_allclose(arrow.vector(1), 100.0 * ahead)
    assert stage.up == "-z"
    assert stage.setting == "sky"


def test_axes_of_a_drogue_are_orthonormal_and_look_down():
    ahead, side, down = axes_of(np.zeros(3), np.array([-0.3, 0.02, 0.1]))
    R = np.stack([ahead, -side, down], axis=1)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
    assert down[2] > 0


def test_a_drogue_has_the_inner_wall_of_its_specimen():
    parts = drogue_of(SimpleNamespace(depths=np.array([0.1, 0.5]), radii=np.array([0.02, 0.2])))
    assert parts["ribs"].vertices[:, 0].min() < -0.48
    assert set(drogue_of(None)) == {"coupling", "ribs", "canopy"}


def test_nodes_are_rows_however_they_were_recorded_and_reach_to_the_tip():
    nodes = np.zeros((2, 3, 5))
    nodes[:, 0] = np.arange(5.0)
    data = xr.Dataset({"node_position": (("time", "side", "node"), nodes)}, {"time": [0.0, 1.0]})
    assert nodes_of(data, "node_position").shape == (2, 5, 3)
    assert reach_of(nodes_of(data, "node_position")) == 4.0
