"""State shared by all pages."""

from dovetail.app import Document
from dovetail.studio.workspace import default_sliders, without_values


def test_sliders_are_offered_for_delay_damping_and_stiffness_first():
    document = Document.open("substructuring/cs1")
    assert default_sliders(document.blocks()) == ["rig.actuator.delay", "numerical.c", "numerical.k"]


def test_the_table_without_slider_values_does_not_depend_on_sliders():
    document = Document.open("substructuring/cs1")
    paths = default_sliders(document.blocks())
    before = without_values(document.table, paths)
    assert not document.set("rig.actuator.delay", "6 ms")
    assert without_values(document.table, paths) == before
    assert not document.set("numerical.m", "3 kg")
    assert without_values(document.table, paths) != before
