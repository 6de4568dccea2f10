"""Names of parts in test files."""

import pytest

from dovetail.core import Block, Flow, kind
from dovetail.core.errors import UnknownNameError
from dovetail.core.registry import find, kinds, name_of
from dovetail.mechanics import Oscillator


def test_a_registered_part_is_found_by_name_and_role():
    assert find("oscillator", Flow) is Oscillator
    assert name_of(Oscillator) == "oscillator"
    assert "oscillator" not in kinds(Block)


def test_an_unknown_kind_lists_the_known_ones_and_a_near_miss():
    with pytest.raises(UnknownNameError, match='no kind "oscilator"; did you mean "oscillator"\\? known: '):
        find("oscilator", Flow)


def test_a_name_cannot_be_taken_twice():
    with pytest.raises(ValueError, match='"oscillator" is taken by Oscillator'):
        kind("oscillator")(type("Other", (), {}))


def test_a_class_without_a_name_has_none():
    assert name_of(int) is None
