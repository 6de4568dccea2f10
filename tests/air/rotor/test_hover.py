"""Hover: figure of merit and coefficients."""

import numpy as np
import pytest

from dovetail.air.rotor import Blade, Rotor, Section, estimate_figure_of_merit, hover

PUBLISHED = [0.2894, 0.4198, 0.5174, 0.5897, 0.6438, 0.6851, 0.7171, 0.7425, 0.7630, 0.7797, 0.7935]


def test_the_estimate_is_the_published_curve_and_tends_to_the_inverse_of_the_induced_factor():
    got = estimate_figure_of_merit(np.arange(0.02, 0.125, 0.01) * 0.0704, 0.0704)
    np.testing.assert_allclose(got, PUBLISHED, atol=5.1e-5)  # four printed digits
    assert float(estimate_figure_of_merit(1e3, 0.0704)) == pytest.approx(1 / 1.1, rel=1e-4)


def test_the_table_of_a_sweep_agrees_with_itself():
    rotor = Rotor(Blade(radius=1.42, chord=0.0785, lift_slope=6.0, drag_offset=0.01, elements=20), Section())
    table = hover(rotor, 150.0, np.deg2rad([4.0, 8.0]))
    blade = rotor.blade.effective_elements()
    element = table.C_t * 1.225 * (150.0 * blade.r) ** 2 * blade.chord * blade.width
    np.testing.assert_allclose(4 * element.sum("radius"), table.thrust, rtol=1e-12)
    assert table.solidity == pytest.approx(4 * 0.0785 / (np.pi * 1.42))
    assert 0.3 < float(table.merit[0]) < float(table.merit[1]) < 0.8
    assert float(table.C_T[1]) == pytest.approx(
        float(table.thrust[1]) / (1.225 * np.pi * 1.42**2 * (150.0 * 1.42) ** 2), rel=1e-12
    )
    power = 150.0 * table.torque / (1.225 * np.pi * 1.42**2 * (150.0 * 1.42) ** 3)
    np.testing.assert_allclose(table.C_P, power, rtol=1e-9)
