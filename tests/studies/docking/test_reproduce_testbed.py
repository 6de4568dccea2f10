"""The piezo testbed: every target of `reproduce_testbed` comes out as its row says."""

import pytest

from dovetail.studies.targets import load_targets

TARGETS = [t for t in load_targets("docking") if t.compute.startswith("reproduce_testbed:")]


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.id)
def test_target_comes_out_as_its_row_says(target, as_said):
    as_said(target)
