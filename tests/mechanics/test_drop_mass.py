import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.mechanics.drop_mass import DropMass


def test_the_plate_meets_the_ball_at_the_published_speed():
    plate = DropMass()
    fallen, speed = plate.fallen(0.1716)
    assert fallen == pytest.approx(0.205 - 0.067, abs=1e-4)
    assert speed == pytest.approx(1.573, abs=1e-3)
    assert 0.5 * 6.5 * speed**2 == pytest.approx(8.04, abs=0.01)


def test_the_integrated_fall_equals_the_closed_form():
    plate = DropMass()

    def step(x, _):
        return RK4().step(plate, 0.0, 1e-3, x, {"force": jnp.zeros(())}, ())[0], None

    z, v = jax.lax.scan(step, plate.init(), None, length=300)[0]
    np.testing.assert_allclose([-z, -v], plate.fallen(0.3), rtol=1e-10)


def test_a_force_pushes_it_up():
    out = DropMass().output(0.0, (jnp.zeros(()), jnp.ones(())), {"force": 6.5 * 9.81})
    assert out["acceleration"] == pytest.approx(-5.18 / 6.5)
