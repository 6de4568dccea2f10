"""First crossings, against closed forms and against each other."""

import numpy as np
import pytest

from dovetail.stability import DelayEquation, first_crossing, refine_root, single_interface

from .systems import K, adrift, one_mass, with_memory

RNG = np.random.default_rng(7)


def random_tests(count):
    m, c = RNG.uniform(0.5, 5.0, count), RNG.uniform(1.0, 40.0, count)  # kg, N s/m
    k, k_s = RNG.uniform(500.0, 9000.0, (2, count))  # N/m
    exact = single_interface.critical_delay(m=m, c=c, k=k, k_s=k_s)
    return list(zip(m, c, k, k_s, np.asarray(exact), strict=True))


@pytest.mark.parametrize("count", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_marching_agrees_with_the_closed_form_over_random_tests(count):
    worst, finite = 0.0, 0
    for m, c, k, k_s, exact in random_tests(count):
        reach = 1.5 * exact if np.isfinite(exact) else 0.1
        found = first_crossing(lambda tau: one_mass(tau, c=c, m=m, k=k, k_s=k_s), 0.0, reach)  # noqa: B023
        if np.isinf(exact):
            assert found is None
        else:
            finite += 1
            worst = max(worst, abs(found.parameter / exact - 1))
            assert found.destabilising
    assert finite > 0.75 * count
    assert worst < 1e-10  # Newton stops at 1e-12; asked for: 1e-6


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


def test_a_missing_crossing_is_reported():
    assert first_crossing(lambda tau: one_mass(tau, c=120.0), 0.0, 1.0) is None


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
    assert found.omega == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_the_frequency_at_a_crossing_is_that_of_the_mode_which_crosses(direction):
    """At the next grid point another mode grows faster, which crosses later and at four times the frequency."""

    def modes(p):
        p, A = direction * p, np.zeros((4, 4))
        A[0, 1] = A[2, 3] = 1.0
        A[1, :2], A[3, 2:] = (-100.0, 0.2 * (p - 1.0)), (-1600.0, 2.0 * (p - 1.5))
        return DelayEquation(A)

    crossing = first_crossing(modes, 0.0, direction * 10.0, points=4)
    assert crossing.parameter == pytest.approx(direction * 1.0, rel=1e-9)
    assert crossing.omega == pytest.approx(10.0, rel=1e-6)


def test_newton_without_convergence_returns_none():
    assert refine_root(lambda tau: one_mass(tau, c=120.0), 1e-2, 40.0, low=0.0) is None


def test_newton_that_stalls_returns_none():
    """A mode that the delay hardly reaches: steps vanish because nothing moves, not because it has arrived."""
    hidden = np.zeros((4, 4))
    hidden[0, 1] = hidden[2, 3] = 1.0
    hidden[1, :2], hidden[3, 2:] = (-1.0e4, -1.0), (-9.0e4, -3.0)
    late = np.zeros((4, 4))
    late[1, 0], late[3, 0] = -100.0, -1e-9
    family = lambda tau: DelayEquation(hidden, [(late, tau)])  # noqa: E731
    found = refine_root(family, 5e-3, 300.0, low=0.0, reach=0.1)
    assert (
        found is None
        or np.linalg.svd(family(found.parameter).characteristic_matrix(1j * found.omega), compute_uv=False)[
            -1
        ]
        < 1e-6
    )


@pytest.mark.parametrize("family", [lambda tau: with_memory(one_mass(tau, c=7.5)), adrift])
def test_a_root_neutral_at_any_delay_neither_hides_nor_adds_a_crossing(family):
    exact = first_crossing(lambda tau: one_mass(tau, c=7.5), 0.0, 0.01)
    assert family(0.5 * exact.parameter).stable()
    assert not family(1.5 * exact.parameter).stable()
    found = first_crossing(family, 0.0, 0.01)
    assert found.parameter == pytest.approx(exact.parameter, rel=1e-9)
    assert found.omega == pytest.approx(exact.omega, rel=1e-9)
