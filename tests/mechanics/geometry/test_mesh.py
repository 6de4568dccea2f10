"""A solid by triangles: exact where it is flat, and the drogue where it is fine; it takes the drogue's place."""

import struct

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.contact import Flores
from dovetail.mechanics.friction import Tustin
from dovetail.mechanics.geometry import Box, Drogue, Mesh, SolidCavity, read_stl, revolve
from dovetail.mechanics.spatial import Pose, Twist
from dovetail.specimens.probe_in_drogue import BallInCavity

HALF = np.array([0.3, 0.2, 0.1])
DROGUE = Drogue(32.5e-3, 50e-3, 195e-3, np.radians(27))


def box_triangles(half=HALF):
    """Twelve triangles of a box, each face turned outwards."""
    faces = []
    for axis in range(3):
        one, two = (np.eye(3)[(axis + k) % 3] for k in (1, 2))
        for side in (1.0, -1.0):
            out = side * np.eye(3)[axis]
            a, b, c, d = (half * (out + i * one + j * two) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
            faces += [[a, b, c], [a, c, d]] if side > 0 else [[a, c, b], [a, d, c]]
    return np.array(faces)


def drogue_mesh(sectors, rows):
    """The wall of the drogue, 20 mm thick, as a solid of revolution."""
    inner_x = np.concatenate([[0.0], np.linspace(50e-3, 245e-3, rows)])
    inner_r = 32.5e-3 + np.maximum(inner_x - 50e-3, 0) * np.tan(np.radians(27))
    x = np.concatenate([inner_x, inner_x[::-1]])
    r = np.concatenate([inner_r, inner_r[::-1] + 20e-3])
    return revolve(x, r, sectors)


def test_a_box_of_triangles_is_a_box_inside_and_outside():
    rng = np.random.default_rng(0)
    points = jnp.asarray(rng.uniform(-2, 2, (400, 3)) * HALF)
    mesh, box = Mesh(box_triangles()), Box(HALF)
    found, expected = (jax.jit(jax.vmap(shape.distance))(points) for shape in (mesh, box))
    assert np.any(np.asarray(expected) < 0)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    clear = np.asarray(jnp.abs(expected)) > 1e-3
    normals = jax.jit(jax.vmap(mesh.normal))(points)
    ahead = jax.jit(jax.vmap(mesh.distance))(
        points + 1e-6 * normals
    )  # a step along the normal counts in full
    outside = clear & (np.asarray(expected) > 0)
    np.testing.assert_allclose((ahead - found)[outside], 1e-6, rtol=1e-6)


def test_a_mesh_of_the_drogue_tends_to_the_drogue_with_the_square_of_its_edges():
    rng = np.random.default_rng(1)
    x = rng.uniform(0.06, 0.2, 60)
    r = (32.5e-3 + (x - 50e-3) * np.tan(np.radians(27))) * rng.uniform(0.3, 0.7, x.size)
    turn = rng.uniform(-np.pi, np.pi, x.size)
    balls = jnp.asarray(np.stack([x, r * np.cos(turn), r * np.sin(turn)], -1))
    true = jax.jit(jax.vmap(lambda p: DROGUE.touch(p, 25e-3).gap))(balls)
    errors = []
    for sectors in (60, 120):
        cavity = SolidCavity(drogue_mesh(sectors, 3), 0.245)
        gap = jax.jit(jax.vmap(lambda p, c=cavity: c.touch(p, 25e-3).gap))(balls)
        errors.append(float(jnp.abs(gap - true).max()))
    assert errors[1] == pytest.approx(errors[0] / 4, rel=0.3)
    assert errors[1] < 1.1 * 0.13 * (1 - np.cos(np.pi / 120))  # the sagitta at the mouth's radius


def test_the_contact_of_a_ball_with_the_mesh_is_that_with_the_drogue():
    fine = SolidCavity(drogue_mesh(720, 3), 0.245)
    centre = np.array([0.15, 0.0, 32.5e-3 + 0.1 * np.tan(np.radians(27)) - 25e-3 / np.cos(np.radians(27))])
    centre[2] += 200e-6 / np.cos(np.radians(27))  # 0.2 mm deep
    moving = Twist(jnp.array([-0.08, 0.0, 0.06]), jnp.zeros(3))
    wrenches = []
    for cavity in (DROGUE, fine):
        ball = BallInCavity(cavity, Flores(9.08e8, restitution=0.8), Tustin(), 25e-3)
        began = {**ball.surface_contact.init(3), "impact_speed": jnp.asarray(0.08)}
        now = eqx.filter_jit(ball.contact)(Pose(p=jnp.asarray(centre)), moving, began)
        wrenches.append(np.concatenate([now.wrench.f, now.wrench.tau]))
    assert np.abs(wrenches[0][:3]).max() > 500  # N
    np.testing.assert_allclose(wrenches[1][:3], wrenches[0][:3], atol=0.01 * np.abs(wrenches[0][:3]).max())


def test_inside_the_swept_wall_the_distance_is_negative():
    mesh = drogue_mesh(60, 3)
    distance = jax.jit(lambda point: mesh.distance(point))
    assert float(distance(np.array([0.03, 0.0425, 0.0]))) == pytest.approx(-10e-3, rel=0.01)
    assert float(distance(np.array([0.03, 0.0, 0.0]))) == pytest.approx(32.5e-3, rel=0.01)


def test_an_open_or_turned_surface_is_rejected():
    whole = box_triangles()
    with pytest.raises(ParameterError, match="close the surface"):
        Mesh(whole[1:])
    turned = whole.copy()
    turned[0] = turned[0][::-1]
    with pytest.raises(ParameterError, match="have no opposite edge"):
        Mesh(turned)
    with pytest.raises(ParameterError, match="got shape"):
        Mesh(whole[0])


@pytest.mark.parametrize("text", [True, False])
def test_a_drawing_is_read(tmp_path, text):
    corners, file = 1e3 * box_triangles(), tmp_path / "box.stl"
    if text:
        rows = "".join(f"  vertex {x} {y} {z}\n" for x, y, z in corners.reshape(-1, 3))
        file.write_text(f"solid box\n{rows}endsolid\n")
    else:
        packed = b"".join(struct.pack("<12fH", 0, 0, 0, *row.ravel(), 0) for row in corners)
        file.write_bytes(bytes(80) + struct.pack("<I", len(corners)) + packed)
    np.testing.assert_allclose(read_stl(file).triangles, box_triangles(), rtol=1e-6)


def test_a_file_without_triangles_is_rejected(tmp_path):
    (tmp_path / "empty.stl").write_text("solid nothing\nendsolid\n")
    with pytest.raises(ParameterError, match="no triangles"):
        read_stl(tmp_path / "empty.stl")


def test_corners_that_differ_by_rounding_are_one_corner():
    """Files hold each corner several times, rounded in different ways."""
    triangles = np.array(box_triangles())
    shifted = triangles * (1 + 1e-14 * np.random.default_rng(3).standard_normal(triangles.shape))
    Mesh(triangles=shifted)
    with pytest.raises(ParameterError, match="no opposite edge"):
        Mesh(triangles=triangles + 1e-3 * np.random.default_rng(3).standard_normal(triangles.shape))
