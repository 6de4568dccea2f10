"""The two defects for which the law is known."""

import pytest

from dovetail.mechanics.contact import KelvinVoigt

LAW = KelvinVoigt(stiffness=1e6, damping=500.0)


def test_force_jumps_at_first_touch():
    assert float(LAW.force(0.0, 0.1, 0.1)) == 500.0 * 0.1
    assert float(LAW.force(-1e-12, 0.1, 0.1)) == 0.0


def test_it_pulls_before_the_bodies_part():
    assert float(LAW.force(1e-6, -0.08, 0.1)) < 0


def test_the_pull_can_be_clamped():
    clamped = KelvinVoigt(stiffness=1e6, damping=500.0, tension="clamped")
    assert float(clamped.force(1e-6, -0.08, 0.1)) == 0.0


def test_as_if_in_contact_it_goes_on_smoothly_a_hair_outside():
    outside, inside = (float(LAW.push(depth, 2.0, 2.0)) for depth in (-1e-9, 1e-9))
    assert outside == pytest.approx(inside, rel=1e-5)
