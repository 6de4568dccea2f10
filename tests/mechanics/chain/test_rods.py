"""Rods with global angles: golden data, oracles, laws."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from dovetail.core import RK4
from dovetail.core.linear import modes
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.mechanics.chain import ChainLoads, LinkChain, RodChain
from dovetail.mechanics.chain.angles import direction, joint_energy, joint_moment

G = jnp.array([0.0, 0.0, -9.81])
GOLDEN = RodChain(
    n=2, length=2.0, mass=2.0, tip_mass=0.5, stiffness=2000.0, axial_damping=10.0, bending=2.0, joint_damping=0.3
)  # fmt: skip
Q = jnp.array([0.1, 0.3, 0.6, 0.2, -0.4])
RATE = jnp.array([0.05, 0.7, -0.3, 0.2, 0.9])
LOADS = ChainLoads(
    field=G + jnp.array([0.5, 0.3, -0.2]), node=jnp.zeros((3, 3)).at[:, -1].set(jnp.array([-3.0, -2, 1]))
)


elastic_force = eqx.filter_jit(RodChain.elastic_force)


def close(got, expected, tolerance=1e-9):
    # the golden numbers are printed with eleven digits
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@eqx.filter_jit
def _golden(chain):
    x = {"q": Q, "rate": RATE}
    return {
        "mass matrix": chain.mass_matrix(Q),
        "quadratic": chain.quadratic(Q, RATE),
        "weight": chain.field_force(Q, G),
        "outer": chain.field_force(Q, LOADS.field - G) + chain.outer_force(Q, LOADS),
        "damping": chain.damping_force(RATE),
        "elastic": chain.elastic_force(Q),
        "accelerations": chain.derivative(0.0, x, LOADS)["rate"],
        "energies": chain.energies(x),
        "power": chain.power(x, LOADS),
        "moments": chain.mass_moments(x),
        "tip": chain.nodes(x).tip[0],
    }


@pytest.fixture(scope="module")
def golden():
    """What the chain of the golden data says, by the kind of inertia; one program each."""
    return {name: _golden(dataclasses.replace(GOLDEN, inertia=name)) for name in ("konig", "rod")}


def test_mass_matrix_is_the_golden_one(golden):
    M = [
        [2.5, 0, -0.26676641455, 0, 0.54759638086],
        [0, 2.1724871643, 0.94862162576, 0, 0.12406573417],
        [-0.26676641455, 0.94862162576, 0.71959834934, 0.059483852304, 0],
        [0, 0, 0.059483852304, 2.2583333333, 0.91167013183],
        [0.54759638086, 0.12406573417, 0, 0.91167013183, 0.83333333333],
    ]
    close(golden["konig"]["mass matrix"], M)
    rod = golden["rod"]["mass matrix"]
    close([rod[1, 1], rod[2, 2]], [2.1691980391, 0.70696112889])


@pytest.mark.parametrize(
    ("inertia", "expected"),
    [
        ("konig", [1.8015588027, 0.4479713092, -0.0178659320, -0.7520516596, 0.2274006069]),
        ("rod", [1.8015588027, 0.45251452324, -0.0017254199865, -0.76000228405, 0.23009069219]),
    ],
)
def test_quadratic_terms_equal_the_golden_values(golden, inertia, expected):
    close(golden[inertia]["quadratic"], expected)


def test_generalised_forces_equal_the_golden_values(golden):
    got = golden["konig"]
    close(got["weight"], [22.9625947419, -6.3928466449, -5.1018882480, -4.1892735560, 3.1529421129])
    close(got["outer"], [0.2870415675, 2.2246972263, 2.3165172309, 1.4902729772, 1.8583883682])
    close(got["damping"], [-0.25, -0.51, 0.30, 0.15, -0.21])
    close(got["elastic"], [-100, 0, -0.6114063060, -1.6985466359, 1.2951928588])


@pytest.mark.parametrize(
    ("inertia", "expected"),
    [
        ("konig", [-48.9396988793, 6.1737302697, -28.0707710461, -30.7136259640, 72.4294475838]),
        ("rod", [-49.0681425031, 6.7738418016, -29.4083142946, -30.6555958755, 72.3642489110]),
    ],
)
def test_accelerations_equal_the_golden_values(golden, inertia, expected):
    close(golden[inertia]["accelerations"], expected)


def test_energies_powers_and_tip_equal_the_golden_values(golden):
    got = golden["konig"]
    energy, power = got["energies"], got["power"]
    moment, momentum = got["moments"]
    close([energy["kinetic"], energy["axial"], energy["bending"]], [1.0185587447, 5.0, 0.5958832423])
    close(-G @ moment, -28.1237446423)
    close(power["external"] + (LOADS.field - G) @ momentum, 2.8472890943)
    close(power["damping"], -0.6185)
    close(RATE @ got["elastic"], -3.9906138625)
    close(got["tip"], [-0.8386625832, 0.1708820784, -1.7901071418])


def random_state(n, seed):
    rng = np.random.default_rng(seed)
    q = np.r_[0.1 * rng.normal(), rng.normal(size=2 * n) * 0.5]
    return jnp.array(q), jnp.array(rng.normal(size=2 * n + 1))


@pytest.mark.parametrize(("n", "tip"), [pytest.param(1, 0.0, marks=pytest.mark.slow), (4, 3.0)])
@pytest.mark.parametrize("inertia", ["konig", "rod"])
def test_closed_form_agrees_with_lagrange_equations_by_differentiation(n, tip, inertia):
    chain = RodChain(n=n, length=1.7 * n, mass=0.8 * n, tip_mass=tip, stiffness=1.7 * n, inertia=inertia)
    q, rate = random_state(n, n)
    m, l = 0.8, 1.7

    def kinetic(q, rate):
        """From the velocities of the rods' centres and their angular rates, nothing else."""

        def centres(q):
            s, phi, psi = chain.split(q)
            u = direction(phi, psi)
            h = jnp.full(n, l).at[0].add(s)
            nodes = jnp.cumsum(h * u, axis=1)
            return jnp.concatenate([nodes - 0.5 * l * u, nodes[:, -1:]], axis=1)

        v = jax.jvp(centres, (q,), (rate,))[1]
        _, phi_rate, psi_rate = chain.split(rate)
        cos2 = jnp.cos(chain.split(q)[2]) ** 2 if inertia == "rod" else 1.0
        rotation = 0.5 * m * l**2 / 12 * jnp.sum(cos2 * phi_rate**2 + psi_rate**2)
        return 0.5 * m * jnp.sum(v[:, :-1] ** 2) + 0.5 * tip * jnp.sum(v[:, -1] ** 2) + rotation

    def lagrange(q, rate):
        moved = jax.jvp(lambda q: jax.grad(kinetic, argnums=1)(q, rate), (q,), (rate,))[1]
        return jax.hessian(kinetic, argnums=1)(q, rate), jax.grad(kinetic)(q, rate) - moved

    @jax.jit
    def both(q, rate):
        return lagrange(q, rate), (chain.mass_matrix(q), chain.quadratic(q, rate))

    for by_differentiation, closed in zip(*both(q, rate), strict=True):
        largest = np.abs(by_differentiation).max()
        np.testing.assert_allclose(closed, by_differentiation, rtol=1e-12, atol=1e-12 * largest)


