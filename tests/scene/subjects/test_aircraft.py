"""Scene of an aircraft on its landing gear."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.scene import build_scene
from dovetail.scene.subjects.aircraft import below, rails
from dovetail.scene.subjects.water import FREEBOARD
from dovetail.studies.registry import find_test


def test_an_aircraft_has_its_gear_its_deck_and_a_force_on_each_foot(recorded):
    run = recorded(dv.load(find_test("shipboard/case-6-drop")))
    scene = build_scene(run)
    solids = {solid.name: solid for solid in scene.solids}
    assert any(name.startswith("platforms/") for name in solids)
    assert [arrow.name for arrow in scene.arrows] == ["foot 1", "foot 2"]
    (gear,) = scene.tubes
    nodes = run.recording["node_position"].values[3]
    assert gear.points(3)[..., 1].min() == pytest.approx(nodes[:, 0].min())
    R, p = solids["aircraft"].pose(3)
    np.testing.assert_allclose(p[1:], run.recording["displacement"].values[3])
    np.testing.assert_allclose(R[1, 1], np.cos(run.recording["attitude_angles"].values[3]).squeeze())


def test_every_member_that_is_drawn_in_space_exists_and_every_one_is_drawn(recorded):
    test = dv.load(find_test("shipboard/spatial-drop"))
    run = recorded(test, 2)
    scene = build_scene(run)
    mesh = test.numerical.gear.mesh
    (gear,) = scene.tubes
    assert gear.points(0).shape == (len(mesh.elements), 2, 3)
    nodes = run.recording["node_position"].values[1]
    drawn = {tuple(sorted(_nearest(nodes, end) for end in pair)) for pair in gear.points(1)}
    assert drawn == {tuple(sorted((e[0] - 1, e[1] - 1))) for e in mesh.elements}
    assert len(nodes) == len(mesh.nodes)


def _nearest(nodes, point):
    return int(np.argmin(np.linalg.norm(nodes - point, axis=1)))


def test_deck_markings_are_drawn_above_every_deck(recorded):
    """Case 8 has a plate on the ship's deck, which hid the landing spot."""
    scene = build_scene(recorded(dv.load(find_test("shipboard/case-8")), 2))
    tops = [
        (solid.mesh.vertices @ solid.pose(1)[0].T + solid.pose(1)[1])[:, 2].max()
        for solid in scene.solids
        if solid.name in ("platforms/ship", "platforms/device")
    ]
    assert len(tops) == 2
    spot = next(line for line in scene.lines if line.name == "landing spot").points(1)
    assert max(tops) < spot[:, 2].max() < max(tops) + 0.05
    steps = np.linalg.norm(np.diff(spot, axis=0), axis=1)
    np.testing.assert_allclose(spot[-1], spot[0], atol=1e-12)  # one closed circle
    assert steps.sum() == pytest.approx(np.pi * np.ptp(spot[:, 0]), rel=5e-3)


def test_a_device_is_drawn_at_its_recorded_position(recorded):
    run = recorded(dv.load(find_test("shipboard/drive-failure")), 2)
    names = [platform.name for platform in run.test.numerical.platforms]
    i = names.index("device")
    run.recording["platform_position"].values[1, i] += [0.3, 0.0]  # its drive gave way
    solids = {solid.name: solid for solid in build_scene(run).solids}
    told, there = (solids["platforms/device"].pose(k)[1] for k in (0, 1))
    np.testing.assert_allclose(there[1:], run.recording["platform_position"].values[1, i])
    assert abs(there[1] - told[1]) > 0.2


def test_rails_are_drawn_on_the_deck_along_the_path_of_the_device(recorded):
    test = dv.load(find_test("shipboard/spatial-straighten"))
    solids = {solid.name: solid for solid in build_scene(recorded(test, 2)).solids}
    low, high = (bound(solids["rails of device"].mesh.vertices, axis=0) for bound in (np.min, np.max))
    deck, device = (solids[f"platforms/{name}"].mesh.vertices for name in ("ship", "device"))
    assert low[2] == pytest.approx(deck[:, 2].max())
    assert (low[0], high[0]) == (deck[:, 0].min(), deck[:, 0].max())  # from edge to edge
    assert high[1] - low[1] < np.ptp(device[:, 1])
    ahead = rails(deck, device, np.array([[0.0, 0, 0], [0.0, 2, 0]]), flat=False)
    assert np.ptp(ahead.vertices[:, 1]) > np.ptp(ahead.vertices[:, 0])  # this one goes across


def test_foot_loads_are_labelled_in_aircraft_weights_at_the_contact(recorded):
    run = recorded(dv.load(find_test("shipboard/case-6-drop")), 2)
    run.recording["contact_force"].values[1] = [[0.0, 0.0], [30.0, 40.0]]
    system = run.test.numerical
    weight = float(system.gravity * system.airframe.mass) + float(system.gravity) * float(system.model.mass)
    arrow = build_scene(run).arrows[1]
    assert arrow.label_text(1) == f"foot 2: 50 N, {50 / weight:.3g} × weight"
    np.testing.assert_array_equal(arrow.contact(1), arrow.at(1))


def test_a_ship_is_under_her_deck_and_reaches_into_the_water():
    deck = np.array([[x, y, z] for x in (-3.0, 3.0) for y in (-5.0, 5.0) for z in (-2.0, 0.0)])
    ship = below(deck).vertices
    assert ship[:, 2].max() < 0.0
    assert ship[ship[:, 0] <= 3.0, 2].max() < -2.0
    assert ship[:, 2].min() < -2.0 - FREEBOARD
    assert ship[:, 0].max() > 3.0  # her bow is ahead
