import jax.numpy as jnp

from dovetail.core import Euler, Flow


class Clock(Flow):
    """x' = t + u: shows at which time the rate is taken."""

    def init(self):
        return jnp.asarray(0.0)

    def derivative(self, t, x, u):
        return t + u

    def output(self, t, x, u):
        return x


def test_the_rate_is_that_at_the_start_of_the_step():
    x, memory = Euler().step(Clock(), 2.0, 0.5, jnp.asarray(1.0), 4.0, ())
    assert float(x) == 1.0 + 0.5 * (2.0 + 4.0)
    assert memory == ()
