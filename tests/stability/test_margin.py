"""Phase margins and small gain, against the thesis and against the delay equation."""

import numpy as np
import pytest

from dovetail.stability import critical_delay, critical_lead, margin, single_interface
from dovetail.stability.margin import LinearHybridLoop
from dovetail.transfer.linear import LinearTransfer

from .systems import three_mass

ZETA = 0.1066
OMEGA = np.geomspace(0.02, 50.0, 3000)  # of the natural frequency
TABLE = {  # (zeta, rho): frequency, phase margin [deg], delay, all dimensionless; None where there is none
    (0.02132, 0.25): (1.1160, 10.97, 0.1716),
    (0.02132, 0.5): (1.2236, 5.99, 0.0854),
    (0.02132, 1.0): (1.4136, 3.46, 0.0427),
    (0.02132, 2.0): (1.7317, 2.12, 0.0213),
    (0.02132, 4.0): (2.2358, 1.37, 0.0107),
    (0.05, 0.25): (1.1064, 26.27, 0.4144),
    (0.05, 0.5): (1.2186, 14.11, 0.2020),
    (0.05, 1.0): (1.4107, 8.11, 0.1003),
    (0.05, 2.0): (1.7299, 4.96, 0.0501),
    (0.05, 4.0): (2.2347, 3.20, 0.0250),
    (0.1066, 0.25): (1.0535, 63.95, 1.0595),
    (0.1066, 0.5): (1.1959, 30.66, 0.4475),
    (0.1066, 1.0): (1.3981, 17.34, 0.2165),
    (0.1066, 2.0): (1.7222, 10.58, 0.1072),
    (0.1066, 4.0): (2.2297, 6.83, 0.0534),
    (0.2, 0.25): None,
    (0.2, 0.5): (1.1093, 62.55, 0.9842),
    (0.2, 1.0): (1.3565, 32.86, 0.4228),
    (0.2, 2.0): (1.6974, 19.85, 0.2041),
    (0.2, 4.0): (2.2138, 12.79, 0.1008),
    (0.3, 0.25): None,
    (0.3, 0.5): None,
    (0.3, 1.0): (1.2806, 50.21, 0.6843),
    (0.3, 2.0): (1.6542, 29.75, 0.3139),
    (0.3, 4.0): (2.1861, 19.14, 0.1528),
}


def loop(zeta=ZETA, rho=1.0):
    return LinearTransfer([rho], [1.0, 2 * zeta, 1.0])


def ideal(s):
    return loop()(s) / (1 + loop()(s))


@pytest.mark.parametrize(("case", "expected"), TABLE.items())
def test_phase_margin_table(case, expected):
    gains = margin.unit_gains(loop(*case))
    if expected is None:
        assert gains == []
        assert margin.delay_margin(loop(*case)) == np.inf
        assert margin.lead_margin(loop(*case)) == -np.inf
        return
    first = min(gains, key=lambda g: g.delay)
    assert first.omega == pytest.approx(expected[0], abs=6e-5)  # printed to four decimals
    assert np.degrees(first.phase_margin) == pytest.approx(expected[1], abs=6e-3)
    assert first.delay == pytest.approx(expected[2], abs=6e-5)


def test_r09_phase_margin_of_the_standard_case():
    (only,) = margin.unit_gains(loop())
    assert only.omega == pytest.approx(1.398, rel=1e-3)
    assert np.degrees(only.phase_margin) == pytest.approx(17.34, rel=1e-3)
    assert only.phase_margin == pytest.approx(0.3027, rel=1e-3)
    assert only.delay == pytest.approx(0.2165, rel=1e-3)


def test_r10_small_gain_accepts_less_than_the_exact_margin():
    delay, lag = margin.small_gain_delay(ideal, OMEGA), margin.small_gain_lag(ideal, OMEGA)
    assert delay == pytest.approx(0.214, rel=0.01)
    assert 0.21 < delay < 0.2165
    assert lag == pytest.approx(0.2236, rel=0.01)
    assert lag < 0.2358  # exact, by Routh


def test_small_gain_limit_is_where_the_condition_is_met_with_equality():
    for neglected in (
        LinearTransfer([1.0], [1.0], margin.small_gain_delay(ideal, OMEGA)),
        LinearTransfer([1.0], [margin.small_gain_lag(ideal, OMEGA), 1.0]),
    ):
        test = LinearHybridLoop(loop(), LinearTransfer([1.0], [1.0]), transfer=neglected)
        assert margin.small_gain(test, OMEGA).max() == pytest.approx(1.0, abs=1e-4)  # the grid's resolution


def test_r11_delay_independent_bound():
    assert margin.delay_independent_damping(1.0) == pytest.approx(np.sqrt(0.5), rel=1e-12)
    rho = np.linspace(0.05, 1.0, 20)
    zeta = 1.001 * margin.delay_independent_damping(rho)
    assert np.isinf(single_interface.critical_delay(m=1.0, c=2 * zeta, k=1.0, k_s=rho)).all()
    assert np.isfinite(single_interface.critical_delay(m=1.0, c=2 * 0.706, k=1.0, k_s=1.0))


def test_no_damping_makes_a_specimen_stiffer_than_the_numerical_spring_safe_at_any_delay():
    assert margin.delay_independent_damping(2.0) == np.inf
    assert np.isfinite(single_interface.critical_delay(m=1.0, c=2 * 5.0, k=1.0, k_s=2.0))


