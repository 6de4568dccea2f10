"""A free mass between actuators: equation, balance of forces, and the modes of the three-mass study."""

import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core.errors import ParameterError
from dovetail.core.linear import linearise
from dovetail.mechanics import Oscillator
from dovetail.specimens import MiddleMass
from dovetail.testing.coupled import Coupled
from dovetail.testing.excitation import Zero

STATE = {"x": jnp.array(0.002), "v": jnp.array(0.3)}
MOTION = {
    "displacement": jnp.array([0.01, -0.02]),
    "velocity": jnp.array([0.1, 0.4]),
    "acceleration": jnp.array([5.0, -7.0]),
}


def test_each_actuator_has_the_force_of_its_spring_and_damper():
    mass = MiddleMass(m=2.2, k=[1000.0, 2000.0], c=[3.0, 5.0])
    expected = [3.0 * (0.3 - 0.1) + 1000.0 * (0.002 - 0.01), 5.0 * (0.3 - 0.4) + 2000.0 * (0.002 + 0.02)]
    np.testing.assert_allclose(mass.output(0.0, STATE, MOTION)["force"], expected, rtol=1e-14)


def test_forces_on_actuators_and_mass_are_opposite():
    mass = MiddleMass(m=2.2, k=[1000.0, 2000.0], c=[3.0, 5.0])
    force = mass.output(0.0, STATE, MOTION)["force"]
    rate = mass.derivative(0.0, STATE, MOTION)
    assert float(2.2 * rate["v"] + force.sum()) == pytest.approx(0.0, abs=1e-12)  # rounding of forces of 40 N
    assert float(rate["x"]) == 0.3


def test_moving_along_with_all_actuators_needs_no_force():
    mass = MiddleMass(m=2.2, k=4750.0, c=6.0)
    along = {"displacement": jnp.full(2, 0.002), "velocity": jnp.full(2, 0.3), "acceleration": jnp.zeros(2)}
    np.testing.assert_array_equal(mass.output(0.0, STATE, along)["force"], [0.0, 0.0])


def test_the_mass_starts_at_its_initial_position_and_records_it():
    mass = MiddleMass(m=1.0, k=100.0, x0=0.004, v0=-0.1)
    assert mass.output(0.0, mass.init(), MOTION)["mass_displacement"] == 0.004
    assert mass.init()["v"] == -0.1


@pytest.mark.parametrize(
    ("k", "c", "hertz"),
    [(4750.0, 6.0, [5.660, 10.459, 13.665]), (9000.0, 15.0, [7.791, 14.396, 18.809])],
)
def test_joined_with_two_oscillators_it_has_the_modes_of_the_three_mass_study(k, c, hertz):
    """Undamped, by hand: omega^2 = (k/m) times the eigenvalues 2 - sqrt(2), 2, 2 + sqrt(2)."""
    m = 2.2
    whole = Coupled(Oscillator(m=[m, m], c=[c, c], k=[k, k]), MiddleMass(m=m, k=k, c=c), Zero(), (2,))
    found = linearise(whole, whole.init()).modes()
    by_hand = np.sqrt(k / m * np.array([2 - np.sqrt(2), 2, 2 + np.sqrt(2)])) / (2 * np.pi)
    np.testing.assert_allclose(
        found.frequencies, by_hand, rtol=1e-9
    )  # |eigenvalue| is the undamped frequency
    np.testing.assert_allclose(found.frequencies, hertz, atol=5.1e-4)  # three decimals


def test_a_mass_of_zero_is_rejected():
    with pytest.raises(ParameterError, match=r"MiddleMass\.m: got 0; must be above 0 kg"):
        MiddleMass(m=0.0, k=1.0)
