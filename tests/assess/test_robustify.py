"""Measures against uncertainty: the weakest that suffices, what each costs, and where none applies."""

import dataclasses
import math

import numpy as np
import pytest

import dovetail as dv
from dovetail.assess.robustify import (
    RobustnessOption,
    further,
    propose,
    required_margin,
    robustness_options,
)
from dovetail.assess.test_motion import spectrum
from dovetail.compensation import AdaptiveForwardPrediction, Cascade, ForwardPrediction, SecondOrderInverse
from dovetail.core.errors import AnalysisError
from dovetail.transfer import LinearTransfer

MOTION = spectrum(3e-3 * np.sin(2 * np.pi * 3.0 * 1e-3 * np.arange(3000)), 1e-3)
MODELS = (LinearTransfer([1.0], [1.0], 9.4e-3),)


def test_the_requirement_is_the_uncertainty_with_its_safety():
    assert required_margin(0.3e-3, 1e-3, 2.0) == pytest.approx(0.6e-3)
    assert required_margin(0.01e-3, 1e-3, 2.0) == pytest.approx(0.2e-3)  # a record resolves a tenth of a tick


def test_light_damping_is_helped_by_predicting_further(cs1):
    test = cs1(c=3.0, compensator=ForwardPrediction(9.4e-3, order=2, window=10))
    required = 2e-3
    assert test.stability().margin < required
    found = {m.name: m for m in robustness_options(test, MODELS, MOTION, required=required, crossover=7.19)}
    assert found["over-compensation"].test is not None
    assert found["over-compensation"].test.stability().margin >= required
    # every other one works too, and blending, which hides, is not proposed
    assert all(m.test is not None for m in found.values())
    assert propose(list(found.values())) == "over-compensation"
    assert found["phase-advance"].cost > found["over-compensation"].cost
    assert "hides part of the specimen" in str(found["blending"])


def test_a_lead_is_added_to_whatever_predicts():
    assert float(further(ForwardPrediction(9e-3), 1e-3).delay) == pytest.approx(10e-3)
    learning = further(AdaptiveForwardPrediction(9e-3), 1e-3)
    assert float(learning.delay) == pytest.approx(10e-3)
    assert float(learning.target_lead) == pytest.approx(1e-3)
    inverse = SecondOrderInverse.from_omega(omega=235.0, damping=0.7)
    chain = further(Cascade((inverse, ForwardPrediction(3e-3))), 1e-3)
    assert float(chain.parts[1].delay) == pytest.approx(4e-3)
    assert float(further(inverse, 1e-3).parts[1].delay) == pytest.approx(1e-3)


def test_a_measure_that_does_not_apply_states_the_reason(cs1):
    rig = dv.Rig(dv.transfer.Delay(1e-3), dv.specimens.Storey(mass=0.2, stiffness=2250.0))
    blended = dv.compensation.BlendedForce(model=dv.specimens.Spring(k=2250.0), measured_fraction=0.5)
    test = dataclasses.replace(cs1(rig=rig), feedback=blended)
    found = {m.name: m for m in robustness_options(test, MODELS, MOTION, required=1e-3, crossover=math.nan)}
    assert "can destabilise" in str(found["over-compensation"])
    assert "frequency of the instability is not determined" in str(found["phase-advance"])
    assert "already" not in str(found["blending"])


def test_a_test_with_a_ramp_of_the_measured_force_ends_the_ramp_earlier(cs1):
    path = "feedback.measured_fraction"
    ramp = dv.Ramp(start=0.5, end=1.0, initial=0.0, final=1.0)
    blended = dv.compensation.BlendedForce(model=dv.specimens.Spring(k=2250.0), measured_fraction=0.0)
    test = cs1(dv.transfer.Delay(7e-3), feedback=blended, schedule={path: ramp})
    assert test.stability().margin < 1e-3
    found = {m.name: m for m in robustness_options(test, MODELS, MOTION, required=1e-3, crossover=math.nan)}
    less = found["blending"]
    assert less.test is not None
    assert float(less.test.schedule[path].final) == less.strength < 1.0
    assert less.test.stability().margin >= 1e-3


def test_if_no_measure_suffices_the_reasons_are_reported():
    lost = [RobustnessOption("damping", math.nan, None, math.nan, "even 3 does not suffice")]
    with pytest.raises(
        AnalysisError,
        match="no robustness option reaches the required margin.* damping: not possible: even 3",
    ):
        propose(lost)
