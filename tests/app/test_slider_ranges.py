"""Slider ranges stay within the declared range."""

from dovetail.app import Document, slider_ranges


def test_a_knob_has_unit_meaning_and_ends_in_its_range():
    test = Document.open("substructuring/cs1").test
    delay, mass, steps = slider_ranges(test, ["rig.actuator.delay", "numerical.m", "substeps"])
    assert (delay.unit, delay.low, delay.value, delay.traced) == ("s", 0.0, 0.003, True)
    assert delay.high == 0.012
    assert 0.0 < mass.low < mass.value < mass.high  # a mass is above zero
    assert (steps.traced, steps.low, steps.high) == (False, 1, 4)


def test_only_single_numbers_have_sliders():
    test = Document.open("substructuring/lag-damper").test
    assert (
        slider_ranges(
            test, ["numerical.participation", "title", "rig.command_hold", "no.such", "limits.tracking_error"]
        )
        == []
    )


def test_a_tunable_parameter_defines_the_range_of_its_slider():
    document = Document.open("substructuring/cs1")
    document.write(document.text + '\n[tunable."numerical.c"]\nmin = "5 N s/m"\nmax = 25.0\n')
    assert document.fault == ""
    (damping,) = slider_ranges(document.test, ["numerical.c"])
    assert (damping.low, damping.high) == (5.0, 25.0)
