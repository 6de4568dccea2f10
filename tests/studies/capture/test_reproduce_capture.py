"""Targets of the towed rope that need no run."""

from dovetail.studies.capture import reproduce_capture


def test_four_times_the_steady_tension_leaves_three_ropes():
    assert reproduce_capture.strength_choice() == ["steel-32", "uhmwpe-24", "uhmwpe-32"]


def test_every_rope_of_the_table_is_in_the_catalogue():
    assert {name for name, _ in reproduce_capture.ROPES} <= set(reproduce_capture.catalogue())
