"""Design in four steps: decisions, choices of the user, errors."""

import dataclasses
import json

import numpy as np
import pytest

import dovetail as dv
from dovetail.assess import DesignOptions, design
from dovetail.assess.design import STEPS, _choose, accept_proposal
from dovetail.assess.identify import sweep
from dovetail.assess.margins import later
from dovetail.compensation import AdaptiveForwardPrediction, ForwardPrediction
from dovetail.core.errors import AnalysisError, ParameterError, TestFileError, UnknownNameError
from dovetail.core.recording import Recording
from dovetail.testing.motion_peaks import MotionPeaks


@pytest.fixture(scope="module")
def light(cs1):
    """CS1 with light damping (critical delay 1.33 ms) on an actuator with a delay of 9.4 ms."""
    messages = []
    # 1 ms of margin: ten times a tenth of a tick
    made = design(cs1(c=3.0), DesignOptions(safety_factor=10.0), report=messages.append)
    return made, messages


def test_every_step_is_done_and_reported(light):
    made, messages = light
    assert [text.split(":")[0] for text in messages] == list(STEPS)
    assert list(made.decisions) == list(STEPS)
    assert all(made.decisions[step] for step in STEPS)


def test_an_actuator_with_delay_gets_a_go_with_margin(light):
    made, _ = light
    assert not made.stability.stable  # as it was given
    assert made.go
    assert made.assessment.margin >= made.required
    assert made.verification.accuracy < 0.1
    assert isinstance(made.test.compensator, ForwardPrediction)
    assert float(made.test.compensator.delay) > 9.4e-3  # light damping wants more than the delay predicted
    text = str(made)
    assert "nominal model: gain and delay" in text
    assert "option: over-compensation" in text
    assert text.endswith("GO: all checks passed.")


def test_the_margin_of_a_go_holds(light):
    """As in tests/judge/test_design.py, with random nonlinear tests."""
    made, _ = light
    for share, stays in ((0.98, True), (1.3, False)):
        late = later(made.test, share * made.assessment.margin, 0.1)
        z = dataclasses.replace(late, duration=20.0).rehearse().data.displacement.values
        assert (np.abs(z).max() < 3 * made.motion.peak) == stays


def test_the_designed_test_can_be_written_and_read(light):
    made, _ = light
    again = dv.testing.parse(json.loads(json.dumps(dv.testing.dump(made.test))))
    assert float(again.compensator.delay) == float(made.test.compensator.delay)


def test_the_user_decides_otherwise(cs1):
    proposals = {}

    def choose(fork, proposal, options):
        proposals[fork] = (proposal, tuple(options))
        return "adaptive-forward-prediction" if fork == "compensator" else proposal

    made = design(cs1(), DesignOptions(max_frequency=8.0, model_order=0), choose=choose)
    assert proposals["compensator"][0] == "forward-prediction"
    assert "inverse" in proposals["compensator"][1]
    assert isinstance(made.test.compensator, AdaptiveForwardPrediction)
    assert "8 Hz (chosen by the user)" in str(made)


def test_a_choice_that_leaves_the_loop_unstable_is_a_no_go(lost):
    assert not lost.go
    assert "sampled loop" in lost.verdict
    assert "chosen by the user, although the margin is too small" in str(lost)


def test_an_unknown_choice_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match='no compensator "magic"; known: inverse, none'):
        _choose("compensator", "magic", lambda: "none", {"none": "", "inverse": ""}, accept_proposal)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"max_error": 0.0}, "above 0"),
        ({"safety_factor": 0.5}, "at least 1"),
        ({"predictor_order": 2}, "order and window belong together"),
    ],
)
def test_invalid_options_are_rejected(options, text):
    with pytest.raises(ParameterError, match=text):
        DesignOptions(**options)


def test_a_test_without_motion_cannot_be_designed(cs1):
    with pytest.raises(AnalysisError, match="needs motion"):
        design(cs1(excitation=dv.Zero()))


def test_an_unstable_inner_loop_is_reported_first(cs1):
    plant = dv.transfer.TransferFunction([5700.0], [1.0, 62.26, 31.61, 0.0])
    loop = dv.transfer.InnerLoop(dv.transfer.Proportional(1.0), plant)
    with pytest.raises(TestFileError, match="rig   InnerLoop: axis 0 is unstable"):
        design(cs1(loop))


def test_a_recording_replaces_the_rig_of_the_file_in_verdicts_and_in_the_test_that_is_written(cs1):
    """The file says 5 ms, the recording 21.5 ms: what is designed is for 21.5 ms, and verified there."""
    given, true = cs1(dv.transfer.Delay(5e-3), c=30.0), cs1(dv.transfer.Delay(21.5e-3), c=30.0)
    needed = MotionPeaks.from_recording(true.reference().recording)
    data, _ = sweep(true, low=0.6, high=12.0, needed=needed)
    recorded = dataclasses.replace(given.rehearse(), recording=Recording.from_dataset(data))
    made = design(given, DesignOptions(model_order=0, robustness="none"), recording=recorded)
    assert made.stability.rig_delay == pytest.approx(21.5e-3, abs=0.1e-3)
    assert not made.stability.stable  # 5 ms would be
    again = dv.testing.parse(json.loads(json.dumps(dv.testing.dump(made.test))))
    assert float(again.rig.actuator.linear().low_frequency_delay) == pytest.approx(21.5e-3, abs=0.1e-3)
    assert "actuator: identified from the recording" in str(made)
    late = made.verification.run.data
    lag = dv.fidelity.delay_at(late, 3.0, demand="command", measured="measured_displacement")
    assert lag == pytest.approx(21.5e-3, abs=0.2e-3)
