"""First crossings, against closed forms and against each other."""

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.stability import (
    DelayEquation,
    critical_delay,
    first_crossing,
    refine,
    single_interface,
    switching_delays,
)
from dovetail.stability.crossing import LARGEST, require

from .systems import K, one_mass, three_mass

RNG = np.random.default_rng(7)


def random_tests(count):
    m, c = RNG.uniform(0.5, 5.0, count), RNG.uniform(1.0, 40.0, count)  # kg, N s/m
    k, k_s = RNG.uniform(500.0, 9000.0, (2, count))  # N/m
    exact = single_interface.critical_delay(m=m, c=c, k=k, k_s=k_s)
    return list(zip(m, c, k, k_s, np.asarray(exact), strict=True))


def test_marching_agrees_with_the_closed_form_over_200_random_tests():
    worst, finite = 0.0, 0
    for m, c, k, k_s, exact in random_tests(200):
        reach = 1.5 * exact if np.isfinite(exact) else 0.1
        found = first_crossing(lambda tau: one_mass(tau, c=c, m=m, k=k, k_s=k_s), 0.0, reach)  # noqa: B023
        if np.isinf(exact):
            assert found is None
        else:
            finite += 1
            worst = max(worst, abs(found.parameter / exact - 1))
            assert found.destabilising
    assert finite > 150
    assert worst < 1e-10  # Newton stops at 1e-12; asked for: 1e-6


def test_the_pencil_agrees_with_the_closed_form_over_200_random_tests():
    for m, c, k, k_s, exact in random_tests(200):
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


def test_the_first_crossing_is_found_where_stability_is_soon_regained():
    # a specimen just stiffer than the delay-independent bound: a narrow unstable tongue
    case = dict(m=1.0, c=2 * 0.1066, k=1.0, k_s=0.2126)
    lost, regained = single_interface.stable_intervals(**case, up_to=5.0)[0][1], None
    regained = single_interface.stable_intervals(**case, up_to=5.0)[1][0]
    assert regained - lost < 0.2
    found = first_crossing(lambda tau: one_mass(tau, **case), 0.0, 5.0)
    assert found.parameter == pytest.approx(lost, rel=1e-9)
    coarse = first_crossing(lambda tau: one_mass(tau, **case), 0.0, 5.0, points=5)  # tongue between points
    assert coarse.parameter == pytest.approx(lost, rel=1e-9)


def test_no_crossing_is_said_and_not_invented():
    overdamped = one_mass(1e-3, c=120.0)
    assert critical_delay(overdamped) == np.inf
    assert switching_delays(overdamped) == []
    assert first_crossing(lambda tau: one_mass(tau, c=120.0), 0.0, 1.0) is None
    with pytest.raises(AnalysisError, match="no crossing of the imaginary axis was found"):
        require(None, "critical delay")


def test_an_equation_unstable_without_delay_has_no_margin():
    assert critical_delay(one_mass(1e-3, c=-1.0)) == 0.0


def test_an_equation_without_delayed_terms_never_switches():
    assert critical_delay(DelayEquation([[-1.0]])) == np.inf


def test_a_crossing_in_damping_is_found_downwards_and_upwards():
    tau = 5e-3
    up = first_crossing(lambda c: one_mass(tau, c=c), 1.0, 30.0, points=12)
    down = first_crossing(lambda c: one_mass(tau, c=c), 30.0, 1.0, points=12)
    assert up.parameter == pytest.approx(down.parameter, rel=1e-10)
    assert not up.destabilising  # more damping stabilises
    assert single_interface.critical_delay(m=2.2, c=up.parameter, k=K, k_s=K) == pytest.approx(tau, rel=1e-10)


def test_a_static_instability_is_found_at_zero_frequency():
    # a negative spring that cancels the numerical one: the root crosses at the origin
    found = first_crossing(lambda k_s: one_mass(1e-3, k_s=k_s), 0.0, -3000.0, points=6)
    assert found.parameter == pytest.approx(-K, rel=1e-9)
    assert found.frequency == pytest.approx(0.0, abs=1e-6)


def test_newton_that_does_not_arrive_says_none():
    assert refine(lambda tau: one_mass(tau, c=120.0), 1e-2, 40.0, low=0.0) is None


def test_a_pencil_that_would_not_fit_is_refused_with_the_way_out():
    n = LARGEST + 1
    big = DelayEquation(-np.eye(n), [(0.1 * np.eye(n), 1e-3)])
    with pytest.raises(AnalysisError, match=f"feasible up to {LARGEST} states. Use first_crossing"):
        switching_delays(big)
