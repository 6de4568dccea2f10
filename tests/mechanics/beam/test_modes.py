import numpy as np
import pytest

from dovetail.mechanics.beam import BeamMesh, modes, slow_basis

SECTION = {"E": 6.9e10, "I": 5.44e-9, "A": 3.02e-4, "rho": 2710.0}


@pytest.fixture(scope="module")
def cantilever():
    mesh = BeamMesh(nodes=[[0.0, 0.0, 0.0], [0.0, 0.6, 0.3]], elements=[(1, 2)], **SECTION).refine(8)
    return mesh, *mesh.assemble()


def test_eight_elements_give_beam_modes_within_half_a_per_cent(cantilever):
    mesh, M, K = cantilever
    found, _ = modes(M, K, np.arange(6))
    length = np.hypot(0.6, 0.3)
    base = np.sqrt(6.9e10 * 5.44e-9 / (2710 * 3.02e-4 * length**4))
    bending = np.array([1.8751, 4.6941, 7.8548]) ** 2 * base
    # each occurs in two planes
    np.testing.assert_allclose(found[:6], np.repeat(bending, 2), rtol=5e-3)


def test_axial_and_torsion_modes_are_those_of_a_bar(cantilever):
    _, M, K = cantilever
    found, shapes = modes(M, K, np.arange(6))
    length = np.hypot(0.6, 0.3)
    axial = np.pi / 2 / length * np.sqrt(6.9e10 / 2710)
    torsion = np.pi / 2 / length * np.sqrt(6.9e10 / 2.6 / 2710)
    for theory in (axial, torsion):
        assert np.min(np.abs(found / theory - 1)) < 5e-3


def test_mode_shapes_are_mass_normalised_and_zero_at_supports(cantilever):
    _, M, K = cantilever
    _, shapes = modes(M, K, np.arange(6))
    np.testing.assert_allclose(shapes.T @ M @ shapes, np.eye(shapes.shape[1]), atol=1e-9)
    assert np.all(shapes[:6] == 0)


def test_a_reduced_frame_has_the_compliance_of_the_full_one_at_loaded_coordinates(cantilever):
    _, M, K = cantilever
    loaded = np.array([len(M) - 6, len(M) - 5, len(M) - 4])
    basis, cut = slow_basis(M, K, np.arange(6), loaded, 4)
    assert basis.shape[1] <= 7
    omega = modes(M, K, np.arange(6))[0]
    assert cut == omega[4]
    assert slow_basis(M, K, np.arange(6), loaded, len(omega))[1] == np.inf
    whole = np.linalg.inv(K[6:, 6:])[np.ix_(loaded - 6, loaded - 6)]
    reduced = basis[loaded] @ np.linalg.solve(basis.T @ K @ basis, basis[loaded].T)
    np.testing.assert_allclose(reduced, whole, rtol=1e-6, atol=1e-9 * np.abs(whole).max())


def test_negligible_static_modes_are_omitted_with_a_small_error(cantilever):
    _, M, K = cantilever
    loaded = np.array([len(M) - 6, len(M) - 5, len(M) - 4])
    every, _ = slow_basis(M, K, np.arange(6), loaded, 4)
    whole = every[loaded] @ np.linalg.solve(every.T @ K @ every, every[loaded].T)
    least = 1e-2 * np.diag(whole).min()
    fewer, _ = slow_basis(M, K, np.arange(6), loaded, 4, least)
    assert 4 <= fewer.shape[1] <= every.shape[1]
    reduced = fewer[loaded] @ np.linalg.solve(fewer.T @ K @ fewer, fewer[loaded].T)
    assert np.abs(reduced - whole).max() <= 3 * least  # three static shapes at most
