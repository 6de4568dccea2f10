"""Whole ticks, and names of axes."""

import numpy as np
import pytest

from dovetail.links import rig_protocol
from dovetail.testing.tick_grid import MAX_AXES, axis_faults, computing_faults, length_faults


def test_whole_numbers_of_ticks_pass_despite_rounding():
    rng = np.random.default_rng(3)
    for rate, ticks in zip(10 ** rng.uniform(0, 5, 200), rng.integers(1, 10**7, 200), strict=True):
        assert length_faults(float(ticks / rate), float(rate)) == []
        cut = length_faults(float((ticks + rng.uniform(0.01, 0.99)) / rate), float(rate))
        assert len(cut) == 1


def test_a_duration_between_ticks_is_rejected_with_its_neighbours():
    for value in ("500.5 ticks", "0.001 s", "0.5 s or 0.501 s"):
        assert value in length_faults(0.5005, 1000.0)[0].text
    assert "is shorter than one tick" in length_faults(0.0007, 1000.0)[0].text
    assert length_faults(3.0, 333.3333) == []  # a rate in few digits


@pytest.mark.parametrize(
    ("axes", "shape", "text"),
    [
        (("x", "y"), (), "has 2 names (x, y); the interface has one axis"),
        (("x",), (2,), "has 1 names (x); the interface has 2 axes"),
        (("x", "y", "x"), (3,), '"x" is the name of two axes; give each axis a unique name'),
    ],
)
def test_wrong_axis_names_are_rejected(axes, shape, text):
    assert axis_faults(axes, shape)[0].text == text


def test_valid_axis_names_pass():
    assert axis_faults((), (2,)) == axis_faults(("x",), ()) == axis_faults(("x", "y"), (2,)) == []


def test_more_axes_than_a_datagram_holds_are_rejected_in_a_short_message():
    assert axis_faults((), (MAX_AXES,)) == []
    fault = axis_faults(tuple(f"a{i}" for i in range(1000)), (1000,))[0]
    assert fault.text == f"the interface has 1000 axes; at most {MAX_AXES} are possible"
    assert MAX_AXES == rig_protocol.MAX_VALUES


@pytest.mark.parametrize(
    ("ticks", "substeps", "text"),
    [
        (10**12, 1, "duration: 1e+12 ticks of 1 integration steps take at least 11.7 days to compute"),
        (10_000, 3 * 10**11, "substeps: 1e+04 ticks of 3e+11 integration steps take at least 347 days"),
    ],
)
def test_a_run_of_more_than_a_week_is_rejected_with_its_computing_time(ticks, substeps, text):
    fault = computing_faults(ticks, substeps)[0]
    assert f"{fault.path}: {fault.text}".startswith(text)
    assert computing_faults(ticks // 100, max(substeps // 100, 1)) == []
