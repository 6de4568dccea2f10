"""Cable elements with slopes: beams and ropes of textbooks, and fewer elements than links for the same accuracy."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import RK4
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import AncfCable, ChainLoads, ElasticChain

G = jnp.array([0.0, 0.0, -9.81])


def test_mass_and_moments_are_those_of_the_cable():
    cable = AncfCable(n=3, length=6.0, mass=4.0, stiffness=1e5, tip_mass=1.0)

    @jax.jit
    def found():
        x = cable.straight(jnp.array([1.0, 0.0, 0.0]))
        spun = {"e": x["e"], "rate": jnp.stack([0 * x["e"][0], x["e"][0], 0 * x["e"][0]])}  # 1 rad/s about z
        return cable.mass_moments(x)[0], cable.energies(spun)["kinetic"]

    moment, kinetic = found()
    np.testing.assert_allclose(moment, [4.0 * 3.0 + 1.0 * 6.0, 0.0, 0.0], atol=1e-12)
    assert float(kinetic) == pytest.approx(0.5 * (4 * 36 / 3 + 36), rel=1e-12)


def test_bending_energy_of_an_arc_is_exact_to_the_cubics_error():
    n, radius = 6, 2.0
    cable = AncfCable(n=n, length=3.0, mass=1.0, stiffness=1.0, bending=5.0)
    s = np.arange(n + 1) * 0.5 / radius
    x = cable._state(
        jnp.array([radius * np.sin(s), radius * (1 - np.cos(s)), 0 * s]),
        jnp.array([np.cos(s), np.sin(s), 0 * s]),
    )
    energy = eqx.filter_jit(cable.energies)(x)
    assert float(energy["bending"]) == pytest.approx(0.5 * 5.0 * 3.0 / radius**2, rel=2e-4)
    assert float(energy["axial"]) < 1e-7


@pytest.mark.slow
def test_a_swinging_cable_conserves_energy_and_equals_a_chain_of_many_links():
    cable = AncfCable(n=8, length=10.0, mass=10.0, stiffness=2e4)
    chain = ElasticChain(n=64, length=10.0, mass=10.0, stiffness=2e4, compression="elastic")
    u = ChainLoads(field=G)

    def run(flow, x, h, steps):
        @jax.jit
        def go(x):
            return jax.lax.scan(
                lambda x, _: (with_stage_loop(RK4()).step(flow, 0.0, h, x, u, ())[0], None),
                x,
                None,
                length=steps,
            )[0]

        return go(x)

    along = jnp.array([1.0, 1.0, 0.0]) / jnp.sqrt(2.0)
    start = cable.straight(along)
    end = run(cable, start, 5e-4, 1000)

    @jax.jit
    def energies(x):
        energy = cable.energies(x)
        return sum(energy.values()) - G @ cable.mass_moments(x)[0], energy["kinetic"]

    (total, kinetic), (before, _) = energies(end), energies(start)
    assert float(total) == pytest.approx(float(before), abs=1e-5 * float(kinetic))
    other = run(chain, chain.straight(along), 5e-4, 1000)
    np.testing.assert_allclose(cable.nodes(end).tip[0], chain.nodes(other).tip[0], atol=4e-3)  # [m] of ten


def test_a_hanging_cable_stretches_under_the_weight_below():
    """s + (g/EA) ((m + M) s - m s^2/2L) + F s/EA at every node, with 12 kg of cable and 3 kg at the tip."""
    n, L, m, M, EA, pull = 4, 6.0, 12.0, 3.0, 2e4, 40.0
    cable = AncfCable(n=n, length=L, mass=m, stiffness=EA, tip_mass=M)
    down = jnp.array([0.0, 0.0, -1.0])
    hung = jax.jit(lambda lines: cable.nodes(cable.rest_state_along(lines, G, pull * down)).position)
    s = L * np.arange(n + 1) / n
    expected = s + (9.81 * ((m + M) * s - m * s**2 / (2 * L)) + pull * s) / EA
    np.testing.assert_allclose(-hung(jnp.tile(down[:, None], n))[2], expected, rtol=1e-12)


def test_a_cable_hung_along_a_kinked_line_has_the_mean_slope_at_its_nodes():
    cable = AncfCable(n=3, length=3.0, mass=1.0, stiffness=1e4)
    lines = jnp.array([[1.0, 0.6, 0.0], [0.0, 0.8, 1.0], [0.0, 0.0, 0.0]])
    slope = jax.jit(lambda lines: cable.coordinates(cable.rest_state_along(lines, G, jnp.zeros(3))["e"])[1])(
        lines
    )
    np.testing.assert_allclose(slope[:2], [[1.0, 0.8, 0.3, 0.0], [0.0, 0.4, 0.9, 1.0]], atol=1e-15)
