"""A replaced part has its required values."""

import pytest

from dovetail.app import Document

CS1 = "substructuring/cs1"


def test_what_both_kinds_have_is_kept_and_the_rest_goes_with_the_old():
    document = Document.open(CS1)
    assert document.exchange("rig.specimen", "standard-linear-solid") == ""
    assert document.table["rig"]["specimen"]["k"] == "2250 N/m"
    assert document.exchange("rig.actuator", "first-order-lag") == ""
    assert "delay" not in document.table["rig"]["actuator"]


def test_a_compensator_starts_with_the_delay_of_the_rig():
    document = Document.open(CS1)
    assert document.exchange("compensator", "forward-prediction") == ""
    assert document.table["compensator"] == {"kind": "forward-prediction", "delay": "3 ms"}
    assert float(document.test.compensator.delay) == pytest.approx(3e-3, rel=1e-12)


def test_a_kind_that_does_not_fit_is_refused_in_words_and_nothing_has_changed():
    document = Document.open(CS1)
    fault = document.exchange("rig.actuator", "hexapod-robot")
    assert "six axes" in fault
    assert 'no kind "springg"' in document.exchange("rig.specimen", "springg")
    assert document.text == document.original


def test_every_compensator_that_is_offered_can_be_taken_or_says_what_it_lacks():
    document = Document.open(CS1)
    for choice in document.choices("compensator"):
        fault = document.exchange("compensator", choice.kind)
        assert document.fault == ""
        if fault:
            assert "is missing" in fault
        else:
            assert document.table["compensator"]["kind"] == choice.kind
