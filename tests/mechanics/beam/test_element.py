import numpy as np
import pytest

from dovetail.mechanics.beam.element import (
    hermite,
    planar_element,
    planar_turn,
    spatial_element,
    spatial_turn,
    string,
)

E, A, I, RHO, L = 6.9e10, 1.2e-4, 5e-7, 2710.0, 0.4


def test_a_free_element_has_as_many_zero_frequencies_as_rigid_motions():
    for k, rigid in (
        (planar_element(E, A, I, RHO, L)[0], 3),
        (spatial_element(E, A, I, 2 * I, 2.6e10, 3 * I, RHO, L)[0], 6),
    ):
        values = np.linalg.eigvalsh(k)
        assert np.sum(np.abs(values) < 1e-9 * values.max()) == rigid


def test_translations_carry_the_whole_mass_in_any_direction():
    k, m = planar_element(E, A, I, RHO, L)
    turn = planar_turn(np.array([np.cos(0.7), np.sin(0.7)]))
    turned = turn.T @ m @ turn
    for i in range(2):
        v = np.tile(np.eye(3)[i], 2)
        assert v @ turned @ v == pytest.approx(RHO * A * L, rel=1e-12)
    _, m = spatial_element(E, A, I, I, 2.6e10, 2 * I, RHO, L)
    turn = spatial_turn(np.array([1.0, 2.0, -0.5]) / np.linalg.norm([1.0, 2.0, -0.5]))
    for i in range(3):
        v = np.tile(np.eye(6)[i], 2)
        assert v @ turn.T @ m @ turn @ v == pytest.approx(RHO * A * L, rel=1e-12)


def test_a_spatial_element_bent_in_a_plane_is_the_planar_one():
    kp, mp = planar_element(E, A, I, RHO, L)
    ks, ms = spatial_element(E, A, 9 * I, I, 2.6e10, 2 * I, RHO, L)
    places = [0, 1, 5, 6, 7, 11]  # along x, across y, about z
    np.testing.assert_allclose(ks[np.ix_(places, places)], kp, rtol=1e-13)
    np.testing.assert_allclose(ms[np.ix_(places, places)], mp, rtol=1e-13)


def test_a_spatial_element_is_bent_alike_in_both_planes():
    k, _ = spatial_element(E, A, I, I, 2.6e10, 2 * I, RHO, L)
    # a tip force along z deflects as one along y
    inner = np.linalg.inv(k[6:, 6:])
    assert inner[1, 1] == pytest.approx(inner[2, 2])
    assert inner[1, 1] == pytest.approx(L**3 / (3 * E * I))
    assert inner[1, 5] == pytest.approx(-inner[2, 4])


def test_a_turn_is_a_rotation():
    t = spatial_turn(np.array([0.0, 0.6, 0.8]))[:3, :3]
    np.testing.assert_allclose(t @ t.T, np.eye(3), atol=1e-15)
    assert np.linalg.det(t) == pytest.approx(1.0)
    np.testing.assert_allclose(t[0], [0.0, 0.6, 0.8])


def test_a_string_holds_the_cubic_shapes_by_their_slopes():
    """Against the integral T w_i' w_j' of each pair of shapes, by Gauss's rule, which is exact for quartics."""
    length, tension = 0.7, 13.0
    s, weight = np.polynomial.legendre.leggauss(5)
    s, weight = (s + 1) / 2, weight / 2 * length
    slopes = np.array([hermite(s, length, *row)[1] for row in np.eye(4)])
    np.testing.assert_allclose(string(tension, length), tension * slopes * weight @ slopes.T, atol=1e-12)
