import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.contact import KelvinVoigt
from dovetail.mechanics.friction import Regularised
from dovetail.specimens.funnel import Funnel
from dovetail.specimens.scaled_specimen import ScaledSpecimen

STIFFNESS = np.array([5e4, 5e4, 2.5e3])


def funnel(stiffness, slip_speed, **lengths) -> Funnel:
    law = KelvinVoigt(tuple(stiffness), tension="clamped")
    friction = Regularised(mu=0.1, smoothing_speed=slip_speed)
    return Funnel(**{"initial_position": (0.0, 0.0, 0.0)} | lengths, law=law, friction=friction)


FULL = funnel(STIFFNESS, 0.02)


def small() -> Funnel:
    fifth = {
        name: getattr(FULL, name) / 5
        for name in ("initial_position", "depths", "radii", "rim_radius", "memory_distance")
    }
    return funnel(STIFFNESS / 60, 0.02 / 5, **fifth)


def test_a_scaled_drogue_has_the_force_of_a_large_one_of_60_times_its_stiffness():
    u = {
        "displacement": jnp.array([-0.5, 0.05, -0.2, 0, 0, 0]),
        "velocity": jnp.array([1.0, 0.1, -0.3, 0, 0, 0]),
    }
    large = FULL.output(0.0, FULL.init(), u)["force"]
    scaled = ScaledSpecimen(small())
    np.testing.assert_allclose(scaled.output(0.0, scaled.init(), u)["force"], large, rtol=1e-9, atol=1e-9)


def test_its_memory_is_that_of_the_small_one():
    scaled = ScaledSpecimen(small())
    assert scaled.init().keys() == FULL.init().keys()
    u = {"displacement": jnp.zeros(6), "velocity": jnp.ones(6)}
    assert scaled.derivative(0.0, scaled.init(), u).keys() == FULL.init().keys()
