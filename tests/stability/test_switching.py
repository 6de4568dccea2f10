"""Delays at which loops gain and lose stability, against closed forms; random ones are judged in test_verdicts."""

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.stability import (
    DelayEquation,
    StateSpace,
    critical_delay,
    critical_lead,
    open_loop,
    single_interface,
    stability_switches,
    switching_delays,
)
from dovetail.stability.unit_gain import MAX_SIZE

from .systems import (
    K,
    M,
    middle_mass,
    one_mass,
    one_numerical_mass,
    spring_specimen,
    three_mass,
    two_numerical_masses,
)


def random_masses(count):
    rng = np.random.default_rng(7)
    m, c = rng.uniform(0.5, 5.0, count), rng.uniform(1.0, 40.0, count)  # kg, N s/m
    k, k_s = rng.uniform(500.0, 9000.0, (2, count))  # N/m
    exact = single_interface.critical_delay(m=m, c=c, k=k, k_s=k_s)
    return list(zip(m, c, k, k_s, np.asarray(exact), strict=True))


def test_the_list_agrees_with_the_closed_form_over_200_random_tests():
    for m, c, k, k_s, exact in random_masses(200):
        tau = critical_delay(one_mass(1e-3, c=c, m=m, k=k, k_s=k_s))
        assert tau == exact or tau == pytest.approx(exact, rel=1e-10)  # infinite, or near


def test_r12_r13_critical_delay_of_the_three_mass_study():
    moderate, high = (
        critical_delay(three_mass(1e-3, 1e-3)),
        critical_delay(three_mass(1e-3, 1e-3, 9000.0, 15.0)),
    )
    assert moderate == pytest.approx(2.502e-3, rel=0.01)  # as printed
    assert high == pytest.approx(3.33e-3, rel=0.01)  # as printed
    assert moderate == pytest.approx(2.5205e-3, rel=1e-4)
    assert high == pytest.approx(3.3084e-3, rel=1e-4)


def test_all_switching_delays_are_those_of_the_closed_form():
    case = dict(m=1.0, c=2 * 0.1066, k=1.0, k_s=0.3)
    expected = single_interface.crossings(**case, turns=3)
    found = switching_delays(one_mass(1.0, **case), turns=3)
    assert [c.parameter for c in found] == pytest.approx(sorted(np.ravel(expected.delay)), rel=1e-10)
    senses = dict(zip(np.ravel(expected.delay).round(9), np.ravel(expected.direction), strict=True))
    assert all(c.destabilising == (senses[round(c.parameter, 9)] > 0) for c in found)


def test_an_equation_unstable_without_delay_has_no_margin():
    assert critical_delay(one_mass(1e-3, c=-1.0)) == 0.0


def test_an_equation_without_delayed_terms_never_switches():
    assert critical_delay(DelayEquation([[-1.0]])) == np.inf


def test_an_oversized_pencil_is_rejected_with_a_remedy():
    n = 25
    big = DelayEquation(-np.eye(n), [(0.1 * np.eye(n), 1e-3)])
    with pytest.raises(AnalysisError, match=f"size 1250; the largest is {MAX_SIZE}"):
        switching_delays(big)


def test_no_delay_destabilises_an_overdamped_loop():
    overdamped = one_mass(1e-3, c=120.0)
    assert critical_delay(overdamped) == np.inf
    assert critical_lead(overdamped) == -np.inf
    assert switching_delays(overdamped) == []


def test_islands_are_the_stable_intervals_of_the_closed_form():
    case = dict(m=1.0, c=2 * 0.1066, k=1.0, k_s=0.2126)
    found = stability_switches(one_mass(1.0, **case))
    expected = single_interface.stable_intervals(**case, up_to=40.0)
    assert np.array(found.stable_delays()[: len(expected) - 1]) == pytest.approx(
        np.array(expected[:-1]), rel=1e-10
    )
    for low, high in expected[:-1]:
        assert found.roots(0.5 * (low + high)) == 0
        assert found.roots(1.001 * high) == 2
    counts = [(s.before, s.after) for s in switching_delays(one_mass(1.0, **case), turns=2)]
    assert counts == [(0, 2), (2, 0), (0, 2), (2, 0)]


