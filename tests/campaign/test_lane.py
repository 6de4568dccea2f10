"""One run in a batch records what the run alone records, up to where it met a limit."""

import numpy as np
import pytest

import dovetail as dv
from dovetail import testing
from dovetail.campaign.lane import reference_lane, simulate_lane
from dovetail.testing import Outcome, modes

OSCILLATOR = {"m": 2.0, "c": 1.0, "k": 200.0}


def hybrid(**more):
    return testing.Test(
        dv.mechanics.Oscillator(**OSCILLATOR),
        dv.Rig(actuator=dv.transfer.Delay(2e-3), specimen=dv.specimens.Spring(k=100.0)),
        excitation=dv.Sine(amplitude=0.01, frequency=1.0),
        duration=0.5,
        **more,
    )


def alone(**more):
    return dv.Test(
        dv.mechanics.Oscillator(**OSCILLATOR),
        excitation=dv.Sine(amplitude=0.01, frequency=1.0),
        rate=100.0,
        duration=0.5,
        **more,
    )


@pytest.mark.parametrize("build", [hybrid, alone])
def test_records_are_those_of_the_run_up_to_its_end(build):
    test = build(limits=dv.Limits(displacement=5e-3))
    run = modes.run(test, modes.all_modes()[test.default_mode]())
    assert run.outcome is Outcome.DISPLACEMENT
    records, code, tick = simulate_lane(test.prepare())
    assert Outcome.from_code(code) is run.outcome
    assert int(tick) == run.data.sizes["time"] - 1
    valid = np.asarray(records["displacement"])[np.asarray(records["valid"])]
    np.testing.assert_allclose(valid, run.data.displacement.values[1:], rtol=1e-12, atol=1e-18)


def test_the_reference_of_a_lane_is_the_reference_solution():
    test = hybrid()
    records, reference = reference_lane(test), test.reference().data
    np.testing.assert_allclose(
        records["displacement"], reference.displacement.values[1:], rtol=1e-12, atol=1e-18
    )
    assert bool(np.all(records["valid"]))
