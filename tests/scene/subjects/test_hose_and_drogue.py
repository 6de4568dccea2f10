"""Scenes of ropes and hoses in flight."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.scene.subjects.hose_and_drogue import axes_of, drogue_of, nodes_of
from dovetail.studies.registry import find_test


def flight():
    """Two samples of a hose of three links, a drogue that points forward and a little up, and a nozzle behind it."""
    hose = np.array([[[0, 0, 0], [-5.0, 0, -2.0], [-9.0, 0, -2.9], [-10.0, 0, -3.0]]] * 2).transpose(0, 2, 1)
    joint = np.array([[-10.0, 0, -3.0], [-10.0, 0, -3.1]])
    centre = joint + np.array([-0.3, 0.0, -0.1])
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
        SimpleNamespace(
            test=SimpleNamespace(rig=None, numerical=None),
            recording=Recording.from_dataset(data),
            title="strike",
        ),
        joint,
        centre,
    )


def test_the_drogue_is_at_its_ball_joint_along_its_axis():
    run, joint, centre = flight()
    scene = build_scene(run)
    parts = {solid.name: solid for solid in scene.solids}
    assert {"tanker", "receiver", "probe", "drogue/ribs"} <= set(parts)
    R, p = parts["drogue/ribs"].pose(1)
    np.testing.assert_allclose(p, joint[1])
    np.testing.assert_allclose(np.linalg.det(R), 1.0)
    ahead = (joint[1] - centre[1]) / np.linalg.norm(joint[1] - centre[1])
    np.testing.assert_allclose(R[:, 0], ahead)
    (arrow,) = scene.arrows
    np.testing.assert_allclose(arrow.vector(1), 100.0 * ahead)
    assert scene.up == "+z"
    assert scene.setting == "sky"


def test_a_hose_without_recorded_drogue_gets_one_at_its_end():
    run, *_ = flight()
    run.recording = run.recording.with_signals({"hose_position": run.recording["hose_position"]})
    scene = build_scene(run)
    ribs = next(solid for solid in scene.solids if solid.name == "drogue/ribs")
    nodes = run.recording["hose_position"].values[1].T
    np.testing.assert_allclose(ribs.pose(1)[1], nodes[-2])


def test_a_hose_reeled_on_the_ground_has_a_duct_instead_of_a_tanker():
    run, *_ = flight()
    run.test.numerical = dv.load(find_test("refuelling/reel-in")).numerical
    run.recording = run.recording.with_signals({"hose_position": run.recording["hose_position"]})
    scene = build_scene(run)
    assert {"duct", "drogue/ribs"} <= {solid.name for solid in scene.solids}
    assert "tanker" not in {solid.name for solid in scene.solids}
    assert scene.setting == "room"


def test_a_latched_hose_has_the_receiver_at_its_drogue():
    run, *_ = flight()
    run.test.numerical = dv.load(find_test("refuelling/latched")).numerical
    run.recording = run.recording.with_signals({"hose_position": run.recording["hose_position"]})
    solids = {solid.name: solid for solid in build_scene(run).solids}
    np.testing.assert_allclose(solids["probe"].pose(0)[1], run.recording["hose_position"].values[0].T[-1])
    assert "tanker" in solids


def test_a_force_is_labelled_with_its_limit_or_without_one_in_weights_of_the_drogue():
    run, *_ = flight()
    test = dv.load(find_test("refuelling/full-scale"))
    hose = test.numerical
    weights = 100.0 / float(hose.drogue.mass * hose.gravity)
    for limits, text in (
        (dv.Limits(), f"{weights:.3g} × weight of the drogue"),
        (dv.Limits(force=400.0), "25 % of the limit"),
    ):
        run.test = dataclasses.replace(test, limits=limits)
        (arrow,) = build_scene(run).arrows
        assert arrow.text(1) == text


def test_the_duct_is_a_tube_of_constant_wall_thickness():
    run, *_ = flight()
    run.test.numerical = dv.load(find_test("refuelling/reel-in")).numerical
    data = run.recording.to_dataset()
    run.recording = Recording.from_dataset(data[["hose_position"]])
    mesh = next(solid.mesh for solid in build_scene(run).solids if solid.name == "duct")
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    volume = np.sum(a * np.cross(b, c)) / 6
    radius, length = np.linalg.norm(mesh.vertices[:, 1:], axis=1), np.ptp(mesh.vertices[:, 0])
    hollow = np.pi * (radius.max() ** 2 - radius.min() ** 2) * length
    assert abs(volume) == pytest.approx(hollow, rel=0.02)  # a polygon instead of a circle


def test_axes_of_a_drogue_are_a_rotation_and_its_third_points_up():
    R = axes_of(np.zeros(3), np.array([-0.3, -0.02, -0.1]))
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(R), 1.0)
    assert R[2, 2] > 0


def test_a_drogue_has_the_inner_wall_of_its_specimen():
    parts = drogue_of(SimpleNamespace(depths=np.array([0.1, 0.5]), radii=np.array([0.02, 0.2])))
    assert parts["ribs"].vertices[:, 0].min() < -0.48
    assert set(drogue_of(None)) == {"coupling", "ribs", "canopy"}


def test_nodes_are_rows_and_chains_remain_separate():
    nodes = np.zeros((2, 4, 3, 5))
    nodes[:, :, 0] = np.arange(5.0)
    nodes[:, 1, 1] = 7.0
    data = xr.Dataset(
        {"one": (("time", "side", "node"), nodes[:, 0]), "four": (("time", "rope", "side", "node"), nodes)},
        {"time": [0.0, 1.0]},
    )
    assert nodes_of(data, "one").shape == (2, 1, 5, 3)
    four = nodes_of(data, "four")
    assert four.shape == (2, 4, 5, 3)
    np.testing.assert_array_equal(four[0, 1], np.column_stack([np.arange(5.0), np.full(5, 7.0), np.zeros(5)]))
