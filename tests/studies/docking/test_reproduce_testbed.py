"""The piezo testbed: every target of `reproduce_testbed` comes out as its row says."""

import pytest

from dovetail.studies.targets import load_targets

TARGETS = [t for t in load_targets("docking") if t.compute.startswith("reproduce_testbed:")]


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.id)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)
