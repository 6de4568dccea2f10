import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import ZhiyingQishao, realised_restitution

# realised for targets 0.1, 0.2, ... 1.0, by an independent integration
REALISED = [0.2175, 0.2664, 0.3267, 0.3988, 0.4826, 0.5769, 0.6796, 0.7874, 0.8959, 1]


def test_realised_restitution_follows_from_the_damping_factor():
    law = ZhiyingQishao(stiffness=1e9)
    realised = realised_restitution(law.damping_factor(jnp.arange(1, 11) / 10))
    np.testing.assert_allclose(realised, REALISED, atol=6e-5)  # half of the last digit
