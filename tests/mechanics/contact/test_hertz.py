import pytest

from dovetail.mechanics.contact import Hertz


def test_force_does_not_depend_on_speed_and_is_elastic():
    law = Hertz(stiffness=9.08e8)
    assert float(law.force(1e-4, 0.1, 0.1)) == pytest.approx(9.08e8 * 1e-6)
    assert float(law.force(1e-4, -0.1, 0.1)) == float(law.force(1e-4, 0.1, 0.1))
    assert float(law.dissipated_power(1e-4, 0.1, 0.1)) == 0.0


def test_no_force_when_separated():
    assert float(Hertz(stiffness=9.08e8).force(-1e-9, 0.1, 0.1)) == 0.0
