"""Sea around a ship: its waves if known, otherwise flat."""

import jax
import numpy as np
import pytest

import dovetail as dv
from dovetail.core.random import assign_keys
from dovetail.mechanics.geometry import Polygon
from dovetail.mechanics.motion import FixedFrame
from dovetail.mechanics.securing.platform import Platform
from dovetail.scene import build_scene
from dovetail.scene.subjects.water import FAR, FREEBOARD, SHOWN, STEP, grid, water
from dovetail.sea import Jonswap, Seaway
from dovetail.studies.registry import find_test

TIMES = np.linspace(0.0, 40.0, 9)
DECK = Polygon(vertices=[[-5.0, 0.0], [5.0, 0.0], [5.0, -2.0], [-5.0, -2.0]])


def test_the_sea_under_a_ship_is_the_one_that_moves_her():
    sea = Seaway(
        spectrum=Jonswap(height=3.0, period=9.0), wave_count=64, max_frequency_ratio=2.0, heading=1.2
    )
    sea = assign_keys(sea, jax.random.key(3))  # no wave of it is too short to be shown
    bodies, (surface,) = water([Platform(body=DECK, motion=sea)], TIMES, 0.0)
    assert not bodies
    middle = int(np.argmin(np.linalg.norm(grid()[0], axis=1)))
    heaved = [float(sea.pose(t)[2]) for t in TIMES]  # a raft's heave, by the ship's response
    drawn = [surface.points(k)[middle, 2] + FREEBOARD for k in range(len(TIMES))]
    np.testing.assert_allclose(drawn, heaved, atol=1e-9)
    assert np.ptp(drawn) > 0.5
    far = np.abs(surface.points(3)[:, :2]).max(axis=1) >= SHOWN
    np.testing.assert_allclose(surface.points(3)[far, 2], -FREEBOARD)


def test_a_ship_without_wave_data_is_in_a_flat_sea():
    (body,), surfaces = water([Platform(body=DECK, motion=FixedFrame())], TIMES, -1.5)
    assert not surfaces
    assert body.scenery
    assert body.mesh.vertices[:, 2].max() == pytest.approx(-1.5 - FREEBOARD + 0.05)
    np.testing.assert_allclose(np.abs(body.mesh.vertices[:, :2]), FAR)


def test_the_triangles_of_the_sea_face_upwards_without_gaps():
    points, faces = grid()
    a, b, c = (points[faces[:, i]] for i in range(3))
    up = np.cross(b - a, c - a)[:, 2] / 2
    assert np.all(up > 0)
    assert up.sum() == pytest.approx(np.ptp(points[:, 0]) ** 2)
    assert STEP < SHOWN


def test_a_test_of_a_ship_has_one_sea(recorded):
    scene = build_scene(recorded(dv.load(find_test("shipboard/case-6-drop")), 2))
    assert len([*scene.surfaces, *(solid for solid in scene.solids if solid.name == "sea")]) == 1
