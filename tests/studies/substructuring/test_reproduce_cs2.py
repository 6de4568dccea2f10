"""What Wallace's thesis shows of CS2 comes out as its targets say."""

import numpy as np
import pytest

from dovetail.studies.substructuring import reproduce_cs2
from dovetail.studies.substructuring.reproduce_cs1 import ready
from dovetail.studies.targets import load_targets

FAST = {"R12", "R13", "R20", "R41"}  # the others are runs that are compiled each
EQUAL_LIMIT = ready("cs2").stability(quick=True).critical_delay  # [s] of both actuators
TARGETS = [
    pytest.param(target, id=target.id, marks=[] if target.id in FAST else [pytest.mark.slow])
    for target in load_targets("substructuring")
    if target.compute.startswith("reproduce_cs2:")
    or target.measure.get("run", {}).get("test", "").startswith("cs2")
]


@pytest.mark.parametrize("target", TARGETS)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)


def test_equal_delays_on_the_unequal_map_are_the_critical_delay():
    equation = reproduce_cs2.unequal("cs2")
    assert equation(0.999 * EQUAL_LIMIT, 0.999 * EQUAL_LIMIT).stable()
    assert not equation(1.001 * EQUAL_LIMIT, 1.001 * EQUAL_LIMIT).stable()


def test_a_delayed_actuator_can_be_balanced_by_an_advanced_one():
    """The limits of both together are nearly constant: passing one's own limit is not by itself fatal."""
    moderate = np.array(reproduce_cs2.unequal_delay_limits()[0])
    limited = moderate > 0
    together = moderate[limited] + np.array(reproduce_cs2.SECOND_DELAYS)[limited]
    np.testing.assert_allclose(together, 2 * EQUAL_LIMIT, rtol=0.025)
