import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.structures import (
    HHTAlpha,
    Linear,
    Newmark,
    Structure,
)


def run(structure, method, dt, steps, start, load=lambda t: 0.0):
    def tick(m, i):
        m = method.step(structure, dt, m, jnp.broadcast_to(load((i + 1) * dt), (structure.size,)))
        return m, m

    return jax.jit(lambda: jax.lax.scan(tick, start, jnp.arange(steps))[1])()


def test_average_acceleration_keeps_the_energy_of_a_linear_structure():
    k = np.array([[300.0, -100.0], [-100.0, 100.0]])
    m = np.diag([2.0, 1.0])
    structure = Structure(m, np.zeros((2, 2)), Linear(k))
    motion = run(structure, Newmark(), 0.05, 2000, structure.start(x=jnp.array([0.1, -0.2])))
    x, v = np.asarray(motion.x), np.asarray(motion.v)
    energy = 0.5 * np.einsum("ti,ij,tj->t", x, k, x) + 0.5 * np.einsum("ti,ij,tj->t", v, m, v)
    # rounding only: 2000 steps of 1e-16, amplified by the solve
    np.testing.assert_allclose(energy, energy[0], rtol=1e-10)


def amplification(method, omega_dt):
    """The matrix that takes (x, v, a) to the next step, for a mass of 1 kg and dt = 1 s."""
    return np.asarray(_amplification(method, omega_dt**2))


@jax.jit
def _amplification(method, k):
    structure = Structure(1.0, 0.0, Linear(k))

    def column(s):
        start = structure.start()._replace(x=s[:1], v=s[1:2], a=s[2:], restoring=k * s[:1])
        end = method.step(structure, 1.0, start, jnp.zeros(1))
        return jnp.concatenate([end.x, end.v, end.a])

    return jax.jacfwd(column)(jnp.zeros(3))


def radius(matrix):
    return np.abs(np.linalg.eigvals(matrix)).max()


@pytest.mark.parametrize("alpha", [-1 / 3, -0.1, 0.0])
def test_spectral_radius_of_the_alpha_method_is_the_published_one(alpha):
    # at infinite frequency: (1 + alpha) / (1 - alpha), 1/2 for alpha = -1/3 [Hilber, Hughes & Taylor 1977]
    far = radius(amplification(HHTAlpha(alpha), 1e4))
    assert far == pytest.approx((1 + alpha) / (1 - alpha), abs=2e-3)
    for omega_dt in (0.1, 1.0, 10.0, 100.0):
        assert radius(amplification(HHTAlpha(alpha), omega_dt)) <= 1 + 1e-7  # 1e-7: defective at alpha = 0


@pytest.mark.slow
def test_gradient_through_an_implicit_step_agrees_with_finite_differences_and_it_batches():
    def end(k):
        structure = Structure(1.0, 0.1, lambda x, v: k * x + x**3)
        motion = structure.start(x=1.0)
        for _ in range(2):
            motion = Newmark().step(structure, 0.1, motion, jnp.zeros(1))
        return motion.x[0]

    go = jax.jit(end)
    np.testing.assert_allclose(
        jax.jit(jax.grad(end))(5.0), (go(5.0 + 1e-5) - go(5.0 - 1e-5)) / 2e-5, rtol=1e-6
    )
    np.testing.assert_allclose(jax.jit(jax.vmap(end))(jnp.array([4.0, 5.0]))[1], go(5.0), rtol=1e-12)


def test_a_step_that_does_not_converge_gives_nan():
    structure = Structure(1.0, 0.0, lambda x, v: -1e3 * (x**2 + 1))
    motion = Newmark().step(structure, 1.0, structure.start(), jnp.zeros(1))
    assert np.isnan(motion.x).all()
