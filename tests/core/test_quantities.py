"""Every quantity has one name, one unit and one definition."""

import pytest

from dovetail.core import units
from dovetail.core.quantities import QUANTITIES
from dovetail.core.si_prefix import FRACTION


def test_names_and_definitions_are_distinct():
    assert len({q.name for q in QUANTITIES.values()}) == len(QUANTITIES)
    assert len({q.definition for q in QUANTITIES.values()}) == len(QUANTITIES)


@pytest.mark.parametrize("name", [n for n, q in QUANTITIES.items() if q.unit not in ("", FRACTION, "1")])
def test_a_unit_is_an_si_unit(name):
    unit = QUANTITIES[name].unit
    assert units.to_si(f"2 {unit}", unit) == 2.0


def test_a_text_is_its_own_value():
    assert QUANTITIES["loop_direction"].text("late") == "late"
    assert QUANTITIES["loop_direction"].text("") == "not determined"
