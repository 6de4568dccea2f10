"""Closed forms of one mass and one delayed spring, against the thesis and against themselves."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.stability import single_interface as si

STANDARD = dict(m=2.2, c=15.0, k=2250.0, k_s=2250.0)  # kg, N s/m, N/m, N/m
LIGHT = STANDARD | dict(c=3.0)
RNG = np.random.default_rng(20)


def residual(m, c, k, k_s, w, tau, a=1.0):
    """Characteristic equation at j w, relative to the delayed spring."""
    s = 1j * w
    return abs(m * s**2 + c * s + k + a * k_s * np.exp(-s * tau)) / (a * k_s)


def test_r01_groups_of_the_standard_case():
    groups = si.groups(**STANDARD)
    assert groups.zeta == pytest.approx(0.1066, rel=1e-3)  # as printed
    assert groups.omega_n == pytest.approx(31.980, rel=1e-4)
    assert groups.rho == 1.0


def test_r02_critical_delay_of_the_standard_case():
    tau = si.critical_delay(**STANDARD)
    assert tau == pytest.approx(6.77e-3, rel=1e-3)  # as printed
    assert tau == pytest.approx(6.7695e-3, rel=1e-5)  # recomputed to five figures
    assert tau * si.groups(**STANDARD).omega_n == pytest.approx(0.2165, rel=1e-3)


def test_r03_first_order_estimate_is_c_over_k_s_and_below_the_exact_value():
    estimate = si.approximate_critical_delay(c=15.0, k_s=2250.0)
    assert estimate == 15.0 / 2250.0
    assert estimate < si.critical_delay(**STANDARD)


def test_r04_critical_delay_with_light_damping():
    tau = si.critical_delay(**LIGHT)
    assert tau == pytest.approx(1.335e-3, rel=2e-3)  # as printed
    assert tau == pytest.approx(1.3341e-3, rel=5e-5)


def test_r05_instability_frequency_approximate_and_exact():
    approximate = si.approximate_instability_omega(m=2.2, k=2250.0, k_s=2250.0) / (2 * np.pi)
    exact = si.instability_omega(**STANDARD) / (2 * np.pi)
    assert approximate == pytest.approx(7.198, rel=5e-4)
    assert exact == pytest.approx(7.116, rel=5e-4)
    groups = si.groups(**STANDARD)  # the closed form for rho = 1, eq. 3.22
    assert exact * 2 * np.pi == pytest.approx(
        float(groups.omega_n * np.sqrt(2 - 4 * groups.zeta**2)), rel=1e-12
    )


def test_r06_smallest_destabilising_stiffness():
    lowest = si.rho_min(si.groups(**STANDARD).zeta)
    assert lowest == pytest.approx(0.212, rel=3e-3)
    assert lowest * 2250.0 == pytest.approx(477.0, rel=3e-3)  # N/m
    below, above = (si.critical_delay(**STANDARD | dict(k_s=lowest * 2250.0 * f)) for f in (0.9999, 1.0001))
    assert np.isinf(below)
    assert np.isfinite(above)


def test_r07_damping_beyond_which_equal_springs_tolerate_any_delay():
    c = 2 * np.sqrt(2.2 * 2250.0) / np.sqrt(2.0)
    assert c == pytest.approx(99.5, rel=1e-3)  # N s/m, as printed
    assert not si.delay_independent(**STANDARD | dict(c=c * 0.999))
    assert si.delay_independent(**STANDARD | dict(c=c * 1.001))


@pytest.mark.parametrize("c", [0.01, 0.1, 1.0])
def test_light_damping_limit_is_c_over_k_s(c):
    # the next term of the expansion is of relative order zeta^2
    assert si.critical_delay(m=3.0, c=c, k=1000.0, k_s=2000.0) == pytest.approx(c / 2000.0, rel=1e-4)


def test_boundary_satisfies_the_characteristic_equation_for_random_tests():
    m, c, k, k_s = RNG.uniform([[0.5], [1.0], [100.0], [50.0]], [[5.0], [40.0], [5000.0], [9000.0]], (4, 500))
    tau = np.asarray(si.critical_delay(m=m, c=c, k=k, k_s=k_s, a=1.1))
    w = np.asarray(si.instability_omega(m=m, c=c, k=k, k_s=k_s, a=1.1))
    finite = np.isfinite(tau)
    assert 100 < finite.sum() < 500  # both kinds occur
    left = residual(m, c, k, k_s, w, tau, a=1.1)[finite]
    assert left.max() < 1e-12  # rounding of k, m w^2 and c w against a k_s


def test_overshoot_of_the_transfer_system_eats_margin():
    assert si.critical_delay(**STANDARD, a=1.05) < si.critical_delay(**STANDARD, a=1.0)


def test_a_test_unstable_without_delay_tolerates_none():
    assert si.critical_delay(**STANDARD | dict(c=-1.0)) == 0.0
    assert si.critical_delay(**STANDARD | dict(k_s=-3000.0)) == 0.0


def test_a_negative_spring_is_treated_with_its_sign():
    case = dict(m=1.0, c=0.2, k=100.0, k_s=-40.0)
    tau, w = si.critical_delay(**case), si.instability_omega(**case)
    assert abs(1.0 * (1j * w) ** 2 + 0.2j * w + 100.0 - 40.0 * np.exp(-1j * w * tau)) < 1e-10
    assert 0 < tau < 2 * np.pi / w


def test_stability_lost_can_be_regained_for_a_soft_specimen():
    case = dict(m=1.0, c=2 * 0.1066, k=1.0, k_s=0.3)
    intervals = si.stable_intervals(**case, up_to=20.0)
    assert intervals[0] == (0.0, pytest.approx(float(si.critical_delay(**case)), rel=1e-12))
    assert len(intervals) > 1  # the tongues of fig. 3.1a
    found = si.crossings(**case, turns=2)
    assert intervals[1][0] == pytest.approx(float(found.delay[1, 0]), rel=1e-12)


def test_all_crossings_satisfy_the_characteristic_equation():
    found = si.crossings(m=1.0, c=2 * 0.1066, k=1.0, k_s=0.3, turns=6)
    assert found.delay.shape == (2, 6)
    left = residual(1.0, 2 * 0.1066, 1.0, 0.3, np.asarray(found.omega), np.asarray(found.delay))
    assert left.max() < 1e-12


def test_no_interval_is_given_where_nothing_is_stable_and_all_where_nothing_is_unstable():
    assert si.stable_intervals(**STANDARD | dict(c=-1.0), up_to=1.0) == []
    assert si.stable_intervals(**STANDARD | dict(c=120.0), up_to=1.0) == [(0.0, 1.0)]


def test_tongues_of_the_stiffness_chart_equal_those_of_the_thesis():
    zeta = 0.1066
    w = np.sqrt(1 - 2 * zeta**2)
    assert w == pytest.approx(0.9886, abs=5e-5)
    tau_hat, rho = si.stiffness_chart(zeta, w, n=np.arange(5))
    assert tau_hat == pytest.approx([1.698, 8.053, 14.409, 20.765, 27.121], abs=6e-4)
    assert rho == pytest.approx(float(si.rho_min(zeta)), rel=1e-12)


def test_the_two_charts_are_the_same_surface():
    w = np.linspace(0.2, 1.4, 50)
    tau_hat, zeta = si.damping_chart(1.0, w)
    again, rho = jax.vmap(si.stiffness_chart)(zeta, jnp.asarray(w))
    assert again == pytest.approx(np.asarray(tau_hat), rel=1e-9)
    assert rho == pytest.approx(np.ones(50), rel=1e-12)


def test_a_map_is_one_call_and_its_derivative_is_that_of_a_difference():
    c, k_s = np.linspace(1.0, 120.0, 200)[:, None], np.linspace(100.0, 9000.0, 200)[None, :]
    tau = jax.jit(lambda c, k_s: si.critical_delay(m=2.2, c=c, k=2250.0, k_s=k_s))(c, k_s)
    assert tau.shape == (200, 200)
    assert np.isinf(tau).any()
    assert np.isfinite(tau).any()
    slope = jax.grad(lambda c: si.critical_delay(**STANDARD | dict(c=c)))(15.0)
    h = 1e-4
    difference = si.critical_delay(**STANDARD | dict(c=15.0 + h)) - si.critical_delay(
        **STANDARD | dict(c=15.0 - h)
    )
    assert slope == pytest.approx(float(difference) / (2 * h), rel=1e-7)
