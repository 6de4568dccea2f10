"""The hybrid tests run by their files, and what they need of a rig is as targeted."""

import numpy as np
import pytest

from dovetail.studies.registry import find_test
from dovetail.studies.targets import compute_target, load_targets
from dovetail.testing import load

TARGETS = [t for t in load_targets("shipboard") if t.compute.startswith("hybrid:")]


@pytest.mark.slow
def test_both_substructures_of_a_file_start_at_the_same_height():
    for name in ("hybrid-drop", "hybrid-secured"):
        test = load(find_test(f"shipboard/{name}"))
        gear = test.rig.specimen
        standing = gear.body.init()["body"].p  # where its springs carry its weight
        wanted = standing + np.array([0.0, 0.0, float(gear.height)])
        np.testing.assert_allclose(
            test.numerical.position, wanted, atol=1e-4
        )  # files say tenths of a millimetre


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.id)
def test_target_is_met(target):
    result = compute_target(target)
    assert result.status == "met", result.record()