def test_frozen_stretch_with_rod_inertia_is_the_cartesian_chain_of_rods():
    n = 6
    stiff = RodChain(n=n, length=6.0, mass=6.0, tip_mass=2.0, stiffness=6.0, inertia="rod")
    q, rate = random_state(n, 3)
    q, rate = q.at[0].set(0.0), rate.at[0].set(0.0)
    u = ChainLoads(field=G, node=jnp.zeros((3, n + 1)).at[:, 3].set(jnp.array([1.0, -2.0, 4.0])))
    links = LinkChain(n=n, length=6.0, mass=6.0, tip_mass=2.0, distribution="rod")

    @jax.jit
    def both(q, rate):
        M, force = (
            stiff.mass_matrix(q),
            stiff.quadratic(q, rate) + stiff.field_force(q, G) + stiff.outer_force(q, u),
        )
        second = jnp.concatenate([jnp.zeros(1), jnp.linalg.solve(M[1:, 1:], force[1:])])  # no axial motion
        nodes = stiff.nodes({"q": q, "rate": rate})
        x = {"position": nodes.position[:, 1:], "velocity": nodes.velocity[:, 1:]}
        return stiff._solved({"q": q, "rate": rate}, second, u), links.solve(0.0, x, u)

    solved, other = both(q, rate)
    np.testing.assert_allclose(solved.acceleration, other.acceleration, atol=1e-10)
    np.testing.assert_allclose(solved.reaction, other.reaction, atol=1e-9)


def test_curvature_law_has_its_limits():
    theta, l, k = np.linspace(-3.0, 3.0, 61), 0.7, 2.0

    @jax.jit
    def both(theta):
        return joint_moment(theta, k, l), jax.vmap(jax.grad(lambda a: joint_energy(a, k, l)))(theta)

    (*moment, small, folded), (*slope, _, _) = map(np.asarray, both(np.r_[theta, 1e-6, np.pi - 1e-5]))
    bent = theta != 0
    radius = -(l / 2) * np.cos(theta[bent] / 2) / np.tan(theta[bent] / 2)
    np.testing.assert_allclose(np.array(moment)[bent], k / radius, rtol=1e-12)
    assert small == pytest.approx(-k * 1e-6 / l, rel=1e-9)
    assert abs(folded) > 1e9
    np.testing.assert_allclose(-np.array(slope), moment, rtol=1e-12, atol=1e-12)


