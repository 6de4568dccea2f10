"""Targets of `reproduce_rotor` are met."""

import pytest

from dovetail.studies.targets import compute_target, load_targets

TARGETS = [t for t in load_targets("shipboard") if t.compute.startswith("reproduce_rotor:")]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.id)
def test_target_is_met(target):
    result = compute_target(target)
    assert result.status == "met", result.record()
