"""Specimens without memory have none."""

from dovetail.specimens import Specimen, Spring


def test_a_memoryless_specimen_has_the_empty_state():
    spring = Spring(k=1.0)
    assert spring.init() == ()
    assert spring.derivative(0.0, (), {}) == ()
    assert isinstance(spring, Specimen)
    assert not spring.inertial
