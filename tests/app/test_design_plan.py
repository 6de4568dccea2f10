"""Decisions of a design are applied to the open test, and nothing else changes."""

import pytest
import tomli_w

from dovetail.app import Document
from dovetail.app.design_plan import apply_plan
from dovetail.testing import dump

CS1 = "substructuring/cs1"


@pytest.fixture
def planned(tmp_path):
    """The plan of a design that predicts, and has more damping in the simulated part."""
    document = Document.open(CS1)
    assert document.exchange("compensator", "forward-prediction") == ""
    assert document.set("numerical.c", "21 N s/m") == ""
    assert document.set("rig.actuator.delay", "4 ms") == ""  # which no design decides
    (tmp_path / "test.toml").write_text(tomli_w.dumps(dump(document.test)), "utf-8")
    return document


def test_applying_a_plan_changes_compensator_and_damping_but_not_the_rig(planned, tmp_path):
    document = Document.open(CS1)
    assert apply_plan(document, tmp_path) == ""
    ours, theirs = dump(document.test), dump(planned.test)
    assert ours["compensator"] == theirs["compensator"]
    assert ours["numerical"] == theirs["numerical"]
    assert ours["rig"] == dump(Document.open(CS1).test)["rig"]
    assert "numerical.c=21.0" in (document.settings() or [])  # one value of the part, not all
    before = document.text
    assert apply_plan(document, tmp_path) == ""  # once more: it is so already
    assert document.text == before
    assert document.undo()
    assert document.difference() == ""


def test_a_plan_of_another_test_and_a_missing_plan_are_rejected(planned, tmp_path):
    other = Document.open("substructuring/rths-benchmark")
    assert "another test" in apply_plan(other, tmp_path)
    assert other.difference() == ""
    assert "cannot be read" in apply_plan(other, tmp_path / "nothing")
