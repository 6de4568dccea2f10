"""What chapter 6 of Wallace's thesis prints comes out as its targets say."""

import numpy as np
import pytest

from dovetail.air.rotor import piston_velocity
from dovetail.stability import damper_modes
from dovetail.studies.registry import load
from dovetail.studies.substructuring import reproduce_lag_damper as chapter_6
from dovetail.studies.targets import load_targets

SLOW = {"R33-actuator", "R36", "R37", "R38"}  # long sweeps and fine steps
TARGETS = [
    pytest.param(target, id=target.id, marks=[pytest.mark.slow] if target.id in SLOW else [])
    for target in load_targets("substructuring")
    if target.compute.startswith("reproduce_lag_damper:")
]


@pytest.mark.parametrize("target", TARGETS)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)


def test_the_printed_expression_has_29_terms_and_each_counts():
    """Without any one of them the identity fails: the comparison can tell."""
    terms = chapter_6.VDAMPX.replace("\n", " ").split(",")
    assert len(terms) == 29
    angles = dict(zip("BZTDG", [0.3, -0.4, 0.5, 0.7, -0.6], strict=True))
    rates, arm = {"B": 1.0, "Z": -2.0, "T": 0.7}, {"x": 0.3, "y": -0.2, "z": 0.1}
    product = piston_velocity([0.3, -0.2, 0.1], (0.3, -0.4, 0.5), (1.0, -2.0, 0.7), 0.7, -0.6)
    whole = chapter_6.printed_piston_velocity(angles, rates, arm)
    assert whole == pytest.approx(float(product), rel=1e-13)
    original = chapter_6.VDAMPX
    try:
        for term in terms:
            chapter_6.VDAMPX = ",".join(t for t in terms if t is not term)
            assert abs(chapter_6.printed_piston_velocity(angles, rates, arm) - whole) > 1e-6, term
    finally:
        chapter_6.VDAMPX = original


def test_all_sixteen_critical_delays_of_the_surrogate_are_as_tabled():
    """Flap 1 carries aerodynamic damping, so its two are longer than with 0.01: 14.45 ms and 69.62 ms."""
    closed, open_ = (1e3 * np.asarray(chapter_6.mode_limits(slope).delay) for slope in (420e3, 14e3))
    np.testing.assert_allclose(
        np.delete(closed, 1), [1.506, 8.548, 1.073, 8.656, 8.062, 0.750, 0.914], rtol=1e-3
    )
    np.testing.assert_allclose(
        np.delete(open_, 1), [43.95, 29.65, 14.16, 19.86, 17.99, 8.573, 6.340], rtol=1e-3
    )
    assert closed[1] > 14.45
    assert open_[1] > 69.62


def test_the_absolute_critical_delay_is_where_the_spectrum_of_its_mode_crosses():
    limits = chapter_6.mode_limits(420e3)
    blade = load("substructuring/lag-damper").numerical
    omega_0 = float(blade.modes.omega[6])
    c, kappa = 2 * 0.01 * omega_0, float(blade.strength(420e3)[6])

    def growth(tau):
        return damper_modes.equation(omega_0=omega_0, c=c, kappa=kappa, tau=tau).growth()

    assert growth(0.99 * limits.min_delay) < 0 < growth(1.01 * limits.min_delay)
