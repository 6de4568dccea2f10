"""Parameters that change during a run."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import TestFileError


def test_a_ramp_is_constant_outside_and_straight_inside():
    ramp = dv.Ramp(start=1.0, end=3.0, initial=0.0, final=1.0)
    np.testing.assert_allclose([ramp(t) for t in (0.0, 1.0, 1.5, 3.0, 9.0)], [0.0, 0.0, 0.25, 1.0, 1.0])


def test_a_switch_switches():
    switch = dv.Switch(start=1.0, initial=5.0, final=7.0)
    np.testing.assert_allclose([switch(t) for t in (0.0, 0.999, 1.0, 2.0)], [5.0, 5.0, 7.0, 7.0])


def test_any_parameter_can_change_during_a_run(make_cs1):
    """With the specimen's stiffness switched to zero the force vanishes from that tick on."""
    test = make_cs1(
        duration=1.0, schedule={"rig.specimen.k": dv.Switch(start=0.5, initial=2250.0, final=0.0)}
    )
    data = test.rehearse().data
    assert float(abs(data.measured_force.sel(time=slice(0, 0.499))).max()) > 1.0
    assert float(abs(data.measured_force.sel(time=slice(0.5, None))).max()) == 0.0


def test_switching_from_the_emulated_to_the_measured_force(make_cs1):
    """A run that is unstable on the measured force is calm until the switch and grows after it."""
    blended = dv.compensation.BlendedForce(model=dv.specimens.Spring(k=2250.0), measured_fraction=0.0)
    test = make_cs1(
        delay=9.4e-3,
        duration=6.0,
        feedback=blended,
        schedule={"feedback.measured_fraction": dv.Switch(start=3.0, initial=0.0, final=1.0)},
    )
    data = test.rehearse().data
    before = float(abs(data.displacement.sel(time=slice(2.0, 3.0))).max())
    after = float(abs(data.displacement.sel(time=slice(5.0, 6.0))).max())
    assert after > 2.0 * before
    np.testing.assert_allclose(data.measured_fraction.sel(time=[2.9, 3.1], method="nearest"), [0.0, 1.0])


def test_a_schedule_of_an_unknown_parameter_is_a_fault(make_cs1):
    test = make_cs1(schedule={"rig.specimen.stiffness": dv.Switch(start=1.0, initial=0.0, final=1.0)})
    with pytest.raises(TestFileError, match=r"schedule\.rig\.specimen\.stiffness .*known: c, k"):
        test.rehearse()