def test_both_bending_laws_agree_in_a_plane_and_differ_out_of_it():
    n = 5
    rng = np.random.default_rng(0)
    flat = jnp.array(np.r_[0.0, 0.4 * rng.normal(size=n), np.zeros(n)])
    bent = flat.at[n + 1 :].set(0.4 * rng.normal(size=n))
    planes = RodChain(n=n, length=5.0, mass=1.0, stiffness=5.0, bending=3.0)
    space = dataclasses.replace(planes, curvature="space")
    np.testing.assert_allclose(elastic_force(planes, flat), elastic_force(space, flat), atol=1e-9)
    assert jnp.linalg.norm(elastic_force(planes, bent) - elastic_force(space, bent)) > 0.005


def test_spatial_bending_is_invariant_under_rotation():
    chain = RodChain(n=3, length=3.0, mass=1.0, stiffness=3.0, bending=3.0, curvature="space", root="pinned")
    q = jnp.array([0.0, 0.3, 0.5, -0.2, 0.1, 0.2, -0.1])
    turned = q.at[1:4].add(1.1)  # about z
    bending = jax.jit(lambda q: chain.energies({"q": q, "rate": 0 * q})["bending"])
    assert bending(turned) == pytest.approx(float(bending(q)), rel=1e-12)


@pytest.mark.parametrize("root", ["hanging", "pinned", "clamped"])
def test_the_root_joint_rests_at_its_given_angle(root):
    chain = RodChain(n=2, length=2.0, mass=1.0, stiffness=2.0, bending=3.0, root=root, root_angles=(1.2, 0.1))
    straight = chain.rest_state(0.0, 1.2, 0.1)["q"]
    moment = float(jnp.abs(elastic_force(chain, straight)[1:]).max())
    assert (moment > 1.0) if root == "hanging" else (moment < 1e-12)


@jax.jit
def integrate(chain, x, u, h, steps):
    return jax.lax.fori_loop(
        0, steps, lambda _, x: with_stage_loop(RK4()).step(chain, 0.0, h, x, u, ())[0], x
    )


@pytest.mark.slow
def test_energy_is_conserved_to_the_order_of_the_method():
    chain = RodChain(n=10, length=250.0, mass=80.0, stiffness=6.25e6, bending=170.0)
    x, u = chain.rest_state(0.03, 1.2, 0.6), ChainLoads(field=G)

    @jax.jit
    def total(x):
        return sum(chain.energies(x).values()) - G @ chain.mass_moments(x)[0]

    drift = [abs(float(total(integrate(chain, x, u, h, round(6 / h))) - total(x))) for h in (2e-2, 1e-2)]
    order = np.log2(drift[0] / drift[1])
    assert 4 <= order <= 5.5
    assert drift[1] < 1e-2  # [J] of some 60 kJ kinetic energy


@pytest.mark.slow
def test_mirror_image_of_the_loads_gives_the_mirror_image_of_the_motion():
    chain = RodChain(n=4, length=40.0, mass=8.0, stiffness=4e5, bending=10.0, joint_damping=1.0)
    mirror = jnp.array([1.0, -1.0, 1.0])[:, None]
    force = jnp.zeros((3, 5)).at[:, -1].set(jnp.array([-30.0, -40.0, -5.0]))
    tips = [
        chain.nodes(
            integrate(chain, chain.rest_state(0.0, 0.8, psi), ChainLoads(field=G, node=f), 5e-3, 200)
        ).tip[0]
        for psi, f in ((0.2, force), (-0.2, mirror * force))
    ]
    np.testing.assert_allclose(tips[0], mirror[:, 0] * tips[1], atol=1e-9)


@pytest.mark.slow
def test_hanging_chain_has_the_bessel_frequencies():
    chain = RodChain(n=30, length=10.0, mass=10.0, stiffness=2.5e5, inertia="rod")
    hanging = chain.rest_state(10 * 9.81 / 25e3, 0.0, 0.0)
    flat, rebuilt = ravel_pytree(hanging)
    rate = jax.jacfwd(lambda v: ravel_pytree(chain.derivative(0.0, rebuilt(v), ChainLoads(field=G)))[0])
    found = modes(jax.jit(rate)(flat)).eigenvalues
    sway = np.unique(np.round(np.abs(found.imag), 6))
    sway = sway[sway > 0.1]
    expected = np.array([2.404826, 5.520078, 8.653728]) / 2 * np.sqrt(9.81 / 10)
    np.testing.assert_allclose(
        sway[:3], expected, rtol=6e-3
    )  # thirty rods: half a per cent at the third mode


