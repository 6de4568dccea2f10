import pytest

from dovetail.mechanics.collision import LibraryContact, SpringDamper
from dovetail.mechanics.contact import HuntCrossley


def test_a_spring_and_damper_push_and_do_not_pull_unless_allowed():
    law = SpringDamper(stiffness=1e6, damping=3130.0)
    assert law.force(1e-3, 0.1, 0.1) == pytest.approx(1313.0)
    assert law.force(1e-4, -1.0, 1.0) == 0.0
    assert SpringDamper(stiffness=1e6, damping=3130.0, pull="allowed").force(1e-4, -1.0, 1.0) < 0


def test_it_is_smooth_a_hair_outside():
    law = SpringDamper(stiffness=1e6, damping=3130.0)
    assert law.force(-1e-9, 2.0, 2.0) == pytest.approx(float(law.force(1e-9, 2.0, 2.0)), rel=1e-5)


def test_a_law_of_the_library_is_used_as_it_is():
    inner = HuntCrossley(stiffness=1e8, restitution=0.6)
    law = LibraryContact(law=inner)
    assert law.force(1e-3, 0.2, 1.0) == inner.force(1e-3, 0.2, 1.0)
    assert law.stored_energy(1e-3) == inner.stored_energy(1e-3)
