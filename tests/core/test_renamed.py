"""Renamed keys, kinds and values: errors name the new ones."""

import pytest

from dovetail.core import Part, choice, renamed
from dovetail.core.errors import TestFileError, UnknownNameError, unknown_key
from dovetail.testing import test_file

TABLE = {"kinds": {"old": "new"}, "keys.Base": {"least": "min"}, "values.Base.hold": {"held": "zoh"}}


class Base(Part):
    hold: str = choice("zoh", "foh", default="zoh")
    min: float = 0.0


class Leaf(Base):
    pass


@pytest.fixture(autouse=True)
def table(monkeypatch):
    monkeypatch.setattr(renamed, "_sections", lambda: TABLE)


def test_a_name_is_looked_up_in_its_section_only():
    assert renamed.new_name("kinds", "old") == "new"
    assert renamed.new_name("modes", "old") is None
    assert "new" in str(UnknownNameError("kind", "old", ["new", "other"], renamed="kinds"))
    assert "renamed" not in str(UnknownNameError("kind", "old", ["new", "other"]))


def test_a_key_is_looked_up_for_base_classes_too():
    assert renamed.new_key(Leaf, "least") == "min"
    assert renamed.new_key(Part, "least") is None
    assert '"min"' in unknown_key("least", ["min", "max"], renamed.new_key(Leaf, "least"))


@pytest.mark.parametrize("entry", [{"least": 1.0}, {"hold": "held"}])
def test_an_old_key_or_value_of_a_file_is_reported_with_the_new_one(entry):
    with pytest.raises(ValueError) as error:  # noqa: PT011  # raised by pydantic
        test_file._model(Leaf).model_validate(entry)
    new = "min" if "least" in entry else "zoh"
    if "hold" in entry:
        assert f'write "{new}"' in str(error.value)
    else:
        (fault,) = test_file._faults(error.value, entry, Leaf)
        assert f'write "{new}"' in fault.text


def test_a_valid_value_that_is_also_an_old_name_is_read(monkeypatch):
    monkeypatch.setitem(TABLE, "values.Base.hold", {"zoh": "other"})
    assert test_file._model(Leaf).model_validate({"hold": "zoh"}).hold == "zoh"


def test_no_new_name_is_also_a_retired_one(monkeypatch):
    """An error must give the final name; reused names are listed here."""
    monkeypatch.undo()
    used_again = {("signals", "depth", "penetration")}
    for name, section in renamed._sections().items():
        for old, new in section.items():
            assert old != new
            assert new not in section or (name, old, new) in used_again, (name, old, new)


def test_the_file_of_a_test_error_lists_the_new_key(monkeypatch):
    monkeypatch.setitem(TABLE, "keys.Test", {"dialz": "tunable"})
    with pytest.raises(TestFileError, match='write "tunable"'):
        test_file.parse({"dialz": {}, "numerical": {"kind": "oscillator"}})