def test_slack_element_carries_no_compression():
    chain = RodChain(n=2, length=2.0, mass=1.0, stiffness=200.0, compression="none")
    assert elastic_force(chain, chain.rest_state(-0.1, 0.0, 0.0)["q"])[0] == 0
    assert elastic_force(chain, chain.rest_state(0.1, 0.0, 0.0)["q"])[0] == pytest.approx(-10)


@pytest.mark.parametrize("inertia", [pytest.param("konig", marks=pytest.mark.slow), "rod"])
def test_both_solvers_give_the_same_accelerations(inertia):
    chain = RodChain(
        n=6,
        length=10.0,
        mass=5.0,
        tip_mass=0.7,
        stiffness=1000.0,
        axial_damping=20.0,
        bending=2.0,
        joint_damping=0.3,
        inertia=inertia,
    )
    q, rate = random_state(6, 4)
    dense = dataclasses.replace(chain, solver="dense")

    @jax.jit
    def both(x):
        return [one.derivative(0.0, x, ChainLoads(field=G))["rate"] for one in (chain, dense)]

    a, b = both({"q": q, "rate": rate})
    np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11 * float(jnp.abs(b).max()))


def test_forces_at_rod_centres_do_the_work_of_those_points():
    n = 5
    chain = RodChain(n=n, length=10.0, mass=5.0, stiffness=1000.0)
    q, rate = random_state(n, 7)
    force = jnp.array(np.random.default_rng(8).normal(size=(3, n)))

    def centres(q):
        s, phi, psi = chain.split(q)
        u = direction(phi, psi)
        h = jnp.full(n, 2.0).at[0].add(s)
        return jnp.cumsum(h * u, axis=1) - 1.0 * u

    @jax.jit
    def both(q, rate):
        velocity = jax.jvp(centres, (q,), (rate,))[1]
        return rate @ chain.outer_force(q, ChainLoads(field=G, link=force)), jnp.sum(force * velocity)

    got, expected = both(q, rate)
    assert float(got) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("curvature", ["planes", pytest.param("space", marks=pytest.mark.slow)])
def test_a_clamped_chain_tends_to_the_clamped_beam_with_the_square_of_its_rods(curvature):
    """Tip deflection F L^3/(3 EI) and slowest motion 3.516 sqrt(EI/(m L^3)), for random beams."""
    rng = np.random.default_rng(8)
    lengths, masses, stiffness = rng.uniform(0.5, 20, 3), rng.uniform(0.1, 30, 3), 10 ** rng.uniform(-1, 3, 3)

    @eqx.filter_jit
    def matrices(chain):
        """Mass and stiffness in phi, straight and at rest."""
        zero, own = jnp.zeros(2 * chain.n + 1), slice(1, chain.n + 1)
        return chain.mass_matrix(zero)[own, own], -jax.jacfwd(chain.elastic_force)(zero)[own, own]

    errors = []
    for n in (8, 16):
        chain = RodChain(n=n, length=1.0, mass=1.0, stiffness=1e9, bending=1.0, root="clamped")
        chain = dataclasses.replace(chain, curvature=curvature, inertia="rod")
        for L, m, EI in zip(lengths, masses, stiffness, strict=True):
            M, K = matrices(dataclasses.replace(chain, length=L, mass=m, bending=EI))
            bent = np.linalg.solve(K, np.full(n, L / n))  # by a unit force across the tip
            slowest = np.sqrt(np.min(np.linalg.eigvals(np.linalg.solve(M, K)).real))
            true = L**3 / (3 * EI), 3.5160152685 * np.sqrt(EI / (m * L**3))
            errors.append(np.abs([np.sum(bent) * L / n / true[0] - 1, slowest / true[1] - 1]))
    coarse, fine = np.split(np.array(errors), 2)
    assert np.all(fine < 2e-3)
    np.testing.assert_allclose(np.log2(coarse / fine), 2.0, atol=0.1)


def test_friction_on_absolute_rates_acts_on_each_angle_separately():
    rng = np.random.default_rng(8)
    plain = RodChain(n=4, length=4.0, mass=4.0, stiffness=4000.0, joint_damping=0.3)
    damped = dataclasses.replace(plain, rate_damping=0.9)
    rate = jnp.asarray(rng.normal(size=9))
    took = damped.damping_force(rate) - plain.damping_force(rate)
    np.testing.assert_allclose(took, np.r_[0.0, -0.9 * np.asarray(rate[1:])], atol=1e-14)
