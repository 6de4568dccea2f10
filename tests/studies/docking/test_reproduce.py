"""Contact laws and the testbed on paper: every target of `reproduce` comes out as its row says."""

import pytest

from dovetail.studies.targets import load_targets

TARGETS = [t for t in load_targets("docking") if t.compute.startswith("reproduce:")]


SLOW = {"RT-04c"}  # whole runs


@pytest.mark.parametrize(
    "target", [pytest.param(t, id=t.id, marks=[pytest.mark.slow] if t.id in SLOW else []) for t in TARGETS]
)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)
