"""What grows, and what only seems to: against matrices whose eigenvalues are known."""

import numpy as np
import pytest

from dovetail.stability.eigenvalues import eigenvalues, growing, growing_steps

RNG = np.random.default_rng(5)


def hidden(values):
    """A matrix with known real eigenvalues, turned into coordinates in which nothing is seen of them."""
    V = np.eye(len(values)) + 0.3 * RNG.standard_normal((len(values), len(values)))
    return V @ np.diag(values) @ np.linalg.inv(V)


def test_the_error_bound_covers_rounding():
    for _ in range(50):
        true = RNG.uniform(-10, 10, 8)
        values, errors = eigenvalues(hidden(true))
        off = np.abs(values[:, None] - true).min(axis=1)
        assert np.all(off <= 10 * errors)  # the product of three matrices rounds, too
        assert np.all(errors < 1e-7)


def test_a_motion_that_only_remembers_does_not_grow():
    for _ in range(50):
        scale = 10.0 ** RNG.uniform(-3, 6)
        assert growing(scale * hidden([0.0, -1.0, -2.0, -50.0])) == 0
        assert growing(scale * hidden([1e-9, -1.0, -2.0, -50.0])) in (0, 1)
        assert growing(scale * hidden([1e-6, -1.0, -2.0, -50.0])) == 1


def test_a_free_body_drifts_and_does_not_grow():
    free = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 0.3], [0.0, 0.0, -2.0]])
    turned = RNG.standard_normal((3, 3))
    assert growing(turned @ free @ np.linalg.inv(turned)) == 0


def test_steps_grow_outside_the_unit_circle():
    assert growing_steps(np.diag([1.0, -1.0, 0.5])) == 0
    assert growing_steps(np.diag([1.0 + 1e-9, -1.0, 0.5])) == 1
    assert growing_steps(np.diag([-1.0 - 1e-9, 0.5])) == 1


def test_an_empty_matrix_has_no_eigenvalues():
    values, errors = eigenvalues(np.zeros((0, 0)))
    assert values.size == errors.size == 0
    assert growing(np.zeros((0, 0))) == 0


def test_a_matrix_that_is_all_rounding_is_neutral():
    with np.errstate(all="raise"):
        assert growing(1e-300 * np.eye(2) - 1e-300 * np.eye(2)) == 0
    assert pytest.approx(0.0) == eigenvalues(np.zeros((3, 3)))[0]
