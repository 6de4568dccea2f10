"""Contact laws and the testbed on paper: every target of `reproduce` is met."""

import pytest

from dovetail.studies.reproduction import judge, targets

TARGETS = [t for t in targets("docking") if t.compute.startswith("reproduce:")]


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.id)
def test_target_is_met(target):
    result = judge(target)
    assert result.status == "met", result.record()
