"""The contact detector: contact points on the surface, everything continuous across the zones."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.mechanics.geometry import Cone, Drogue, Hollow, Union

R_C, L_C, L_K, ANGLE = 32.5e-3, 50e-3, 195e-3, np.radians(27)  # [m, m, m, rad]
DROGUE = Drogue(R_C, L_C, L_K, ANGLE)
TIP = 25e-3  # [m]
touch = jax.jit(jax.vmap(lambda p: DROGUE.touch(p, TIP)))


def inside(count=20000, seed=0):
    """Points within the drogue, clear of the wall."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(0.0, L_C + L_K, count)
    wall = R_C + np.maximum(x - L_C, 0) * np.tan(ANGLE)
    r, turn = wall * rng.uniform(0.001, 0.98, count), rng.uniform(-np.pi, np.pi, count)
    return jnp.stack([jnp.asarray(x), r * np.sin(turn), r * np.cos(turn)], -1)


def radius_at(x):
    return R_C + np.maximum(x - L_C, 0) * np.tan(ANGLE)


def test_the_contact_point_lies_on_the_surface_for_20000_points():
    points = inside()
    seen = touch(points)
    foot = np.asarray(seen.on_surface)
    off = np.hypot(foot[:, 1], foot[:, 2]) - radius_at(foot[:, 0])
    assert np.abs(off).max() < 1e-9
    assert set(np.unique(seen.zone)) == {0, 1, 2}


def test_it_is_the_nearest_one():
    """No point of the wall is nearer; judged by a fine sampling of the meridian."""
    points = inside(300, seed=1)
    wall_x = np.linspace(-0.05, L_C + L_K + 0.1, 40001)
    p = np.asarray(points)
    r = np.hypot(p[:, 1], p[:, 2])
    sampled = np.array(
        [np.hypot(wall_x - x, radius_at(wall_x) - i).min() for x, i in zip(p[:, 0], r, strict=True)]
    )
    k = np.asarray(touch(points).gap) + TIP
    # sampled every 8.6 micrometres of x the nearest sample is at most half of that, along the slope, away
    assert np.all(k <= sampled + 1e-12)
    np.testing.assert_allclose(k, sampled, atol=5e-6)


def test_the_distance_of_the_contact_points_is_the_gap_and_the_normal_has_unit_length():
    seen = touch(inside(2000))
    apart = jnp.linalg.norm(seen.on_ball - seen.on_surface, axis=-1)
    np.testing.assert_allclose(apart, jnp.abs(seen.gap), atol=1e-12)
    np.testing.assert_allclose(jnp.linalg.norm(seen.normal, axis=-1), 1.0, atol=1e-12)


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.5, -1.9])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_gap_and_normal_are_continuous_across_the_borders(share, turn):
    i = share * R_C
    # zone C to B at x = l_c; B to A where a = j cos sin, j = r_c + a tan - i
    border = L_C + (R_C - i) * np.cos(ANGLE) * np.sin(ANGLE) / (1 - np.sin(ANGLE) ** 2)
    for x, zones in ((L_C, {2, 1}), (border, {1, 0})):
        step = 1e-12  # [m]
        at = [jnp.array([x + s, i * np.sin(turn), i * np.cos(turn)]) for s in (-step, step)]
        before, after = DROGUE.touch(at[0], TIP), DROGUE.touch(at[1], TIP)
        assert {int(before.zone), int(after.zone)} == zones
        assert abs(float(before.gap - after.gap)) < 1e-9
        np.testing.assert_allclose(before.normal, after.normal, atol=1e-9)
        np.testing.assert_allclose(before.on_surface, after.on_surface, atol=1e-9)


def test_the_printed_angle_of_zone_b_would_jump():
    """With arctan(b/j), as printed, the normal at the border to A would be off by more than 0.2."""
    i = 0.5 * R_C
    a = (R_C - i) * np.tan(ANGLE)
    j, b = R_C - i, a * np.tan(ANGLE)
    border = DROGUE.touch(jnp.array([L_C + a, 0.0, i]), TIP)
    printed = np.arctan(b / j)
    assert float(border.normal[0]) == pytest.approx(np.sin(ANGLE), abs=1e-9)
    assert abs(np.sin(printed) - np.sin(ANGLE)) > 0.19


def test_the_normal_is_the_gradient_of_the_gap():
    points = inside(500, seed=2)
    slope = jax.jit(jax.vmap(jax.grad(lambda p: DROGUE.touch(p, TIP).gap)))(points)
    np.testing.assert_allclose(slope, touch(points).normal, atol=1e-9)


def test_on_the_axis_everything_is_finite():
    for x in (0.03, L_C, 0.1):
        seen = DROGUE.touch(jnp.array([x, 0.0, 0.0]), TIP)
        assert np.isfinite(np.asarray(seen.normal)).all()
        slope = jax.jacrev(lambda p: DROGUE.touch(p, TIP).gap)(jnp.array([x, 0.0, 0.0]))
        assert np.isfinite(np.asarray(slope)).all()


def test_the_wall_pushes_towards_the_axis_and_out_of_the_cone():
    seen = DROGUE.touch(jnp.array([0.15, 0.0, 0.06]), TIP)
    assert float(seen.normal[2]) < 0
    assert float(seen.normal[0]) > 0


def test_a_hollow_cone_and_cylinder_by_signed_distance_agree_in_the_cone():
    """The same drogue cut out of a block as a pointed cone and a cylinder: the same way to the wall."""
    reach = 1.0  # [m] the cone goes on beyond the mouth, as the detector's does, so that its end is far away
    apex = L_C - R_C / np.tan(ANGLE)
    cone = Cone(0.0, R_C + reach * np.tan(ANGLE), L_C + reach - apex, (apex, 0, 0))
    cavity = Hollow(Union((cone, Cone(R_C, R_C, L_C + 1.0, (-1.0, 0, 0)))))
    points = inside(500, seed=3)
    seen = touch(points)
    in_cone = seen.zone == 0
    distance = jax.jit(jax.vmap(cavity.distance))(points)
    np.testing.assert_allclose(distance[in_cone], (seen.gap + TIP)[in_cone], atol=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((0.0, L_C, L_K, ANGLE), "cylinder_radius: got 0; must be above 0 m"),
        ((R_C, L_C, L_K, 1.6), "half_angle: got 1.6"),
        ((R_C, L_C, -0.1, ANGLE), "cone_length: got -0.1"),
    ],
)
def test_impossible_drogues_are_rejected(values, message):
    with pytest.raises(ParameterError, match=message):
        Drogue(*values)
