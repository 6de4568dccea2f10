import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import HuntCrossley, realised_restitution

# realised for targets 0.1, 0.2, ... 1.0, by an independent integration
REALISED = [0.5158, 0.5469, 0.5813, 0.6197, 0.663, 0.712, 0.768, 0.8329, 0.909, 1]


def test_realised_restitution_follows_from_the_damping_factor():
    law = HuntCrossley(stiffness=1e9)
    realised = realised_restitution(law.damping_factor(jnp.arange(1, 11) / 10))
    np.testing.assert_allclose(realised, REALISED, atol=6e-5)  # half of the last digit
