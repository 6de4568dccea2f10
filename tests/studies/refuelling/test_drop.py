import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.mechanics.drop_mass import DropMass
from dovetail.specimens.tennis_ball import TennisBall
from dovetail.studies.refuelling.drop import drop, euler_gain, identified_drag


@pytest.fixture(scope="module")
def run():
    return drop(TennisBall(), duration=0.7)


def test_contacts_are_found_with_their_speeds(run):
    first, second = run.contacts()[:2]
    assert first.start == pytest.approx(0.1716, abs=1e-4)
    assert first.speed_in == pytest.approx(1.573, abs=1e-3)
    assert first.speed_out < first.speed_in
    assert second.start == pytest.approx(0.528, abs=1e-3)


def test_steps_are_long_in_contact_and_short_in_the_air(run):
    steps = np.diff(run.time)
    touching = run.depth[:-1] > 0
    np.testing.assert_allclose(steps[touching], 2e-4, rtol=1e-6)
    np.testing.assert_allclose(steps[~touching], 1e-5, rtol=1e-6)


def test_euler_s_method_adds_energy_in_proportion_to_its_step():
    assert euler_gain(2e-4) / euler_gain(1e-4) == pytest.approx(2.0, rel=0.05)


def test_drag_is_read_from_a_fall():
    t = np.linspace(0.0, 0.25, 300)
    fallen, _ = DropMass(damping=7.0).fallen(jnp.asarray(t))
    assert identified_drag(t, 0.205 - np.asarray(fallen)) == pytest.approx(7.0, rel=1e-5)
