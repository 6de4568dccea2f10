import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import LankaraniNikravesh, realised_restitution

# realised for targets 0.1, 0.2, ... 1.0, by an independent integration
REALISED = [0.6653, 0.6723, 0.6842, 0.7016, 0.7252, 0.7561, 0.796, 0.8471, 0.9132, 1]


def test_realised_restitution_follows_from_the_damping_factor():
    law = LankaraniNikravesh(stiffness=1e9)
    realised = realised_restitution(law.damping_factor(jnp.arange(1, 11) / 10))
    np.testing.assert_allclose(realised, REALISED, atol=6e-5)  # half of the last digit
