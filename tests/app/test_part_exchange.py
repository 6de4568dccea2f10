"""A replaced part has its required values."""

import pytest

from dovetail.app import Document

CS1 = "substructuring/cs1"


def test_exchanging_a_kind_keeps_common_parameters_only():
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


def test_an_unsuitable_kind_is_rejected_without_change():
    document = Document.open(CS1)
    fault = document.exchange("rig.actuator", "hexapod-robot")
    assert "six axes" in fault
    assert 'no kind "springg"' in document.exchange("rig.specimen", "springg")
    assert document.text == document.original


def test_every_offered_compensator_is_usable_or_states_what_is_missing():
    document = Document.open(CS1)
    for choice in document.choices("compensator"):
        fault = document.exchange("compensator", choice.kind)
        assert document.fault == ""
        if fault:
            assert "is missing" in fault
        else:
            assert document.table["compensator"]["kind"] == choice.kind


def test_elements_are_added_to_a_series_and_removed():
    document = Document.open("refuelling/full-scale")  # its actuator is ideal: a series without elements
    for kind in ("delay", "first-order-lag"):
        assert document.add_element("rig.actuator", kind) == ""
    assert [part["kind"] for part in document.table["rig"]["actuator"]["parts"]] == [
        "delay",
        "first-order-lag",
    ]
    assert document.set("rig.actuator.parts[0].delay", "4 ms") == ""
    assert float(document.test.rig.actuator.parts[0].delay) == pytest.approx(4e-3)
    assert document.remove("rig.actuator.parts[0]") == ""
    assert [part["kind"] for part in document.table["rig"]["actuator"]["parts"]] == ["first-order-lag"]
    assert document.remove("rig.actuator.parts[0]") == ""
    assert document.table["rig"]["actuator"]["parts"] == []
