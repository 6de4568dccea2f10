"""Cone and tilt at rest: where the states settle, whatever blade gives."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.air.rotor import (
    BeamBlade,
    Blade,
    Controls,
    FlappingRotor,
    HingedBlade,
    Rotor,
    Section,
    TabulatedBlade,
)
from dovetail.core import RK4
from dovetail.core.errors import ParameterError
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.beam import BeamMesh

BLADE = Blade(radius=5.0, chord=0.3, root_cutout=0.05, effective_radius=1.0, lift_slope=5.7, elements=20)
PLAIN = Rotor(BLADE, Section(compressibility="off"), sectors=12, inflow="momentum")
SPEED = 40.0
HINGED = HingedBlade(radius=5.0, inertia=300.0, hinge=0.04, spring=2e4)
CONTROLS = Controls(SPEED, 0.1, 0.02, 0.3)
FLIGHT = jnp.array([10.0, 2.0, 0.0]), jnp.array([0.05, -0.02, 0.0]), jnp.zeros(3), 1.225


@pytest.mark.slow
def test_static_loads_equal_the_loads_of_the_settled_states():
    rotor = dataclasses.replace(PLAIN, structure=HINGED)
    flow = FlappingRotor(rotor)
    u = {"controls": CONTROLS, "velocity": FLIGHT[0], "angular_velocity": FLIGHT[1]}

    @jax.jit
    def settled():
        def step(x, _):
            return with_stage_loop(RK4()).step(flow, 0.0, 4e-3, x, u, ())[0], None

        x = jax.lax.scan(step, flow.init(), None, length=1600)[0]
        return flow.loads(x, u), rotor.loads(CONTROLS, *FLIGHT)

    waited, found = settled()
    np.testing.assert_allclose(found.force, waited.force, rtol=1e-6, atol=1e-3)
    np.testing.assert_allclose(found.moment, waited.moment, rtol=1e-6, atol=1e-3)


@pytest.mark.slow
def test_a_beam_that_hardly_bends_tilts_the_disc_as_a_rigid_blade_does():
    x = np.linspace(0.04 * 5.0, 5.0, 9)
    line = np.stack([x, 0 * x, 0 * x], 1)
    rho = 300.0 / ((5.0 * 0.96) ** 3 / 3) / 1e-3
    mesh = BeamMesh(line, [[i, i + 1] for i in range(1, 9)], E=1e15, I=25e-6, I_z=1e-6, A=1e-3, rho=rho)
    beam = BeamBlade(mesh, SPEED, mode_count=3, flap_spring=2e4)
    compiled = jax.jit(lambda rotor: rotor.loads(CONTROLS, *FLIGHT))
    got, expected = (compiled(dataclasses.replace(PLAIN, structure=blade)) for blade in (beam, HINGED))
    np.testing.assert_allclose(got.force, expected.force, rtol=1e-3, atol=0.1)
    np.testing.assert_allclose(got.moment, expected.moment, rtol=1e-3, atol=0.1)


def test_a_stopped_rotor_transmits_the_loads_of_a_rigid_one():
    """Blades lie on their stops; nothing is divided by a speed of zero."""
    still = Controls(0.0, 0.1)
    loose = dataclasses.replace(HINGED, spring=0.0, hinge=0.0)
    wind = jnp.array([-12.0, 0.0, 0.0])
    loads = jax.jit(lambda rotor: rotor.loads(still, wind=wind).force)
    np.testing.assert_allclose(loads(dataclasses.replace(PLAIN, structure=loose)), loads(PLAIN), atol=1e-9)


def test_a_list_of_modes_at_the_damper_is_not_a_rotor():
    with pytest.raises(ParameterError, match="at the lag damper only. Use a rigid-blade"):
        dataclasses.replace(PLAIN, structure=TabulatedBlade(5.0, [1.0], [3.0]))
