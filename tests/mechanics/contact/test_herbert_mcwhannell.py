import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import HerbertMcWhannell, realised_restitution

# realised for targets 0.1, 0.2, ... 1.0, by an independent integration
REALISED = [0.4907, 0.5008, 0.52, 0.5503, 0.5936, 0.6511, 0.7227, 0.807, 0.9009, 1]


def test_realised_restitution_follows_from_the_damping_factor():
    law = HerbertMcWhannell(stiffness=1e9)
    realised = realised_restitution(law.damping_factor(jnp.arange(1, 11) / 10))
    np.testing.assert_allclose(realised, REALISED, atol=6e-5)  # half of the last digit
