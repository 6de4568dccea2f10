"""What each method promises beyond its order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import dop853_coefficients, rk

from dovetail.core import (
    BDF2,
    RK4,
    DormandPrince5,
    DormandPrince8,
    Euler,
    Flow,
    ImplicitEuler,
    Method,
    Sampled,
    SemiImplicitEuler,
    parameter,
)
from dovetail.core.errors import ParameterError
from dovetail.core.registry import find, kinds

EXPLICIT = [Euler(), SemiImplicitEuler(), RK4(), DormandPrince5(), DormandPrince8()]
IMPLICIT = [ImplicitEuler(), BDF2()]


def name(method):
    return type(method).__name__


class Oscillator(Flow):
    k: jax.Array = parameter("1/s^2", "stiffness over mass", default=1.0)

    def init(self):
        return {"arm": jnp.array([1.0, 0.5])}, {"arm": jnp.zeros(2)}

    def derivative(self, t, x, u):
        q, v = x
        return {"arm": v["arm"]}, {"arm": -self.k * q["arm"] + u}

    def output(self, t, x, u):
        return x


class Stiff(Flow):
    """Robertson's chemical kinetics: rates of 0.04, 1e4 and 3e7 per second in one system."""

    def init(self):
        return jnp.array([1.0, 0.0, 0.0])

    def derivative(self, t, y, u):
        a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return jnp.stack([-a + b, a - b - c, c])

    def output(self, t, x, u):
        return x


def run(flow, method, dt, steps, u=None):
    block = Sampled(flow, method)

    def tick(x, i):
        return block.step(i * dt, dt, x, u)

    return jax.jit(lambda: jax.lax.scan(tick, block.init(), jnp.arange(steps))[1])()


@pytest.mark.parametrize("method", EXPLICIT + IMPLICIT, ids=name)
def test_state_may_be_any_pytree_and_keeps_its_structure_and_type(method):
    flow = Oscillator()
    x, memory = flow.init(), method.init(flow, flow.init())
    new, _ = jax.jit(lambda x, m: method.step(flow, 0.0, 0.1, x, 0.0, m))(x, memory)
    assert jax.tree.structure(new) == jax.tree.structure(x)
    assert jax.tree.map(jnp.shape, new) == jax.tree.map(jnp.shape, x)
    assert all(leaf.dtype == jnp.float64 for leaf in jax.tree.leaves(new))


@pytest.mark.parametrize("method", EXPLICIT + IMPLICIT, ids=name)
def test_a_step_of_zero_length_changes_nothing(method):
    flow = Oscillator()
    x, memory = flow.init(), method.init(flow, flow.init())
    x, memory = method.step(flow, 0.0, 0.1, x, 0.0, memory)
    same, memory = method.step(flow, 0.1, 0.0, x, 0.0, memory)
    jax.tree.map(np.testing.assert_allclose, same, x)
    after, _ = method.step(flow, 0.1, 0.1, same, 0.0, memory)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(after))


@pytest.mark.parametrize("method", [*EXPLICIT, *IMPLICIT], ids=name)
def test_a_memoryless_flow_has_nothing_to_advance(method):
    class Memoryless(Flow):
        def init(self):
            return ((), ())

        def derivative(self, t, x, u):
            return ((), ())

        def output(self, t, x, u):
            return u

    new, _ = method.step(Memoryless(), 0.0, 0.1, ((), ()), 1.0, method.init(Memoryless(), ((), ())))
    assert new == ((), ())


@pytest.mark.parametrize("method", EXPLICIT + IMPLICIT, ids=name)
def test_gradient_of_a_run_agrees_with_finite_differences_and_a_batch_with_single_runs(method):
    def end(k):
        block = Sampled(Oscillator(k), method)
        x = block.init()
        _, (q, _) = jax.lax.scan(lambda x, i: block.step(0.1 * i, 0.1, x, 0.2), x, jnp.arange(3))
        return q["arm"][-1, 0]

    gradient = float(jax.jit(jax.grad(end))(2.0))
    run_it = jax.jit(end)
    difference = float(run_it(2.0 + 1e-5) - run_it(2.0 - 1e-5)) / 2e-5
    # central differences with 1e-5: truncation 1e-10, rounding and Newton's tolerance below 1e-7
    assert gradient == pytest.approx(difference, rel=1e-6)
    batch = jax.jit(jax.vmap(end))(jnp.array([1.0, 2.0, 3.0]))
    np.testing.assert_allclose(batch[1], run_it(2.0), rtol=1e-12)


