"""The hybrid tests run by their files, and what they need of a rig is as targeted."""

import numpy as np
import pytest

from dovetail.studies.registry import find_test
from dovetail.studies.reproduction import judge, targets
from dovetail.testing import load

TARGETS = [t for t in targets("shipboard") if t.compute.startswith("hybrid:")]


def test_both_files_hold_the_same_body_on_both_sides():
    for name in ("hybrid-drop", "hybrid-secured"):
        test = load(find_test(f"shipboard/{name}"))
        assert float(test.numerical.height) == float(test.rig.specimen.height)
        np.testing.assert_array_equal(test.numerical.body.feet, test.rig.specimen.body.feet)
        assert float(test.numerical.body.secured) == float(test.rig.specimen.body.secured)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.id)
def test_target_is_met(target):
    result = judge(target)
    assert result.status == "met", result.record()
