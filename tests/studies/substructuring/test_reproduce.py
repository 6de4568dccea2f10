"""What Wallace's thesis prints of CS1's stability comes out as its targets say."""

import pytest

from dovetail.studies.targets import load_targets

TARGETS = [target for target in load_targets("substructuring") if target.compute.startswith("reproduce:")]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)
