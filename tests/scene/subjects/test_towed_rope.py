"""Scenes of ropes with the end bodies of the test."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.scene.subjects.towed_rope import radius_of, reach_of, scene, towed
from dovetail.studies.registry import find_test


def test_a_rope_is_its_nodes(recorded):
    run = recorded(dv.load(find_test("capture/swing")))
    scene = build_scene(run)
    rope = next(tube for tube in scene.tubes if tube.name == "rope")
    np.testing.assert_array_equal(rope.points(3), run.recording["node_position"].values[3].T)
    assert scene.up == "+z"


def drawn(name, ropes=None, **signals):
    """The scene of a study's test, with a rope of two links that hangs aft."""
    test = dv.load(find_test(name))
    nodes = np.array([[[[0.0, 0, 0], [-50.0, 0, -20.0], [-100.0, 0, -30.0]]]] * 2) if ropes is None else ropes
    data = xr.Dataset(
        {each: (("time", "part"), values) for each, values in signals.items()}, {"time": [0.0, 1.0]}
    )
    return scene("t", SimpleNamespace(test=test), data, nodes, [])


ENDS = {
    "capture/tow": {"aircraft", "device", "stage/body", "stage/engines"},
    "capture/glider-tow": {"aircraft", "glider"},
    "capture/sling-load": {
        "helicopter/body",
        "helicopter/glass",
        "helicopter/mast",
        "helicopter/rotor",
        "load",
    },
    "capture/refuelling-hose": {"aircraft", "drogue/coupling", "drogue/ribs", "drogue/canopy"},
    "capture/deploy": {"aircraft", "device"},
    "capture/select": {"aircraft", "device"},
    "capture/swing": {"support"},
    "capture/tip-force": {"support"},
}


@pytest.mark.parametrize("name", ENDS)
def test_the_ends_of_the_rope_show_the_bodies_of_the_test(name):
    assert {solid.name for solid in drawn(name).solids} == ENDS[name]


def test_without_air_the_support_is_fixed_and_a_force_is_an_arrow():
    still = drawn("capture/tip-force")
    assert still.setting == "room"
    (arrow,) = still.arrows
    np.testing.assert_allclose(arrow.vector(0), [-10e3, -10e3, 0.0])
    assert drawn("capture/tow").setting == "sky"


def test_a_stage_is_towed_by_its_nose_with_its_engines_aft():
    solids = {solid.name: solid.mesh.vertices for solid in drawn("capture/tow").solids}
    assert solids["stage/body"][:, 0].max() == pytest.approx(0.0, abs=1e-9)  # x is forward
    assert solids["stage/engines"][:, 0].max() < 0.9 * solids["stage/body"][:, 0].min()
    assert solids["aircraft"][:, 0].max() > 20.0  # ahead of the rope, from its tail on


def test_a_device_is_turned_as_it_was_recorded():
    pitched = drawn("capture/deploy", tip_attitude=np.array([[0.0, 0.0], [0.3, 0.1]]))
    device = next(solid for solid in pitched.solids if solid.name == "device")
    R, p = device.pose(1)
    nose = R @ [1.0, 0, 0]
    assert nose[2] > 0.2  # up
    assert nose[1] < -0.05  # to starboard
    np.testing.assert_array_equal(p, [-100.0, 0.0, -30.0])
    np.testing.assert_allclose(device.pose(0)[0], np.eye(3), atol=1e-15)


def test_every_rope_of_a_fleet_is_drawn():
    ropes = np.random.default_rng(0).uniform(1, 50, (2, 7, 4, 3))
    fleet = drawn("capture/select", ropes)
    lines = {line.name: line for line in fleet.lines}
    np.testing.assert_array_equal(lines["rope 7"].points(1), ropes[1, 6])
    assert sum(name.startswith("rope ") for name in lines) == 6  # and the first as a tube


def test_ropes_with_recorded_tips_only_are_drawn_straight():
    tips = np.random.default_rng(1).uniform(1, 50, (2, 3, 7))
    data = xr.Dataset(
        {"displacement": (("time", "axis", "displacement_1"), tips, {"units": "m"})},
        {"time": [0.0, 1.0], "axis": ["x", "y", "z"]},
    )
    run = SimpleNamespace(
        test=dv.load(find_test("capture/select")), recording=Recording.from_dataset(data), title="fleet"
    )
    shown = build_scene(run)
    devices = [solid for solid in shown.solids if solid.name.startswith("device")]
    np.testing.assert_allclose([device.pose(1)[1] for device in devices], tips[1].T)
    assert "drawn straight" in shown.notes(0)
    assert len(shown.plots[0].ys) == 7
    widest = np.ptp(tips, axis=0).max(axis=1)
    assert shown.plots[0].title.startswith(f"displacement, {'xyz'[int(np.argmax(widest))]}")


def test_a_label_states_the_utilisation_of_the_rope_strength():
    said = drawn("capture/tow", tension=np.array([[110e3, 55e3], [275e3, 0.0]])).notes
    assert "tension 110 kN, 20 % of the breaking strength" in said(0)
    assert "50 % of the breaking strength" in said(1)


def test_a_rope_without_metadata_hangs_from_a_support():
    run = SimpleNamespace(test=SimpleNamespace())
    assert towed(run) is None
    nodes = np.zeros((2, 1, 3, 3))
    nodes[..., 1] = np.arange(3.0)
    known = scene("t", run, xr.Dataset({}, {"time": [0.0, 1.0]}), nodes, [])
    assert [solid.name for solid in known.solids] == ["support"]


def test_a_chain_has_its_aerodynamic_diameter():
    towed, alone = dv.load(find_test("capture/glider-tow")), dv.load(find_test("capture/swing"))
    assert radius_of(SimpleNamespace(test=towed), 1.0) == 5e-3  # 10 mm in its file
    assert radius_of(SimpleNamespace(test=alone), 1.0) == 1.0  # no air, and nobody says


def test_the_reach_is_to_the_tip():
    nodes = np.zeros((2, 5, 3))
    nodes[..., 0] = np.arange(5.0)
    assert reach_of(nodes) == 4.0
