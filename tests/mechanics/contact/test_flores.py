import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import Flores, realised_restitution

# realised for targets 0.1, 0.2, ... 1.0, by an independent integration
REALISED = [0.0694, 0.1555, 0.2562, 0.3629, 0.4704, 0.5773, 0.6832, 0.7885, 0.8939, 1]


def test_realised_restitution_follows_from_the_damping_factor():
    law = Flores(stiffness=1e9)
    realised = realised_restitution(law.damping_factor(jnp.arange(1, 11) / 10))
    np.testing.assert_allclose(realised, REALISED, atol=6e-5)  # half of the last digit