def test_coefficients_agree_with_scipy_and_their_rows_sum_to_the_nodes():
    five, eight = DormandPrince5.tableau, DormandPrince8.tableau
    for i in range(5):
        np.testing.assert_allclose(five.a[i + 1], rk.RK45.A[i + 1, : i + 1], rtol=1e-15)
    np.testing.assert_allclose(five.b, rk.RK45.B, rtol=1e-15)
    np.testing.assert_array_equal(eight.b, dop853_coefficients.B)
    for tableau in (five, eight, RK4.tableau):
        sums = [sum(row) for row in tableau.a]
        np.testing.assert_allclose(sums, tableau.c, atol=2e-15)


def test_semi_implicit_euler_keeps_the_energy_of_an_oscillator_that_euler_loses():
    def energy(method):
        q, v = run(Oscillator(), method, 0.1, 10_000, 0.0)
        return 0.5 * np.asarray(q["arm"][:, 0]) ** 2 + 0.5 * np.asarray(v["arm"][:, 0]) ** 2

    bounded = energy(SemiImplicitEuler())
    # its modified energy (q^2 + v^2 - h q v) / 2 is exact, so the energy stays within h/2 of itself
    assert bounded.max() / bounded.min() < (1 + 0.05) / (1 - 0.05) + 1e-9
    assert energy(Euler())[-1] > 1e10


def test_semi_implicit_euler_asks_for_a_pair_of_positions_and_velocities():
    with pytest.raises(ParameterError, match=r"Stiff is a ArrayImpl; it must be a pair \(q, v\)"):
        Sampled(Stiff(), SemiImplicitEuler()).step(0.0, 0.1, (Stiff().init(), ()), None)


def test_bdf2_integrates_stiff_kinetics_at_a_step_far_beyond_its_shortest_time_constant():
    states = run(Stiff(), BDF2(), 0.04, 1000)
    judge = solve_ivp(
        lambda t, y: np.asarray(Stiff().derivative(t, y, None)),
        (0.0, 40.0),
        [1.0, 0.0, 0.0],
        method="Radau",
        rtol=1e-10,
        atol=1e-14,
    )
    # h^2 y'' of the slow motion is about 1e-5 and decays
    np.testing.assert_allclose(states[-1], judge.y[:, -1], rtol=2e-5)
    assert np.abs(np.asarray(states).sum(axis=1) - 1).max() < 1e-9  # mass is kept to Newton's tolerance


def test_bdf2_keeps_its_order_when_the_step_changes():
    class Decay(Flow):
        def init(self):
            return jnp.asarray(1.0)

        def derivative(self, t, x, u):
            return -x

        def output(self, t, x, u):
            return x

    def error(n):
        steps = np.tile([1.0, 1.5], n)
        steps *= 2.0 / steps.sum()
        method, flow = BDF2(), Decay()

        def tick(carry, dt):
            t, x, m = carry
            x, m = method.step(flow, t, dt, x, None, m)
            return (t + dt, x, m), None

        start = (0.0, flow.init(), method.init(flow, flow.init()))
        (_, x, _), _ = jax.jit(lambda: jax.lax.scan(tick, start, jnp.asarray(steps)))()
        return abs(float(x) - np.exp(-2.0))

    assert np.log2(error(40) / error(80)) == pytest.approx(2, abs=0.15)


@pytest.mark.parametrize("method", IMPLICIT, ids=name)
def test_a_step_that_does_not_converge_gives_nan_and_no_number(method):
    class Impossible(Flow):
        """x = 1 + h (x^2 + 100) has no real solution for h = 1."""

        def init(self):
            return jnp.asarray(1.0)

        def derivative(self, t, x, u):
            return x**2 + 100.0

        def output(self, t, x, u):
            return x

    _, y = Sampled(Impossible(), method).step(0.0, 1.0, Sampled(Impossible(), method).init(), None)
    assert np.isnan(y)


def test_every_method_can_be_named_in_a_test_file():
    assert set(kinds(Method)) >= {
        "bdf2",
        "dormand_prince5",
        "dormand_prince8",
        "euler",
        "implicit_euler",
        "rk4",
        "semi_implicit_euler",
    }
    assert find("rk4", Method) is RK4


def test_a_tolerance_of_zero_is_refused():
    with pytest.raises(ParameterError, match=r"BDF2.tolerance: got 0; must be above 0"):
        BDF2(tolerance=0.0)
