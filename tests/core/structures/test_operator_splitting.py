import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.structures import (
    CentralDifference,
    HHTAlpha,
    Linear,
    OperatorSplitting,
    Structure,
)


def run(structure, method, dt, steps, start, load=lambda t: 0.0):
    def tick(m, i):
        m = method.step(structure, dt, m, jnp.broadcast_to(load((i + 1) * dt), (structure.size,)))
        return m, m

    return jax.jit(lambda: jax.lax.scan(tick, start, jnp.arange(steps))[1])()


def cubic(x, v):
    """A hardening spring with a little friction [N]."""
    return 4.0 * x + 2.0 * x**3 + 0.1 * v


def softening(x, v):
    """Stiffness 1e4 N/m at rest that fades to nothing: the force stays below 100 N."""
    return 100.0 * jnp.tanh(100.0 * x)


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


def test_operator_splitting_with_the_true_stiffness_is_the_alpha_method():
    for omega_dt in (0.1, 3.0, 50.0):
        split = amplification(OperatorSplitting(omega_dt**2, -0.15), omega_dt)
        np.testing.assert_allclose(split, amplification(HHTAlpha(-0.15), omega_dt), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("alpha", [-1 / 3, -0.1, 0.0])
def test_operator_splitting_is_stable_at_any_step_for_a_specimen_softer_than_its_initial_stiffness(alpha):
    for omega_dt in (0.5, 2.5, 10.0, 100.0):
        for softness in (1e-3, 0.3, 0.8, 1.0):
            method = OperatorSplitting(omega_dt**2 / softness, alpha)
            # 1e-6: a double eigenvalue on the unit circle is found to the root of rounding
            assert radius(amplification(method, omega_dt)) <= 1 + 1e-6
    # and the claim ends there: a specimen stiffer than said
    assert radius(amplification(OperatorSplitting(100.0**2 / 10, alpha), 100.0)) > 1


@pytest.mark.parametrize("omega_dt", [1.0, 3.0, 10.0])
def test_operator_splitting_is_stable_for_softening_beyond_the_step_of_central_difference(
    omega_dt,
):
    structure = Structure(1.0, 0.0, softening)  # omega = 100 rad/s at rest
    start = structure.start(x=0.05)
    motion = run(structure, OperatorSplitting(1e4, -1 / 3), omega_dt / 100.0, 2000, start)
    assert np.abs(np.asarray(motion.x[-100:])).max() < 1e-6
    if omega_dt > 2:
        motion = run(structure, CentralDifference(), omega_dt / 100.0, 2000, start)
        assert np.abs(np.asarray(motion.x[-100:])).max() > 0.05


def test_predict_impose_measure_correct_by_hand_gives_the_simulated_motion():
    method = OperatorSplitting(20.0, -0.1)
    known, unknown = Structure(1.0, 0.2, cubic), Structure(1.0, 0.2)
    simulated = run(known, method, 0.02, 5, known.start(x=1.0))
    motion = unknown.start(x=1.0, restoring=cubic(jnp.ones(1), 0.0))
    for _ in range(5):
        imposed, rate = method.predict(0.02, motion)
        motion = method.correct(unknown, 0.02, motion, jnp.zeros(1), cubic(imposed, rate))
    np.testing.assert_allclose(motion.x, simulated.x[-1], rtol=1e-13)
