"""Kaplan's rule and the polars."""

import numpy as np
import pytest

from dovetail.air.rotor import Section, kaplan


def test_a_thin_section_follows_prandtl_and_glauert_and_thickness_adds():
    assert float(kaplan(0.6, 0.0)) == pytest.approx(1 / 0.8, rel=1e-14)
    assert float(kaplan(0.6, 0.12)) == pytest.approx(
        1.25 + 0.12 / 1.12 * (1.25 * 0.25 + 0.6 * (1.25**2 - 1) ** 2), rel=1e-12
    )


def test_the_correction_can_be_off_and_stops_growing_at_its_limit():
    mach = np.array([0.0, 0.5, 0.84, 0.95, 1.07])
    np.testing.assert_array_equal(Section(compressibility="off").slope(6.0, 0.0, mach), 6.0)
    capped = np.asarray(Section().slope(6.0, 0.1, mach))
    assert np.all(np.isfinite(capped))
    assert capped[2] == capped[3] == capped[4]
    # no thickness is not the same as no correction
    assert float(Section().slope(6.0, np.zeros(1), np.array([0.6]))[0]) == pytest.approx(7.5)


def test_polars_are_linear_until_stall_and_drag_rises_beyond_its_mach_number():
    section = Section(stall=0.2, drag_curvature=1.0, drag_rise=0.8)
    assert float(section.lift(6.0, 0.1, 0.1)) == pytest.approx(0.7)
    assert float(section.lift(6.0, 0.1, 0.5)) == pytest.approx(1.3)
    assert float(section.drag(0.02, 0.01, 0.1, 0.7)) == pytest.approx(0.002 + 0.01 + 0.01)
    assert float(section.drag(0.0, 0.01, 0.0, 0.9)) == pytest.approx(0.01 + 20e-4)
