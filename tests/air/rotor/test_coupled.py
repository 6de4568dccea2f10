"""A rotor on a moving hub: momentum, symmetry, and the coupling of its blades."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air import BladeModes, CoupledRotor, ModalBlade, TabulatedBlade
from dovetail.core import RK4, Sampled
from dovetail.core.errors import ParameterError

OMEGA = 2 * np.pi * 3.5  # rad/s
FORCING = np.zeros((2, 9))
FORCING[0, 1:5] = 300.0, 200.0, 50.0, 40.0  # N m at 1 and 2 per revolution
FORCING[1, 7:9] = 30.0, 20.0  # at 4 per revolution
BLADE = ModalBlade(
    BladeModes(
        rotor_speed=OMEGA,
        structure=TabulatedBlade(5.0, [0.28, 3.9], [25.0, 150.0]),
        damping=[0.1, 0.1],
        forcing=FORCING,
    ),
    participation=[0.25, 0.7],
)
ROTOR = CoupledRotor(
    blade=BLADE,
    static_moment=[40.0, -30.0],
    hub_mass=6000.0,
    hub_damping=6e3,
    hub_stiffness=5e5,
)
FREE = {"excitation": 0.0, "excitation_rate": 0.0, "force": jnp.zeros(5)}


@eqx.filter_jit
def run(rotor, x, dampers, steps, dt=1e-3):
    """States and outputs with viscous dampers [N s/m], one a blade."""
    p = rotor.blade.participation

    class Damped(CoupledRotor):
        def derivative(self, t, x, u):
            return super().derivative(t, x, {**u, "force": -dampers * (x["rate"] @ p)})

    fields = {f.name: getattr(rotor, f.name) for f in dataclasses.fields(rotor)}
    flow = Damped(**fields)
    block = Sampled(flow, RK4())

    def advance(x, i):
        x, shown = block.step(i * dt, dt, x, FREE)
        return x, (x[0], shown)

    return jax.lax.scan(advance, (x, ()), jnp.arange(steps))[1]


def test_in_plane_momentum_is_conserved_for_a_free_hub():
    """Forces between blade and hub are internal; the modes' springs act in the rotating frame and are off."""
    soft = BladeModes(TabulatedBlade(5.0, [1e-9, 1e-9], [25.0, 150.0]), OMEGA, 0.0)
    rotor = CoupledRotor(ModalBlade(soft, [0.25, 0.7]), [40.0, -30.0], 6000.0, 0.0, 0.0)
    key = np.random.default_rng(3)
    x = rotor.init() | {"rate": jnp.asarray(key.normal(size=(5, 2))), "hub_rate": jnp.array([0.2, -0.1])}
    u = {**FREE, "force": jnp.zeros(5)}

    @jax.jit
    def change(t, x):
        return jax.jvp(rotor.momentum, (t, x), (jnp.ones(()), rotor.derivative(t, x, u)))[1]

    np.testing.assert_allclose(change(jnp.asarray(0.37), x), 0.0, atol=1e-9)


def test_identical_blades_transmit_only_multiples_of_their_number():
    """Five alike dampers: hub motion at 5 per revolution; one weak damper adds 1 per revolution."""
    revolution = 2 * np.pi / OMEGA
    dt = revolution / 250

    def lines(dampers):
        _, shown = run(ROTOR, ROTOR.init(), jnp.asarray(dampers), 250 * 150, dt)
        hub = np.asarray(shown["hub_displacement"])[-250 * 10 :, 0]  # ten revolutions, the start forgotten
        return 2 * np.abs(np.fft.rfft(hub))[::10][:8] / len(hub)

    alike, unequal = lines([4e3] * 5), lines([4e3, 4e3, 2e3, 4e3, 4e3])
    assert alike[5] > 1e-7
    assert max(alike[1:5]) < 1e-3 * alike[5]
    assert unequal[1] > 1000 * alike[1]


def test_blades_on_a_fixed_hub_are_uncoupled():
    held = dataclasses.replace(ROTOR, hub_mass=1e12)
    x = ROTOR.init() | {"phi": 0.1 * jnp.ones((5, 2))}

    @jax.jit
    def both(x):
        one = {"phi": x["phi"][0], "rate": x["rate"][0]}
        alone = BLADE.derivative(0.0, one, {**FREE, "force": 0.0})["rate"]
        return held.derivative(0.0, x, FREE)["rate"][0], alone

    np.testing.assert_allclose(*both(x), rtol=1e-6)


def test_a_push_on_one_blade_is_felt_by_the_others():
    u = {**FREE, "force": jnp.zeros(5).at[0].set(1000.0)}
    quiet = dataclasses.replace(BLADE, modes=dataclasses.replace(BLADE.modes, forcing_factor=0.0))
    rates = dataclasses.replace(ROTOR, blade=quiet).derivative(0.0, ROTOR.init(), u)["rate"]
    assert np.all(np.abs(np.asarray(rates[1:, 0])) > 0)


def test_static_moments_above_those_of_the_hub_are_rejected():
    with pytest.raises(ParameterError, match="less than the hub mass of 6000 kg"):
        dataclasses.replace(ROTOR, static_moment=[400.0, 0.0])
    with pytest.raises(ParameterError, match=r"static_moment: got shape \(3,\) for 2 modes"):
        dataclasses.replace(ROTOR, static_moment=[1.0, 2.0, 3.0])
