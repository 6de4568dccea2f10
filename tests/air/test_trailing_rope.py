"""A trailing hose: drag on its own links alone, by the wind past them."""

import jax.numpy as jnp
import numpy as np

from dovetail.air.tanker import TankerAir
from dovetail.air.trailing_rope import FAR, HoseKinematics
from dovetail.mechanics.chain import LinkChain
from dovetail.studies.refuelling.assembly import DRAG


def test_drag_is_on_the_hose_s_links_and_the_wind_is_relative_to_the_tow_point_s_motion():
    chain = LinkChain(n=3, length=2.0, mass=2.0, last_link=0.3)
    x = chain.straight(jnp.array([0.0, 1.0, 0.0]))
    tow = jnp.array([[-21.0, 0.0, 0.5], [10.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # ten faster than the stream
    hose = HoseKinematics(chain, x, tow)
    force, wind = hose.drag(DRAG, TankerAir(airspeed=100.0, density=1.0), 0.0, FAR, 2)
    np.testing.assert_allclose(wind, [110.0, 0.0, 0.0], atol=1e-12)  # downstream
    np.testing.assert_allclose(force[0, :2], 0.5 * 0.071 * 1.0 * 0.6 * 110.0**2, rtol=1e-9)
    np.testing.assert_array_equal(force[:, 2], 0.0)
    np.testing.assert_allclose(hose.r[:, 0], [21.0, 0.5, 0.0])
