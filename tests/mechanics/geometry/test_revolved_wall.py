"""Gaps to a wall of revolution, judged by the signed distance of cones that fill it."""

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.geometry import Cone
from dovetail.mechanics.geometry.revolved_wall import ring, wall

DEPTHS, RADII = jnp.array([0.12, 0.20, 0.26, 0.70]), jnp.array([0.02, 0.02, 0.065, 0.27])


def test_the_gap_is_the_distance_to_the_side_of_the_cone_of_its_section():
    rng = np.random.default_rng(2)
    section = rng.integers(0, 3, 60)
    lengths = np.diff(DEPTHS)
    # near the wall and away from the ends of a section, so that the foot of the normal lies in it
    xi = np.asarray(DEPTHS)[section] + lengths[section] * rng.uniform(0.3, 0.7, 60)
    eta = np.interp(xi, DEPTHS, RADII) * rng.uniform(0.9, 1.1, 60)
    found = jax.jit(jax.vmap(lambda xi, eta: wall(DEPTHS, RADII, xi, eta)))(xi, eta)
    np.testing.assert_array_equal(found.section, section)
    places = np.stack([xi - np.asarray(DEPTHS)[section], eta, np.zeros(60)], -1)
    # x of the cone counts the depth, which is against the frame's
    normals = np.stack([-found.sine, found.cosine, np.zeros(60)], -1)
    for k in range(3):
        cone, here = Cone(RADII[k], RADII[k + 1], lengths[k]), section == k
        distance, normal = jax.jit(jax.vmap(lambda p, c=cone: (c.distance(p), c.normal(p))))(places[here])
        np.testing.assert_allclose(-found.gap[here], distance, atol=1e-12)
        np.testing.assert_allclose(normals[here], normal, atol=1e-9)


def test_several_radii_at_one_depth_are_evaluated_together():
    eta = jnp.array([0.0, 0.1, 0.2])
    gap = wall(DEPTHS, RADII, jnp.asarray(0.5), eta).gap
    alone = [wall(DEPTHS, RADII, jnp.asarray(0.5), e).gap for e in eta]
    np.testing.assert_allclose(gap, alone)


def test_a_ring_is_a_circle_with_a_tube():
    gap, x, out = ring(0.7, 0.27, 0.01, 0.703, 0.274)
    np.testing.assert_allclose([gap, x, out], [5e-3 - 0.01, -0.6, 0.8], atol=1e-12)
