import numpy as np
import pytest

from dovetail.core.methods import RK4, Euler, Trapezoidal
from dovetail.mechanics.contact import Flores
from dovetail.studies.docking.impact import Instruments, coupled, first_impact
from dovetail.studies.docking.impact_steps import integrate, verify

LAW, MASS, TOOLS = Flores(stiffness=9.0795e8), 30 * 75 / 105, Instruments(4000.0, 2 * np.pi * 10e3)
_, RIG = coupled(LAW, MASS, 0.1, TOOLS)


@pytest.fixture(scope="module")
def adaptive():
    return integrate(RIG)


def test_the_end_of_contact_is_an_event(adaptive):
    assert adaptive.event == "apart"
    assert abs(float(adaptive.end_state["actuator"][0][0])) < 1e-12


@pytest.mark.slow
def test_explicit_and_implicit_methods_agree(adaptive):
    stiff = integrate(RIG, stiff=True)
    assert float(stiff.end_time) == pytest.approx(float(adaptive.end_time), rel=1e-6)
    assert float(stiff.end_state["numerical"]["v"]) == pytest.approx(
        float(adaptive.end_state["numerical"]["v"]), rel=1e-6
    )


@pytest.mark.slow
def test_the_implicit_trapezoidal_rule_is_a_reference_beside_the_adaptive_one():
    coarse, fine = (verify(RIG, Trapezoidal(), step) for step in (8e-6, 4e-6))
    assert abs(fine.rebound_error) < 1e-6
    assert abs(fine.duration_error) < 1e-8  # [s] a 400th of a step
    assert fine.duration_error == pytest.approx(coarse.duration_error / 4, rel=0.05)  # second order


def test_it_is_the_impact_of_the_batch(adaptive):
    hil = first_impact(LAW, MASS, 0.1, TOOLS, steps=6000).hil
    assert float(hil.duration) == pytest.approx(float(adaptive.end_time), rel=1e-5)
    assert float(hil.rebound) == pytest.approx(float(adaptive.end_state["numerical"]["v"]), rel=1e-4)


@pytest.mark.slow
def test_rk4_at_75_kilohertz_is_good_enough_and_euler_is_not():
    assert verify(RIG, RK4(), 1 / 75e3).acceptable()
    assert not verify(RIG, Euler(), 1 / 75e3).acceptable()


@pytest.mark.slow
def test_a_finer_step_errs_less():
    coarse, fine = (abs(verify(RIG, Euler(), step).rebound_error) for step in (4e-6, 1e-6))
    assert fine == pytest.approx(coarse / 4, rel=0.1)  # first order
