import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.methods import newton


@pytest.mark.parametrize("guess", [3.0, 100.0])  # the first step is halved twice, and seven times
def test_the_line_search_saves_a_root_that_a_full_newton_step_overshoots(guess):
    # atan: the plain iteration diverges from |x| > 1.39
    root, converged = newton(jnp.arctan, jnp.array([guess]))
    assert converged
    np.testing.assert_allclose(root, 0.0, atol=1e-15)


@pytest.mark.parametrize("secant", [False, True])
def test_a_negative_root_is_found(secant):
    root, converged = newton(lambda x: x**3 + 125.0, jnp.array([-4.0]), secant=secant)
    assert converged
    np.testing.assert_allclose(root, -5.0, rtol=1e-9)


def test_an_iterate_outside_the_domain_is_moved_back():
    # log: the full step from 20 lands at a negative argument
    root, converged = newton(jnp.log, jnp.array([20.0]))
    assert converged
    np.testing.assert_allclose(root, 1.0, atol=1e-15)


def test_a_missing_root_gives_nan_and_a_flag():
    root, converged = newton(lambda x: x**2 + 1, jnp.array([2.0]))
    assert not converged
    assert np.isnan(root).all()


def test_a_singular_jacobian_gives_nan_and_a_flag():
    root, converged = newton(lambda x: 0 * x + 1, jnp.array([2.0]))
    assert not converged
    assert np.isnan(root).all()


def test_a_badly_scaled_system_converges_in_all_variables():
    # a displacement of 1e-3 m on a spring of 1e6 N/m with a cubic part
    def residual(z):
        x, f = z
        return jnp.stack([f - 1e6 * x - 1e12 * x**3, f - 2000.0])

    root, converged = newton(residual, jnp.zeros(2))
    assert converged
    np.testing.assert_allclose(root, [1e-3, 2000.0], rtol=1e-12)


def test_the_root_is_differentiable_both_ways():
    def root(a):
        return newton(lambda x: x**2 - a, jnp.array([1.0]))[0][0]

    np.testing.assert_allclose(jax.jit(jax.grad(root))(4.0), 0.25, rtol=1e-12)
    np.testing.assert_allclose(jax.jit(jax.jacfwd(root))(4.0), 0.25, rtol=1e-12)
    slopes = jax.jit(jax.vmap(jax.grad(root)))(jnp.array([1.0, 4.0]))
    np.testing.assert_allclose(slopes, [0.5, 0.25], rtol=1e-12)


def test_the_secant_iteration_recomputes_a_failing_jacobian():
    # from 3 the first full step overshoots, and the correction there has the wrong sign for a while
    root, converged = newton(jnp.arctan, jnp.array([3.0]), secant=True)
    assert converged
    np.testing.assert_allclose(root, 0.0, atol=1e-10)
    root, converged = newton(lambda x: x**2 + 1, jnp.array([2.0]), secant=True)
    assert not converged
    assert np.isnan(root).all()


@pytest.mark.parametrize("secant", [False, True])
def test_the_number_of_iterations_is_limited(secant):
    """In one dimension: Newton for x^2 = 2, or with the slope of the secant from the second step on."""
    x, slope, count = 1.0, 2.0, 0
    step = np.inf
    while abs(step) > 1e-10 * (1 + abs(x)):
        step = -(x**2 - 2.0) / slope
        count, x, old = count + 1, x + step, x
        slope = x + old if secant else 2 * x
    for iterations in (count - 1, count):
        _, converged = newton(lambda x: x**2 - 2.0, jnp.array([1.0]), iterations=iterations, secant=secant)
        assert bool(converged) == (iterations == count)
