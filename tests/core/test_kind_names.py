"""The kind of a class."""

from dovetail.core.kind_names import name_of, set_name


def test_a_class_has_the_kind_that_was_set_and_its_subclasses_have_none():
    base = type("Base", (), {})
    assert name_of(base) is None
    set_name(base, "my-part")
    assert name_of(base) == "my-part"
    assert name_of(type("Derived", (base,), {})) is None
