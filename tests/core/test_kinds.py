"""Kinds: names of parts in test files."""

import pytest

from dovetail.core import Block, Flow, kind, kinds, parts_by_kind
from dovetail.core.errors import UnknownNameError
from dovetail.core.kind_names import name_of
from dovetail.core.kinds import find
from dovetail.mechanics import Oscillator


def test_a_registered_part_is_found_by_name_and_role():
    assert find("oscillator", Flow) is Oscillator
    assert name_of(Oscillator) == "oscillator"
    assert "oscillator" not in parts_by_kind(Block)


def test_an_unknown_kind_suggests_a_similar_one():
    with pytest.raises(UnknownNameError, match='no kind "oscilator"; did you mean "oscillator"\\?'):
        find("oscilator", Flow)


def test_a_kind_cannot_be_registered_twice():
    with pytest.raises(ValueError, match='"oscillator".*Oscillator'):
        kind("oscillator")(type("Other", (), {}))
    with pytest.raises(ValueError, match="Oscillator"):  # also by a class of the same name
        kind("oscillator")(type("Oscillator", (), {}))
    assert find("oscillator") is Oscillator


def test_a_class_without_a_kind():
    assert name_of(int) is None


def test_parts_of_other_packages_are_found_by_entry_point(monkeypatch):
    """A package with an entry point needs no import by the user."""

    class Entry:
        value = "someone.elses.parts"

        @staticmethod
        def load():
            kinds.kind("someone-elses-part")(type("Theirs", (), {}))

    monkeypatch.setattr(kinds, "entry_points", lambda group: [Entry] if group == "dovetail.parts" else [])
    try:
        assert kinds.find("someone-elses-part").__name__ == "Theirs"
    finally:
        kinds._kinds.pop("someone-elses-part", None)
