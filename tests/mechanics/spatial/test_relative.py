"""A point seen from a turning body: rates are those of what is seen."""

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.spatial import FrameState, Pose, Twist
from dovetail.mechanics.spatial.relative import relative_motion, vector_rate
from dovetail.mechanics.spatial.rotation import exponential, logarithm


def test_rotation_vector_rate_is_the_derivative_of_the_logarithm():
    phi, w = jnp.array([0.5, -0.3, 0.4]), jnp.array([0.2, 0.7, -0.4])
    slope = jax.jit(lambda v: jax.jacfwd(lambda s: logarithm(exponential(s * w) @ exponential(v)))(0.0))
    for vector in (phi, 0.01 * phi, 0 * phi):
        np.testing.assert_allclose(vector_rate(vector, w), slope(vector), atol=1e-12)


def test_velocity_and_acceleration_are_those_of_the_displacement():
    """A body that turns at a steady spin about a moving joint, a point on a curve, by automatic differentiation."""
    spin = jnp.array([0.3, -0.8, 0.5])
    home, offset = (
        Pose(exponential(jnp.array([0.1, 0.2, -0.3])), jnp.array([-0.7, 0.1, 0.0])),
        jnp.array([0.2, 0.0, 0.1]),
    )

    def joint(t):
        return jnp.stack([jnp.sin(t), t**2, jnp.cos(t)])

    def point(t):
        return jnp.stack([2 * t, 1 - t**3, jnp.sin(3 * t)])

    def three(f, t):
        return f(t), jax.jacfwd(f)(t), jax.jacfwd(jax.jacfwd(f))(t)

    def seen(t):
        place, speed, rate = three(joint, t)
        turned = Pose(exponential(t * spin), place)  # about an axis that stays, in either axes
        body = FrameState(turned, Twist(speed, spin), Twist(rate, jnp.zeros(3)))
        return relative_motion(body, three(point, t), jnp.eye(3), home, offset)[1]

    @jax.jit
    def both(t):
        return seen(t), three(lambda t: seen(t)["displacement"], t)

    found, (_, first, second) = both(0.4)
    np.testing.assert_allclose(found["velocity"], first, atol=1e-12)
    np.testing.assert_allclose(found["acceleration"], second, atol=1e-11)
