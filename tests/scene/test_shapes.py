"""Meshes: closed, faces outwards, correct size."""

import numpy as np
import pytest

from dovetail.scene import shapes


def volume(mesh):
    """By the divergence theorem; positive where faces are turned outwards."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
    return np.sum(np.cross(a, b) * c) / 6


@pytest.mark.parametrize(
    ("mesh", "exact"),
    [
        (shapes.rod(0.5, 2.0, 400), np.pi * 0.25 * 2.0),
        (shapes.ellipsoid((1.0, 2.0, 3.0), 400), 4 / 3 * np.pi * 6.0),
        (shapes.box((1.0, 2.0, 3.0)), 6.0),
        (shapes.slab(np.array([[0, 0], [2, 0], [2, 1], [0, 1.0]]), 0.1), 0.2),
        (shapes.rod_between((1, 1, 1), (2, 3, 3), 0.1, 400), np.pi * 0.01 * 3.0),
        (shapes.tube_piece(400), np.pi),
    ],
)
def test_a_simple_body_has_its_volume(mesh, exact):
    assert volume(mesh) == pytest.approx(exact, rel=1e-3)


def test_turning_and_moving_keep_the_volume_and_the_sense_of_the_faces():
    body = shapes.merge(shapes.box((1, 2, 3)), shapes.translate(shapes.box((1, 1, 1)), (9, 0, 0)))
    turned = shapes.rotate(body, np.array([0, 0, 1.0]), np.array([-1.0, 0, 0]))
    assert volume(turned) == pytest.approx(volume(body))
    np.testing.assert_allclose(turned.vertices[:, 2].max(), body.vertices[:, 0].max())


MACHINES = [
    *shapes.helicopter(1.2, -0.2, 1.2).values(),
    shapes.aeroplane(36.0, 38.0, sweep=6.0),
    shapes.device(1.0),
    *shapes.spacecraft(0.5).values(),
    *shapes.rocket_stage(50.0).values(),
    *shapes.drogue((0.12, 0.2, 0.26, 0.7), (0.006, 0.006, 0.065, 0.27)).values(),
    *shapes.cone([(0.0, 0.03), (0.03, 0.03), (0.2, 0.13)], 0.005),
    shapes.coil(0.1, 0.01),
]


@pytest.mark.parametrize("mesh", MACHINES)
def test_machines_are_finite_surfaces_with_valid_faces(mesh):
    assert np.isfinite(mesh.vertices).all()
    assert mesh.faces.min() >= 0
    assert mesh.faces.max() < len(mesh.vertices)


def test_a_drogues_ribs_end_at_its_rim():
    ribs = shapes.drogue((0.1, 0.2, 0.7), (0.01, 0.06, 0.27))["ribs"]
    rim = ribs.vertices[ribs.vertices[:, 0] < -0.69]
    assert np.linalg.norm(rim[:, 1:], axis=1).mean() == pytest.approx(0.27, abs=0.01)


def test_two_parts_of_a_cone_join_without_gap():
    far, near = shapes.cone([(0.0, 0.03), (0.03, 0.03), (0.2, 0.13)], 0.005)
    assert len(far.faces) == len(near.faces)
    assert volume(far) + volume(near) > 0


def test_a_coil_has_unit_length_and_ends_on_its_axis():
    coil = shapes.coil(0.1, 0.01)
    assert coil.vertices[:, 0].min() == pytest.approx(0.0, abs=0.011)
    assert coil.vertices[:, 0].max() == pytest.approx(1.0, abs=0.011)
