"""Drag and lift of a cable: limits of the angle, directions, areas, tables."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import AlongAndAcross, CableDrag, CrossFlow, TabulatedCylinder
from dovetail.air.cylinder import total_angle

WIND = jnp.array([[100.0], [0.0], [0.0]])


def force(u, **options):
    drag = CableDrag(diameter=0.02, **options)
    return np.asarray(drag.forces(jnp.array(u, float)[:, None], jnp.array([2.0]), WIND, 1.0))[:, 0]


def test_across_the_wind_there_is_drag_alone():
    f = force([0.0, 1.0, 0.0])
    np.testing.assert_allclose(f, [0.5 * 100**2 * 0.04 * 1.12, 0.0, 0.0], atol=1e-6)


def test_along_the_wind_there_is_friction_alone():
    np.testing.assert_allclose(force([1.0, 0.0, 0.0]), [0.5 * 100**2 * 0.04 * 0.02, 0.0, 0.0], atol=1e-3)


def test_a_cable_that_trails_below_its_support_is_lifted():
    f = force([np.cos(0.5), np.sin(0.5), 0.0])
    assert f[1] < 0 < f[0]
    expected = 0.5 * 100**2 * 0.04 * 1.1 * np.sin(0.5) ** 2 * np.cos(0.5)
    assert -f[1] == pytest.approx(expected, rel=1e-9)
    side = force([np.cos(0.5), 0.0, np.sin(0.5)])
    np.testing.assert_allclose([side[0], side[2]], [f[0], f[1]], rtol=1e-9)  # the same, turned about the wind


def test_total_angle_combines_inclination_and_side_angle():
    assert float(total_angle(0.3, 0.4)) == pytest.approx(np.arccos(np.cos(0.3) * np.cos(0.4)))


def test_the_cross_section_as_area_is_hundreds_of_times_smaller():
    u = [0.0, 1.0, 0.0]
    ratio = force(u)[0] / force(u, area="cross-section")[0]
    assert ratio == pytest.approx(0.02 * 2.0 / (np.pi / 4 * 0.02**2))


def test_a_table_of_the_law_reproduces_the_law():
    angle = np.linspace(0, np.pi / 2, 181)
    law = CrossFlow()
    drag, lift = law(jnp.cos(angle))
    table = TabulatedCylinder(angle=angle, drag=np.asarray(drag), lift=np.asarray(lift))
    for cosine in (0.9, 0.3, -0.6):
        np.testing.assert_allclose(table(jnp.array(cosine)), law(jnp.array(cosine)), atol=2e-4)


HOSE = CableDrag(diameter=0.071, coefficients=AlongAndAcross(along=0.01, across=0.6))


def test_axial_friction_and_normal_pressure_follow_their_own_wind_components():
    """Against the parts themselves: half rho d l (pi c_t |w_t| w_t + c_n |w_n| w_n)."""
    rng = np.random.default_rng(2)
    u = rng.normal(size=(3, 40))
    u /= np.linalg.norm(u, axis=0)
    wind, l = 50 * rng.normal(size=(3, 40)), rng.uniform(0.5, 1.5, 40)
    along = (u * wind).sum(axis=0) * u
    across = wind - along
    size = [np.linalg.norm(w, axis=0) for w in (along, across)]
    expected = 0.5 * 0.525 * 0.071 * l * (np.pi * 0.01 * size[0] * along + 0.6 * size[1] * across)
    found = HOSE.forces(jnp.array(u), jnp.array(l), jnp.array(wind), 0.525)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-6)


def test_drag_vanishes_in_still_air_opposes_motion_and_is_quadratic():
    u, wind = jnp.array([[0.6], [0.8], [0.0]]), jnp.array([[30.0], [-20.0], [40.0]])
    drag = np.asarray(HOSE.forces(u, 1.0, wind, 0.525))
    assert np.sum(drag * wind) > 0  # the wind is that of the air past the cable
    np.testing.assert_allclose(HOSE.forces(u, 1.0, 2 * wind, 0.525), 4 * drag, rtol=1e-9)
    np.testing.assert_allclose(HOSE.forces(u, 1.0, 0 * wind, 0.525), 0.0, atol=1e-12)


def test_drag_of_an_aligned_hose_is_that_of_its_wetted_surface():
    u = jnp.array([[1.0], [0.0], [0.0]])
    drag = HOSE.forces(u, jnp.array([27.0]), 200.0 * u, 0.525)
    np.testing.assert_allclose(drag[0, 0], 632.36, rtol=1e-5)  # the digits that are given
