"""Critical delay of a damper specimen, mode by mode."""

import numpy as np
import pytest

from dovetail.stability import critical_delay, damper_modes, switching_delays

ROTOR = 21.99  # rad/s, 210 rpm
PER_REV = np.array([0.28, 1.03, 2.6, 3.9, 4.7, 6.2, 6.8, 10.5])
KAPPA = np.array([1042.8, 104.3, 166.9, 1459.9, 125.1, 104.3, 2085.6, 1691.0])  # 1/s
MODES = dict(omega_0=PER_REV * ROTOR, c=2 * 0.01 * PER_REV * ROTOR)
CLOSED_VALVE = np.array([1.506, 14.45, 8.548, 1.073, 8.656, 8.062, 0.750, 0.914]) * 1e-3  # s
OPEN_VALVE = np.array([43.95, 69.62, 29.65, 14.16, 19.86, 17.99, 8.573, 6.340]) * 1e-3


def test_r35_table_of_the_blades_modes():
    closed = damper_modes.limits(**MODES, kappa=KAPPA)
    opened = damper_modes.limits(**MODES, kappa=KAPPA / 30)
    assert np.asarray(closed.delay) == pytest.approx(CLOSED_VALVE, rel=0.005)
    assert np.asarray(opened.delay) == pytest.approx(OPEN_VALVE, rel=0.005)
    assert (closed.mode + 1, opened.mode + 1) == (7, 8)
    assert closed.min_delay == pytest.approx(0.75e-3, rel=0.005)
    assert opened.min_delay == pytest.approx(6.34e-3, rel=0.005)


@pytest.mark.parametrize("mode", range(8))
def test_closed_form_is_that_of_the_delay_equation(mode):
    case = dict(omega_0=MODES["omega_0"][mode], c=MODES["c"][mode], kappa=KAPPA[mode])
    equation = damper_modes.equation(**case, tau=1e-3)
    assert critical_delay(equation) == pytest.approx(float(damper_modes.critical_delay(**case)), rel=1e-9)
    first = switching_delays(equation)[0]
    assert first.omega == pytest.approx(float(damper_modes.instability_omega(**case)), rel=1e-9)


def test_a_weak_damper_tolerates_any_delay():
    case = dict(omega_0=50.0, c=3.0, kappa=2.9)
    assert np.isinf(damper_modes.critical_delay(**case))
    assert np.isnan(damper_modes.instability_omega(**case))
    assert critical_delay(damper_modes.equation(**case, tau=1e-3)) == np.inf


def test_a_stiff_damper_tolerates_a_quarter_of_its_period():
    assert damper_modes.critical_delay(omega_0=1.0, c=0.02, kappa=2090.0) == pytest.approx(
        np.pi / 2 / 2090.0, rel=1e-4
    )


def test_oil_stiffness_at_speed_lowers_the_critical_delay():
    plain = damper_modes.equation(omega_0=150.0, c=3.0, kappa=2085.6, tau=1e-3)
    stiff = damper_modes.equation(omega_0=150.0, c=3.0, kappa=2085.6, tau=1e-3, stiffness=3e5)
    assert critical_delay(stiff) < critical_delay(plain)
