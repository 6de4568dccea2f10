import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import LeeWang, realised_restitution

# realised for targets 0.1, 0.2, ... 1.0, by an independent integration
REALISED = [0.6867, 0.712, 0.739, 0.768, 0.7992, 0.8329, 0.8693, 0.909, 0.9524, 1]


def test_realised_restitution_follows_from_the_damping_factor():
    law = LeeWang(stiffness=1e9)
    realised = realised_restitution(law.damping_factor(jnp.arange(1, 11) / 10))
    np.testing.assert_allclose(realised, REALISED, atol=6e-5)  # half of the last digit
