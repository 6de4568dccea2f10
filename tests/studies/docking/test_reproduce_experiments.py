"""The twelve impacts of the testbed: every target of `reproduce_experiments` comes out as its row says."""

import numpy as np
import pytest

from dovetail.studies.docking.impact_qualification import needed_stroke
from dovetail.studies.targets import load_targets

TARGETS = [t for t in load_targets("docking") if t.compute.startswith("reproduce_experiments:")]


SLOW = {"RT-46", "RT-46b", "RT-50"}  # whole runs


@pytest.mark.parametrize(
    "target", [pytest.param(t, id=t.id, marks=[pytest.mark.slow] if t.id in SLOW else []) for t in TARGETS]
)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)


def test_a_force_beyond_the_blocking_force_never_qualifies():
    reach = needed_stroke(np.array([100e-6, 100e-6]), np.array([4000.0, 9000.0]), 8000.0)
    np.testing.assert_allclose(reach, [200e-6, np.inf])
