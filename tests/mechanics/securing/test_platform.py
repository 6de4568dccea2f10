import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.geometry import Polygon, Prism
from dovetail.mechanics.motion import FixedFrame, HarmonicMotion, TableMotion
from dovetail.mechanics.securing import Platform, corners_at, frames, half_spaces
from dovetail.mechanics.securing.platform import motion_ends, platform_faults, poses

BOX = Polygon(vertices=[[-1.0, 0.0], [1.0, 0.0], [1.0, -0.5], [-1.0, -0.5]])
WEDGE = Polygon(vertices=[[0.0, 0.0], [0.1, 0.1], [0.1, 0.0]])


def chain():
    ship = HarmonicMotion(mean_pose=[0.0, 0.0, 0.0], amplitude=[[0.3, 0.5, 0.2]], omega=[0.9], phase=[0.4])
    device = TableMotion(times=[0.0, 5.0], values=[[0.0, 0.1, 0.0], [1.0, 0.1, 0.3]], interpolation="linear")
    clamp = FixedFrame(mean_pose=[0.4, 0.05, 0.1])
    return (
        Platform(body=BOX, motion=ship, name="ship"),
        Platform(body=BOX, motion=device, name="device", parent="ship"),
        Platform(body=WEDGE, motion=clamp, name="clamp", parent="device"),
    )


def test_a_clamp_rides_on_the_device_that_rides_on_the_ship():
    t = 2.0
    (r, R), own = jax.jit(lambda t: (poses(chain(), t), [p.motion.pose(t) for p in chain()]))(t)
    R, own = np.asarray(R), list(map(np.asarray, own))
    angle = np.cumsum([o[2] for o in own])
    np.testing.assert_allclose(np.arctan2(R[:, 1, 0], R[:, 0, 0]), angle)

    def turn(a):
        return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])

    expected = own[0][:2] + turn(angle[0]) @ own[1][:2] + turn(angle[1]) @ own[2][:2]
    np.testing.assert_allclose(r[2], expected)


def test_velocities_are_the_derivatives_of_the_chain():
    t, h = 1.7, 1e-5
    at = jax.jit(lambda t: (frames(chain(), t), corners_at(chain(), t)[2][1]))
    (before, *_), (found, _), (after, _) = shown = [at(s) for s in (t - h, t, t + h)]
    np.testing.assert_allclose(found.velocity, (after.position - before.position) / (2 * h), atol=1e-8)
    corner = [np.asarray(place) for _, place in shown]
    turned = np.array([-(corner[1] - found.position[2])[1], (corner[1] - found.position[2])[0]])
    np.testing.assert_allclose(
        found.velocity[2] + found.spin[2] * turned, (corner[2] - corner[0]) / (2 * h), atol=1e-8
    )


def test_spin_in_space_is_that_of_the_rotation():
    body = Prism(section=BOX.vertices)
    motion = HarmonicMotion(mean_pose=np.zeros(6), amplitude=[[0, 0, 0, 0.3, 0.2, 0.1]], omega=[1.1])
    platforms = (Platform(body=body, motion=motion),)
    found, rate = jax.jit(
        lambda t: (frames(platforms, t), jax.jacfwd(lambda t: poses(platforms, t)[1][0])(t))
    )(0.7)
    np.testing.assert_allclose(jnp.cross(found.spin[0], found.rotation[0][:, 1]), rate[:, 1], atol=1e-12)


def test_bodies_of_different_corners_share_an_array():
    normals, offsets = jax.jit(lambda: half_spaces(chain()))()
    assert normals.shape == (3, 4, 2)
    np.testing.assert_array_equal(normals[2, 3], 0.0)
    assert offsets[2, 3] > 1e5


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"parent": "shp"}, '"shp" is not a platform listed before it; known: ship'),
        ({"name": "ship"}, "is the name of another"),
        ({"motion": FixedFrame(mean_pose=[0.0, 0.0])}, "expected three or six"),
        ({"body": Prism(section=BOX.vertices)}, "has 3 dimensions"),
    ],
)
def test_faults_of_platforms_are_reported(changed, text):
    ship, device, _ = chain()
    given = {"body": device.body, "motion": device.motion, "name": "device", "parent": "ship"} | changed
    faults = platform_faults((ship, Platform(**given)), 2)
    assert any(text in f.text for f in faults)


def test_a_table_that_ends_before_the_run_is_reported():
    assert "the run at 9 s" in motion_ends(chain(), 9.0)[0].text


def test_bodies_of_one_kind_form_a_batch_in_their_original_order():
    random = np.random.default_rng(8)
    still = [FixedFrame(mean_pose=random.normal(size=3)) for _ in range(3)]
    tables = [TableMotion(times=[0.0, 2.0], values=random.normal(size=(2, 3))) for _ in range(3)]
    motions = [part for pair in zip(tables, still, strict=True) for part in pair]
    bodies = [BOX, WEDGE, BOX, BOX, WEDGE, WEDGE]
    every = [
        Platform(body=b, motion=m, name=str(i)) for i, (b, m) in enumerate(zip(bodies, motions, strict=True))
    ]
    r, R = jax.jit(lambda t: poses(every, t))(0.7)
    n, c = jax.jit(lambda: half_spaces(every))()
    alone = jax.jit(lambda t: [(one.motion.pose(t), one.body.planes()) for one in every])(0.7)
    for i, (pose, planes) in enumerate(alone):
        np.testing.assert_allclose(r[i], pose[:2], atol=1e-14)
        np.testing.assert_allclose(
            np.arctan2(R[i, 1, 0], R[i, 0, 0]), np.angle(np.exp(1j * pose[2])), atol=1e-14
        )
        normals, offsets = map(np.asarray, planes)
        np.testing.assert_allclose(n[i, : len(normals)], normals, atol=1e-14)
        np.testing.assert_allclose(c[i, : len(offsets)], offsets, atol=1e-14)
        assert np.all(np.asarray(n[i, len(normals) :]) == 0)
    sizes = [
        len(jax.make_jaxpr(lambda t, p=p: poses(p, t))(0.7).eqns) for p in (every[:1], every[::2], every)
    ]
    assert sizes[1] < 2 * sizes[0], "three tables are read as one"
