"""Rightmost characteristic roots, against closed forms and against the equation itself."""

import itertools

import numpy as np
import pytest
import scipy.special

from dovetail.compensation.polynomial import predictor_weights
from dovetail.core.errors import ConvergenceError, ParameterError
from dovetail.stability import DelayEquation

from .systems import K, M, one_mass, three_mass

RNG = np.random.default_rng(3)


def smallest_singular_value(equation, roots):
    scaled = equation._scaled()[0]
    values = np.linalg.svd(scaled.characteristic_matrix(roots.values), compute_uv=False)
    return values[:, -1] / values[:, 0]


@pytest.mark.parametrize("b", [-1.0, -0.2, 0.7, -3.0])
def test_scalar_roots_are_branches_of_lamberts_function(b):
    roots = DelayEquation([[0.0]], [([[b]], 1.0)]).roots(7)
    exact = scipy.special.lambertw(b, np.arange(-20, 21))
    exact = exact[np.argsort(-exact.real)][: len(roots.values)]
    assert np.sort(roots.values.real) == pytest.approx(np.sort(exact.real), rel=1e-12)
    assert np.sort(roots.values.imag) == pytest.approx(np.sort(exact.imag), rel=1e-12, abs=1e-14)


def test_error_estimates_cover_the_true_error_and_are_small():
    roots = DelayEquation([[0.0]], [([[-1.0]], 1.0)]).roots(9)
    exact = scipy.special.lambertw(-1.0, np.arange(-20, 21))
    true = np.abs(roots.values[:, None] - exact).min(axis=1)
    assert np.all(true <= roots.errors)
    assert roots.errors.max() < 1e-12


def test_r08_growth_of_the_standard_case_at_seven_milliseconds():
    roots = one_mass(7e-3).roots()
    assert roots.growth == pytest.approx(0.105, rel=0.05)  # as printed, read off a graph
    assert roots.growth == pytest.approx(0.1097, rel=1e-3)
    assert roots.omega / (2 * np.pi) == pytest.approx(7.110, abs=1e-3)
    assert not roots.stable


def test_without_delay_the_roots_are_eigenvalues():
    equation = three_mass(0.0, 0.0)
    assert equation.taus.size == 0
    expected = np.linalg.eigvals(equation.A0)
    assert np.sort_complex(equation.roots(6).values) == pytest.approx(np.sort_complex(expected), rel=1e-9)


def test_roots_make_the_characteristic_matrix_singular():
    equation = three_mass(2e-3, 5e-3)
    roots = equation.roots(10)
    assert len(roots.values) >= 10
    assert smallest_singular_value(equation, roots).max() < 1e-12  # rounding of a 6 x 6 decomposition


def test_roots_come_in_conjugate_pairs_sorted_by_growth():
    values = three_mass(2e-3, 5e-3).roots(8).values
    assert np.all(np.diff(values.real) <= 1e-12)
    assert values.sum().imag == pytest.approx(0.0, abs=1e-9)


def test_growth_with_the_two_measured_delays_of_the_three_mass_study():
    roots = three_mass(9.4e-3, 8.6e-3, k=9000.0, c=15.0).roots(2)
    assert roots.growth == pytest.approx(9.84, abs=0.005)  # 1/s
    assert roots.omega / (2 * np.pi) == pytest.approx(13.65, abs=0.005)
    roots = three_mass(9.4e-3, 8.6e-3).roots(2)
    assert roots.growth == pytest.approx(6.31, abs=0.005)
    assert roots.omega / (2 * np.pi) == pytest.approx(10.1, abs=0.05)


def sixteen_delays(p=9.4, tau=9.4e-3, dt=1e-3, c=3.0):
    weights = np.asarray(predictor_weights(4, 16, p))
    force = [([[0, 0], [-K / M * w, 0]], tau + i * dt) for i, w in enumerate(weights)]
    return DelayEquation([[0, 1], [-K / M, -c / M]], force)


def test_sixteen_delays_are_resolved():
    equation = sixteen_delays()
    roots = equation.roots(6)
    assert roots.values[0] == pytest.approx(-0.666 + 2j * np.pi * 7.20, abs=0.05)  # two figures published
    assert smallest_singular_value(equation, roots).max() < 1e-12
    # a contour integral of the logarithmic derivative counts the roots right of -150 1/s
    roots = equation.roots(12)
    assert np.sum(roots.values.real > -150.0) == winding_number(equation, -150.0)


