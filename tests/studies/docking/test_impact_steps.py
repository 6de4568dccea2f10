import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from scipy.integrate import solve_ivp

from dovetail.core.methods import RK4, Euler, Trapezoidal
from dovetail.mechanics.contact import Flores
from dovetail.studies.docking.impact import Instruments, coupled, first_impact
from dovetail.studies.docking.impact_steps import release, start, verify

LAW, MASS, TOOLS = Flores(stiffness=9.0795e8), 30 * 75 / 105, Instruments(4000.0, 2 * np.pi * 10e3)
_, RIG = coupled(LAW, MASS, 0.1, TOOLS)


@pytest.fixture(scope="module")
def adaptive():
    return release(RIG)


def test_the_end_of_contact_is_an_event(adaptive):
    end, x = adaptive
    assert abs(float(x["actuator"][0][0])) < 2e-12
    assert float(x["specimen"]["touched"]) == pytest.approx(float(end), abs=1e-10)


@pytest.mark.slow
def test_explicit_and_implicit_methods_agree(adaptive):
    """The implicit one is Radau of SciPy, with the end of contact as its event."""
    flat, unravel = ravel_pytree(start(RIG))
    rate = jax.jit(lambda t, y: ravel_pytree(RIG.derivative(t, unravel(y), None))[0])
    gap = jax.jit(lambda t, y: RIG.guards(t, unravel(y), None)[0])

    def released(t, y):
        return float(gap(t, y))

    released.terminal, released.direction = True, 1
    judge = solve_ivp(rate, (0, 1.0), flat, "Radau", events=released, rtol=1e-9, atol=1e-14)
    end, x = adaptive
    assert judge.t[-1] == pytest.approx(float(end), rel=1e-6)
    judged = unravel(jnp.asarray(judge.y[:, -1]))["numerical"]["v"]
    assert float(judged) == pytest.approx(float(x["numerical"]["v"]), rel=1e-6)


@pytest.mark.slow
def test_the_implicit_trapezoidal_rule_is_a_reference_beside_the_adaptive_one():
    coarse, fine = (verify(RIG, Trapezoidal(), step) for step in (8e-6, 4e-6))
    assert abs(fine.rebound_error) < 1e-6
    assert abs(fine.duration_error) < 1e-8  # [s] a 400th of a step
    assert fine.duration_error == pytest.approx(coarse.duration_error / 4, rel=0.05)  # second order


def test_it_is_the_impact_of_the_batch(adaptive):
    hil = first_impact(LAW, MASS, 0.1, TOOLS, steps=6000).hil
    assert float(hil.duration) == pytest.approx(float(adaptive[0]), rel=1e-5)
    assert float(hil.rebound) == pytest.approx(float(adaptive[1]["numerical"]["v"]), rel=1e-4)


@pytest.mark.slow
def test_rk4_at_75_kilohertz_is_good_enough_and_euler_is_not():
    assert verify(RIG, RK4(), 1 / 75e3).acceptable()
    assert not verify(RIG, Euler(), 1 / 75e3).acceptable()


@pytest.mark.slow
def test_a_finer_step_errs_less():
    coarse, fine = (abs(verify(RIG, Euler(), step).rebound_error) for step in (4e-6, 1e-6))
    assert fine == pytest.approx(coarse / 4, rel=0.1)  # first order
