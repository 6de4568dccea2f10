"""Jump at first contact and tensile force before separation."""

import pytest

from dovetail.mechanics.contact import KelvinVoigt

LAW = KelvinVoigt(stiffness=1e6, damping=500.0)


def test_force_jumps_at_first_contact():
    assert float(LAW.force(0.0, 0.1, 0.1)) == 500.0 * 0.1
    assert float(LAW.force(-1e-12, 0.1, 0.1)) == 0.0


def test_force_is_tensile_before_separation():
    assert float(LAW.force(1e-6, -0.08, 0.1)) < 0


def test_tension_can_be_clamped():
    clamped = KelvinVoigt(stiffness=1e6, damping=500.0, tension="clamped")
    assert float(clamped.force(1e-6, -0.08, 0.1)) == 0.0


def test_push_is_continuous_across_the_surface():
    outside, inside = (float(LAW.push(depth, 2.0, 2.0)) for depth in (-1e-9, 1e-9))
    assert outside == pytest.approx(inside, rel=1e-5)
