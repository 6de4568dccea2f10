import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.structures import (
    CentralDifference,
    Linear,
    Structure,
)


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


def test_central_difference_is_stable_up_to_two():
    assert radius(amplification(CentralDifference(), 1.99)) <= 1 + 1e-12
    assert radius(amplification(CentralDifference(), 2.01)) > 1.1


def test_displacements_are_those_of_the_central_difference_formula():
    # x[n+1] = 2 x[n] - x[n-1] - h^2 k/m x[n]
    structure = Structure(2.0, 0.0, Linear(50.0))
    motion, found = structure.start(x=1.0), [1.0]
    for _ in range(5):
        motion = CentralDifference().step(structure, 0.1, motion, jnp.zeros(1))
        found.append(float(motion.x[0]))
    x = np.array(found)
    np.testing.assert_allclose(x[2:], 2 * x[1:-1] - x[:-2] - 0.01 * 25.0 * x[1:-1], rtol=1e-12)
