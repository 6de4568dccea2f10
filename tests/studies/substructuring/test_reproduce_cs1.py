"""What Wallace's thesis shows of CS1 in time comes out as its targets say."""

import numpy as np
import pytest

from dovetail.studies.substructuring import reproduce_cs1
from dovetail.studies.targets import load_targets

SLOW = {
    "R14",
    "R14-loop",
    "R16",
    "R27",
    "R28",
    "R29",
    "R30",
    "R30-growth",
    "R31",
}  # several runs, compiled each
TARGETS = [
    pytest.param(target, id=target.id, marks=[pytest.mark.slow] if target.id in SLOW else [])
    for target in load_targets("substructuring")
    if target.compute.startswith("reproduce_cs1:")
]


@pytest.mark.parametrize("target", TARGETS)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)


def test_a_shipped_test_accepts_other_values():
    test = reproduce_cs1.ready("cs1", {"rig.actuator.delay": 7e-3})
    assert float(test.rig.actuator.delay) == 7e-3


def test_spectra_of_a_batch_have_a_peak_at_the_wall_frequency():
    found = reproduce_cs1.spectra(np.array([2e-3, 4e-3]), duration=5.0)
    strongest = found["frequency"].values[found.argmax("frequency")]
    np.testing.assert_allclose(strongest, 3.0, atol=0.1)  # a line every 0.2 Hz
    # at 3 Hz the structure answers with 0.608 of the wall's 12 mm; a delay of 4 ms adds 2 %
    np.testing.assert_allclose(found.max("frequency"), 0.608 * 0.012, rtol=0.05)