def test_unstable_root_counts_equal_those_of_the_spectrum():
    """Unstable roots at delays between the crossings, against the roots of the delay equation."""
    equation = one_mass(1.0, m=1.0, c=0.02, k=1.0, k_s=0.5)
    found = stability_switches(equation)
    for delay in (0.01, 0.5, 3.0, 5.0, 9.0, 14.0):
        values = equation.with_delays(delay).roots(12).values
        assert found.roots(delay) == np.sum(values.real > 0)


def test_two_axes_cut_at_the_force_are_the_delay_equation_of_both():
    """The force delayed on its way back is the motion delayed on its way out, with two axes and a middle mass."""
    cut = open_loop(two_numerical_masses(), middle_mass())
    assert critical_delay(cut) == pytest.approx(critical_delay(three_mass(1e-3, 1e-3)), rel=1e-10)


def test_two_equal_axes_cross_together():
    twice = DelayEquation(
        np.kron(np.eye(2), [[0, 1], [-K / M, -15.0 / M]]), [(np.kron(np.eye(2), [[0, 0], [-K / M, 0]]), 1e-3)]
    )
    first, second = switching_delays(twice)
    assert first.parameter == pytest.approx(second.parameter, rel=1e-9)
    assert stability_switches(twice).roots(1.01 * first.parameter) == 4


def test_a_specimen_with_mass_is_one_more_loop():
    """Neutral: against the closed form of phase and modulus of (k + m s^2)/(M s^2 + c s + K)."""
    found = stability_switches(open_loop(one_numerical_mass(), spring_specimen(m_s=0.4)))
    delay, w = found.critical()
    returned = -(K - 0.4 * w**2) / (K - M * w**2 + 15j * w)
    assert abs(returned) == pytest.approx(1.0, rel=1e-12)
    assert np.exp(-1j * w * delay) * returned == pytest.approx(1.0, abs=1e-10)
    assert found.gain_at_infinity == pytest.approx(0.4 / M)
    heavy = stability_switches(open_loop(one_numerical_mass(), spring_specimen(m_s=2.5)))
    assert heavy.critical()[0] == 0.0
    assert heavy.stable_delays() == [(0.0, 0.0)]


def test_a_neutral_root_does_not_count_as_unstable():
    """A memory that the specimen keeps for ever beside a spring: a root at zero whatever the delay."""
    memory = StateSpace(
        [[0.0]], [[0.0, 1.0, 0.0]], [[-K]], [[0.0, 0.0, 0.0]]
    )  # force of a slope that has slipped
    found = stability_switches(open_loop(one_numerical_mass(), memory))
    assert found.unstable == 0
    assert found.critical()[0] == pytest.approx(critical_delay(one_mass(1e-3)), rel=1e-9)


def test_an_undamped_loop_is_lost_at_once():
    assert critical_delay(one_mass(1e-3, c=0.0)) == 0.0


def test_the_margin_of_a_sampled_loop_is_the_delay_at_which_its_poles_become_unstable():
    """One mass, held force, a delay of whole samples: the next sample that is too many."""
    dt = 1e-3
    A = np.array([[0.0, 1.0], [-K / M, -15.0 / M]])
    from dovetail.stability.sampled import one_step

    Phi, Gamma = one_step(StateSpace(A, [[0], [1 / M]], [[1, 0]], [[0]]), dt)
    late = 3  # samples
    n = 2 + late
    step, inlet, outlet = np.zeros((n, n)), np.zeros((n, 1)), np.zeros((1, n))
    step[:2, :2] = Phi
    step[2, 0] = -K
    step[3:, 2:-1] = np.eye(late - 1)
    inlet[:2], outlet[0, -1] = Gamma, 1.0
    margin = stability_switches(StateSpace(step, inlet, outlet, [[0.0]]), dt).margin()
    assert margin == pytest.approx(critical_delay(one_mass(1e-3)) - late * dt - dt / 2, abs=2e-6)
