"""The piezo testbed: every target of `reproduce_testbed` is met."""

import pytest

from dovetail.studies.reproduction import judge, targets

TARGETS = [t for t in targets("docking") if t.compute.startswith("reproduce_testbed:")]


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.id)
def test_target_is_met(target):
    result = judge(target)
    assert result.status == "met", result.record()
