import dataclasses

import jax.numpy as jnp
import numpy as np

from dovetail.specimens.funnel import Funnel
from dovetail.specimens.scaled import ScaledSpecimen

FULL = Funnel(home=(0.0, 0.0, 0.0), friction_law="speed")


def small() -> Funnel:
    fifth = {
        name: getattr(FULL, name) / 5
        for name in ("home", "depths", "radii", "rim_radius", "slip_speed", "bristle")
    }
    sixtieth = {name: getattr(FULL, name) / 60 for name in ("rib_stiffness", "coupling_stiffness")}
    return dataclasses.replace(FULL, **fifth, **sixtieth)


def test_a_small_drogue_answers_as_a_large_one_of_sixty_times_its_stiffness():
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
