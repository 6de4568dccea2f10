"""What all methods promise: any state, any batch, derivatives, and NaN rather than a wrong number."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.core import (
    BDF2,
    RK4,
    DormandPrince5,
    DormandPrince8,
    Euler,
    Flow,
    GeneralisedAlpha,
    ImplicitEuler,
    Method,
    Parameter,
    Rosenbrock3,
    Sampled,
    SemiImplicitEuler,
    parameter,
)
from dovetail.core.kinds import find, parts_by_kind
from dovetail.core.methods import Trapezoidal

EXPLICIT = [Euler(), SemiImplicitEuler(), RK4(), DormandPrince5(), DormandPrince8()]


IMPLICIT = [ImplicitEuler(), BDF2(), GeneralisedAlpha(), Rosenbrock3()]


def name(method):
    return type(method).__name__


class Oscillator(Flow):
    k: Parameter = parameter("1/s^2", "stiffness over mass", default=1.0)

    def init(self):
        return {"arm": jnp.array([1.0, 0.5])}, {"arm": jnp.zeros(2)}

    def derivative(self, t, x, u):
        q, v = x
        return {"arm": v["arm"]}, {"arm": -self.k * q["arm"] + u}

    def output(self, t, x, u):
        return x


@eqx.filter_jit
def _step(method, flow, t, h, x, memory):
    return method.step(flow, t, h, x, 0.0, memory)


def step(method, flow, t, h, x, memory):
    """A step by a program that is compiled once for each method: times are arrays."""
    return _step(method, flow, jnp.asarray(t), jnp.asarray(h), x, memory)


@pytest.mark.parametrize("method", EXPLICIT + IMPLICIT, ids=name)
def test_state_may_be_any_pytree_and_keeps_its_structure_and_type(method):
    flow = Oscillator()
    x, memory = flow.init(), method.init(flow, flow.init())
    new, _ = step(method, flow, 0.0, 0.1, x, memory)
    assert jax.tree.structure(new) == jax.tree.structure(x)
    assert jax.tree.map(jnp.shape, new) == jax.tree.map(jnp.shape, x)
    assert all(leaf.dtype == jnp.float64 for leaf in jax.tree.leaves(new))


@pytest.mark.parametrize("method", EXPLICIT + IMPLICIT, ids=name)
def test_a_step_of_zero_length_changes_nothing(method):
    flow = Oscillator()
    x, memory = flow.init(), method.init(flow, flow.init())
    x, memory = step(method, flow, 0.0, 0.1, x, memory)
    same, memory = step(method, flow, 0.1, 0.0, x, memory)
    jax.tree.map(np.testing.assert_allclose, same, x)
    after, _ = step(method, flow, 0.1, 0.1, same, memory)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(after))


@pytest.mark.parametrize("method", [*EXPLICIT, *IMPLICIT], ids=name)
def test_a_memoryless_flow_has_an_empty_state(method):
    class Memoryless(Flow):
        def init(self):
            return ((), ())

        def derivative(self, t, x, u):
            return ((), ())

        def output(self, t, x, u):
            return u

    new, _ = method.step(Memoryless(), 0.0, 0.1, ((), ()), 1.0, method.init(Memoryless(), ((), ())))
    assert new == ((), ())


@pytest.mark.parametrize(
    "method",
    [
        method if name(method) in ("RK4", "BDF2") else pytest.param(method, marks=pytest.mark.slow)
        for method in EXPLICIT + IMPLICIT
    ],
    ids=name,
)
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


@pytest.mark.parametrize("method", IMPLICIT, ids=name)
def test_a_step_that_does_not_converge_gives_nan(method):
    class Impossible(Flow):
        """x = 1 + h (x^2 + 100) has no real solution for h = 1."""

        def init(self):
            return jnp.asarray(1.0)

        def derivative(self, t, x, u):
            return x**2 + 100.0

        def output(self, t, x, u):
            return x

    block = Sampled(Impossible(), method)
    _, y = jax.jit(lambda x: block.step(0.0, 1.0, x, None))(block.init())
    assert np.isnan(y)


def test_every_method_can_be_named_in_a_test_file():
    assert set(parts_by_kind(Method)) >= {
        "bdf2",
        "dormand-prince-5",
        "dormand-prince-8",
        "euler",
        "implicit-euler",
        "rk4",
        "semi-implicit-euler",
    }
    assert find("rk4", Method) is RK4


class Linear(Flow):
    """x' = A x."""

    A: jax.Array

    def init(self):
        return jnp.array([1.0, 0.3])

    def derivative(self, t, x, u):
        return self.A @ x

    def output(self, t, x, u):
        return x


@pytest.mark.parametrize("z", [-0.3, -0.3 + 0.9j, 0.2 + 0.5j])
@pytest.mark.parametrize(
    "method",
    [
        Euler(),
        RK4(),
        DormandPrince5(),
        ImplicitEuler(),
        Trapezoidal(),
        BDF2(),
        GeneralisedAlpha(0.3),
        Rosenbrock3(),
    ],
    ids=name,
)
def test_the_amplification_is_the_growth_of_a_step_of_a_linear_system(method, z):
    z = complex(z)
    flow = Linear(jnp.array([[z.real, -z.imag], [z.imag, z.real]]))

    def one(carry, _):
        x, memory = method.step(flow, 0.0, 1.0, carry[0], None, carry[1])
        return (x, memory), jnp.linalg.norm(x)

    x = flow.init()
    sizes = jax.jit(lambda: jax.lax.scan(one, (x, method.init(flow, x)), None, length=120)[1])()
    growth = (sizes[119] / sizes[59]) ** (1 / 60)  # after the other modes of the method have decayed
    assert float(growth) == pytest.approx(float(method.amplification(np.array([z]))[0]), rel=2e-3)