def winding_number(equation, left):
    """Roots with real part above `left`, by the argument principle around a rectangle that holds them all."""
    r = 1.01 * float(equation.radius(left))
    corners = [left - 1j * r, r - 1j * r, r + 1j * r, left + 1j * r, left - 1j * r]
    path = np.concatenate([np.linspace(a, b, 6001)[:-1] for a, b in itertools.pairwise(corners)])
    determinant = np.linalg.det(equation.characteristic_matrix(np.append(path, path[0])))
    return round(np.angle(determinant[1:] / determinant[:-1]).sum() / (2 * np.pi))


def test_random_systems_with_ten_delays_have_as_many_unstable_roots_as_the_argument_principle_counts():
    for _ in range(6):
        A0 = RNG.normal(size=(3, 3)) - 2 * np.eye(3)
        delayed = [(RNG.normal(size=(3, 3)) * 0.6, tau) for tau in RNG.uniform(0.05, 2.0, 10)]
        equation = DelayEquation(A0, delayed)
        roots = equation.roots(14)
        assert np.sum(roots.values.real > 0) == winding_number(equation, 0.0)


def test_widely_different_delays_are_resolved():
    A0, A = np.array([[-1.0]]), np.array([[-0.8]])
    equation = DelayEquation(A0, [(A, 1e-4), (A, 1.0), (A, 37.0)])
    roots = equation.roots(6)
    assert np.abs(equation.characteristic_matrix(roots.values)).max() < 1e-12
    between = roots.values.real[3:5].mean()  # the second and third pair are 1e-4 1/s apart
    assert winding_number(equation, between) == 4


def test_delays_that_coincide_are_merged_and_zero_ones_added_to_the_undelayed_part():
    equation = DelayEquation([[-1.0]], [([[1.0]], 0.1), ([[2.0]], 0.1), ([[0.5]], 0.0)])
    assert equation.taus.tolist() == [0.1]
    assert equation.As[0, 0, 0] == 3.0
    assert equation.A0[0, 0] == -0.5


def test_an_invalid_delay_equation_is_rejected():
    with pytest.raises(ParameterError, match="expected zero or more"):
        DelayEquation([[0.0]], [([[1.0]], -1e-3)])
    with pytest.raises(ParameterError, match="must be square"):
        DelayEquation(np.zeros((2, 3)))
    with pytest.raises(ParameterError, match=r"delayed\[0\]: got shape \(1, 1\); must be \(2, 2\)"):
        DelayEquation(np.zeros((2, 2)), [([[1.0]], 1e-3)])
    with pytest.raises(ParameterError, match="non-finite"):
        DelayEquation([[np.nan]])


def test_too_few_nodes_are_reported_not_hidden():
    with pytest.raises(ConvergenceError, match="roots still change"):
        sixteen_delays().roots(200, max_nodes=40)


@pytest.mark.parametrize("tau", [0.0, 5e-3])
def test_a_double_root_of_uncoupled_parts_is_found(tau):
    """Two equal machines side by side: every root is double, and the same as that of one of them."""
    one = one_mass(tau=tau)
    two = DelayEquation(
        np.kron(np.eye(2), one.A0),
        [(np.kron(np.eye(2), A), t) for A, t in zip(one.As, one.taus, strict=True)],
    )
    assert two.growth() == pytest.approx(one.growth(), rel=1e-9)


def test_a_neutral_root_does_not_hide_decaying_ones():
    """A memory beside a decaying mode with a late term: the growth is that of the mode."""
    with_memory = DelayEquation([[-1.0, 0.0], [1.0, 0.0]], [([[-0.5, 0.0], [0.0, 0.0]], 0.1)])
    alone = DelayEquation([[-1.0]], [([[-0.5]], 0.1)])
    assert with_memory.roots(4).values[0] == pytest.approx(0.0, abs=1e-12)
    assert with_memory.growth() == pytest.approx(alone.growth(), rel=1e-9)
    assert with_memory.stable()
