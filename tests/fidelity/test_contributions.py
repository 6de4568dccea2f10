"""Which part of a rig spoils a test how much."""

import dataclasses

import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.core.errors import AnalysisError
from dovetail.fidelity import contributions
from dovetail.testing import RecordedRig
from dovetail.transfer import Bias, Delay, Series


@pytest.fixture(scope="module")
def test_of():
    def make(**rig):
        parts = {"actuator": Series((Delay(2e-3),)), "specimen": dv.specimens.Spring(k=2250.0)} | rig
        return dv.Test(
            numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
            rig=dv.Rig(**parts),
            excitation=dv.testing.excitation.Sine(amplitude=0.012, frequency=3.0),
            rate=1000.0,
            duration=2.0,
        )

    return make


def test_each_component_is_compared_alone_with_the_reference(test_of):
    told = []
    found = contributions(test_of(sensor=Bias(5.0)), progress=lambda share, what: told.append(what))
    names = [part.component for part in found]
    assert names == [
        "sampling only, ideal rig",
        "actuator: delay",
        "force sensor: bias",
        "complete test",
    ]
    assert told == names
    sampling, delay, bias, together = found
    assert 0 < sampling.e1 < delay.e1  # half a millisecond of hold against two and a half in all
    assert sampling.e2 == 0  # a perfect rig is where it is told to be
    assert bias.e2 == 0  # the sensor of the force moves nothing
    assert bias.e1 > delay.e1  # 5 N on 4500 N/m is 1 mm of 5
    assert together.completed


def test_the_compensator_is_kept_with_the_actuator(test_of):
    predicted = dataclasses.replace(
        test_of(), compensator=dv.compensation.ForwardPrediction(2e-3, order=3, window=8)
    )
    found = contributions(predicted)
    assert [part.component for part in found][1] == "actuator with compensator (forward prediction)"
    assert found[1].e2 < 0.01  # the prediction covers the delay; left alone it would be 2 ms early


def test_a_rig_that_is_not_a_model_has_no_contributions(test_of):
    readings = {name: jnp.zeros(2001) for name in ("measured_displacement", "measured_force")}
    recorded = dataclasses.replace(test_of(), rig=RecordedRig(readings))
    with pytest.raises(AnalysisError, match="simulated rig"):
        contributions(recorded)