def test_resonance_of_the_test_without_delay():
    peak, where = margin.resonance(ideal, OMEGA)
    assert 1 / peak == pytest.approx(0.3007, abs=1e-4)
    assert 1 / peak == pytest.approx(2 * ZETA * np.sqrt(2.0), rel=0.005)  # its approximation, 0.3015
    assert where * 31.98 / (2 * np.pi) == pytest.approx(7.157, abs=2e-3)


def test_a_loop_given_as_a_function_has_the_same_margins_as_its_polynomials():
    as_function = lambda s: loop(rho=0.25)(s)  # noqa: E731
    by_grid = margin.unit_gains(as_function, OMEGA)
    by_roots = margin.unit_gains(loop(rho=0.25))
    assert len(by_roots) == 2  # two crossings for rho < 1, both reported
    assert [g.delay for g in by_grid] == pytest.approx([g.delay for g in by_roots], rel=1e-10)
    with pytest.raises(TypeError, match="needs a grid"):
        margin.unit_gains(as_function)


def test_an_existing_delay_uses_margin_up():
    late = LinearTransfer([1.0], [1.0, 2 * ZETA, 1.0], 0.1)
    assert margin.delay_margin(late) == pytest.approx(margin.delay_margin(loop()) - 0.1, rel=1e-12)


def three_mass_modes(k, c, m=2.2):
    """Loops of the modes in which the outer masses move against and with each other."""
    body, joint = [m, c, k], [c, k]
    against = LinearTransfer(joint, body)
    middle = np.polyadd([m, 0.0, 0.0], [2 * c, 2 * k])
    together = LinearTransfer(np.polymul(joint, [m, 0.0, 0.0]), np.polymul(body, middle))
    return against, together


@pytest.mark.parametrize(
    ("k", "c", "delay", "together", "lead"),
    [(4750.0, 6.0, 2.5205e-3, 3.566e-3, -3.57e-3), (9000.0, 15.0, 3.3084e-3, 4.685e-3, -4.71e-3)],
)
def test_r41_forward_limit_of_the_three_mass_study(k, c, delay, together, lead):
    modes = three_mass_modes(k, c)
    assert margin.delay_margin(modes[0]) == pytest.approx(delay, rel=1e-4)
    assert margin.delay_margin(modes[1]) == pytest.approx(together, rel=1e-3)
    limit = max(margin.lead_margin(mode) for mode in modes)
    assert limit == pytest.approx(lead, rel=0.01)
    # both limits again from the matrices of the whole system
    whole = three_mass(1e-3, 1e-3, k, c)
    assert critical_lead(whole) == pytest.approx(limit, rel=1e-9)
    assert critical_delay(whole) == pytest.approx(margin.delay_margin(modes[0]), rel=1e-9)


def test_blocks_of_a_hybrid_loop():
    spring, mass = LinearTransfer([2250.0], [1.0]), LinearTransfer([1.0], [2.2, 15.0, 2250.0])
    actuator, cell = LinearTransfer([1.0], [0.005, 1.0], 2e-3), LinearTransfer([1.0], [1e-3, 1.0])
    soft = LinearTransfer([1e-5], [1.0])  # m/N
    test = LinearHybridLoop(mass, spring, actuator, soft, cell)
    s = 1j * np.array([10.0, 45.0])
    A = actuator(s) * cell(s) / (1 + 2250.0 * 1e-5)
    assert test.neglected(s) == pytest.approx(A)
    assert test.loop(s) == pytest.approx(A * spring(s) * mass(s))
    assert test.response(s) == pytest.approx(spring(s) * mass(s) / (1 + A * spring(s) * mass(s)))
    assert LinearHybridLoop(mass, spring).response(s) == pytest.approx(
        LinearHybridLoop(mass, spring).reference_response(s)
    )


def test_many_loops_at_once_agree_with_the_closed_form():
    rng = np.random.default_rng(11)
    m, c, k, k_s = rng.uniform([[0.5], [1.0], [100.0], [50.0]], [[5.0], [90.0], [5000.0], [9000.0]], (4, 400))
    found = margin.rational_delay_margin(k_s[:, None], np.stack([m, c, k], axis=-1))
    exact = np.asarray(single_interface.critical_delay(m=m, c=c, k=k, k_s=k_s))
    finite = np.isfinite(exact)
    assert np.array_equal(np.isfinite(found.delay), finite)
    assert np.max(np.abs(found.delay[finite] / exact[finite] - 1)) < 1e-9


def test_loops_of_different_orders_have_at_once_the_margins_that_each_has_alone():
    """A mass, none, and neither mass nor damper: the gain of the last one, 0.8, never reaches one."""
    denominators = np.array([[2.2, 15.0, 2250.0], [0.0, 15.0, 2250.0], [0.0, 0.0, 5000.0]])
    together = margin.rational_delay_margin([4000.0], denominators)
    damper = (np.pi - np.arctan2(omega := np.sqrt(4000.0**2 - 2250.0**2) / 15.0, 150.0)) / omega
    mass = single_interface.critical_delay(m=2.2, c=15.0, k=2250.0, k_s=4000.0)
    assert together.delay == pytest.approx([float(mass), damper, np.inf], rel=1e-9)
    assert together.omega[1] == pytest.approx(omega, rel=1e-9)


def test_a_loop_unstable_without_delay_has_no_margin():
    assert margin.rational_delay_margin([-3000.0], [2.2, 15.0, 2250.0]).delay == 0.0
