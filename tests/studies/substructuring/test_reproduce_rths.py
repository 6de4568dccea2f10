"""The benchmark's plant is the published one, and our best compensator reaches its goals on it."""

import pytest

from dovetail.studies.targets import load_targets

SLOW = {"B03", "B04", "B05", "B06"}  # eighty-four runs
TARGETS = [
    pytest.param(target, id=target.id, marks=[pytest.mark.slow] if target.id in SLOW else [])
    for target in load_targets("substructuring")
    if target.compute.startswith("reproduce_rths:")
]


@pytest.mark.parametrize("target", TARGETS)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)
