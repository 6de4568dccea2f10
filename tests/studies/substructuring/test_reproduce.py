"""What Wallace's thesis prints of CS1's stability is reached, each target within its own tolerance."""

import pytest

from dovetail.studies.reproduction import judge, targets

TARGETS = [target for target in targets("substructuring") if target.compute.startswith("reproduce:")]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.id)
def test_a_published_result_is_reached(target):
    result = judge(target)
    assert result.status == "met", result.record()
