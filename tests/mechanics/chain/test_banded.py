"""Both banded solvers against a dense one."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.chain.banded import solve_blocks, solve_tridiagonal


@pytest.mark.parametrize("n", [1, 2, 9])
def test_tridiagonal_agrees_with_a_dense_solve(n):
    rng = np.random.default_rng(n)
    coupling = np.r_[0.0, rng.normal(size=n - 1)]
    diagonal = 3 + np.abs(rng.normal(size=n))
    A = np.diag(diagonal) + np.diag(coupling[1:], 1) + np.diag(coupling[1:], -1)
    b = rng.normal(size=n)
    got = solve_tridiagonal(jnp.array(diagonal), jnp.array(coupling), jnp.array(b))
    np.testing.assert_allclose(got, np.linalg.solve(A, b), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [1, 5])
def test_blocks_agree_with_a_dense_solve(n):
    rng = np.random.default_rng(n)
    u = rng.normal(size=(3, n))
    u /= np.linalg.norm(u, axis=0)
    a, b, c = np.full(n, -4.0), np.full(n, 6.0), np.r_[0.0, np.ones(n - 1)]
    rhs = rng.normal(size=(3, n))
    A = np.zeros((3 * n, 3 * n))
    for k in range(n):
        A[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = a[k] * np.eye(3) + b[k] * np.outer(u[:, k], u[:, k])
        if k:
            A[3 * k : 3 * k + 3, 3 * k - 3 : 3 * k] = A[3 * k - 3 : 3 * k, 3 * k : 3 * k + 3] = -c[
                k
            ] * np.eye(3)
    got = solve_blocks(*(jnp.array(v) for v in (a, b, u, c, rhs)))
    np.testing.assert_allclose(
        np.asarray(got).T.ravel(), np.linalg.solve(A, rhs.T.ravel()), rtol=1e-11, atol=1e-11
    )
