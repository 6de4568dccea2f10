"""The blade seen from its damper: reciprocity, modal strength, power."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import BladeModes, ModalBlade, TabulatedBlade
from dovetail.core import RK4, Sampled
from dovetail.core.errors import ParameterError

LISTED = TabulatedBlade(radius=5.0, per_revolution=[0.3, 1.03, 2.6], inertia=[2.0, 3.0, 5.0])
MODES = dict(rotor_speed=22.0, structure=LISTED, damping=0.0)
P = [0.25, -0.1, 0.7]
FREE = {"excitation": 0.0, "excitation_rate": 0.0, "force": 0.0}


def test_recorded_rates_are_derivatives_of_the_recorded_motion():
    blade = ModalBlade(BladeModes(**MODES), P)
    x = {"phi": jnp.array([0.1, 0.2, -0.1]), "rate": jnp.array([1.0, -2.0, 0.5])}
    u = {**FREE, "force": 30.0}
    shown, rates = blade.output(0.1, x, u), blade.derivative(0.1, x, u)
    assert float(shown["velocity"]) == pytest.approx(float(jnp.dot(jnp.array(P), rates["phi"])), rel=1e-14)
    assert float(shown["acceleration"]) == pytest.approx(
        float(jnp.dot(jnp.array(P), rates["rate"])), rel=1e-14
    )


def test_power_of_the_force_is_the_rate_of_the_blade_s_energy():
    """Virtual work: the participation that moves the piston is the one through which the force acts."""
    blade = ModalBlade(BladeModes(**MODES), P)
    inertia, w = blade.modes.inertia, LISTED.per_revolution * 22.0

    def energy(x):
        return 0.5 * jnp.sum(inertia * (x["rate"] ** 2 + w**2 * x["phi"] ** 2))

    x = {"phi": jnp.array([0.1, 0.2, -0.1]), "rate": jnp.array([1.0, -2.0, 0.5])}
    u = {**FREE, "force": 40.0}
    rate = jax.jvp(energy, (x,), (blade.derivative(0.0, x, u),))[1]
    assert float(rate) == pytest.approx(40.0 * float(blade.output(0.0, x, u)["velocity"]), rel=1e-12)


def test_a_damper_damps_a_single_mode_by_its_strength():
    """Strength kappa adds to the mode's own damping coefficient: the envelope decays as exp(-kappa t/2)."""
    blade = ModalBlade(
        BladeModes(TabulatedBlade(5.0, [3.0], [2.0]), 22.0, 0.0, initial_coordinates=[1.0]), [0.25]
    )
    slope = 96.0  # N s/m
    kappa = float(blade.strength(slope)[0])
    assert kappa == pytest.approx(96.0 * 0.25**2 / 2.0)

    class Damped(ModalBlade):
        def derivative(self, t, x, u):
            return super().derivative(t, x, {**u, "force": -slope * 0.25 * x["rate"][0]})

    flow = Damped(blade.modes, blade.participation)
    block, dt = Sampled(flow, RK4()), 1e-3
    (x, _), _ = jax.lax.scan(lambda x, i: block.step(i * dt, dt, x, FREE), block.init(), jnp.arange(1000))
    w = float(np.sqrt(66.0**2 - kappa**2 / 4))
    expected = np.exp(-kappa / 2) * (np.cos(w) + kappa / (2 * w) * np.sin(w))
    assert float(x["phi"][0]) == pytest.approx(expected, abs=1e-6)


def test_modes_that_are_masked_do_not_move_the_piston():
    blade = ModalBlade(BladeModes(**MODES, active_modes=[0.0, 1.0, 0.0]), P)
    x = {"phi": jnp.array([0.1, 0.2, -0.1]), "rate": jnp.zeros(3)}
    assert float(blade.output(0.0, x, FREE)["displacement"]) == pytest.approx(-0.1 * 0.2)


def test_each_mode_needs_one_participation():
    with pytest.raises(ParameterError, match=r"participation: got shape \(2,\) for 3 modes"):
        ModalBlade(BladeModes(**MODES), [0.1, 0.2])
