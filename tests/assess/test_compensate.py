"""Compensator candidates: built from the model, evaluated by error and poles, listed with a reason if impossible."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dv
from dovetail.assess.compensate import (
    Candidate,
    Predictor,
    _bend,
    _inverses,
    candidates,
    confirmed,
    propose,
    tracking_error,
)
from dovetail.assess.identify import Identification, IdentifiedAxis
from dovetail.assess.test_motion import spectrum
from dovetail.compensation import Cascade, ForwardPrediction, SecondOrderInverse, make_inverse
from dovetail.core.errors import AnalysisError
from dovetail.transfer import LinearTransfer

T = 1e-3 * np.arange(3000)
MOTION = spectrum(9e-3 * np.sin(2 * np.pi * 3.0 * T), 1e-3)


def identified(*models: LinearTransfer) -> Identification:
    """Return an identification with these models."""
    axes = tuple(IdentifiedAxis(m, len(m.denominator) - 1, 0.0, 0.0, 1e-5, None) for m in models)
    return Identification(axes, 0.6, 12.0, 0.01, None, "sweep")


LATE = identified(LinearTransfer([1.0], [1.0], 9.4e-3))


def by_name(found: list[Candidate]) -> dict[str, Candidate]:
    return {candidate.name: candidate for candidate in found}


def test_the_spectrum_has_the_frequency_and_peak_of_the_motion():
    assert MOTION.highest == pytest.approx(3.0, abs=0.7)  # a window of 3 s resolves 0.33 Hz
    assert MOTION.peak == pytest.approx(9e-3)
    with pytest.raises(AnalysisError, match="needs motion"):
        spectrum(np.zeros(100), 1e-3)


def test_without_compensation_the_error_is_the_phase_of_the_delay():
    error = tracking_error(dv.compensation.NoCompensation(), LATE.models, MOTION, 1e-3)
    assert error == pytest.approx(2 * np.sin(np.pi * 3.0 * 9.4e-3), rel=0.02)


def test_prediction_is_proposed_for_a_pure_delay(cs1):
    found = candidates(cs1(), LATE, MOTION, frequency=10.0, tolerance=0.05)
    named = by_name(found)
    assert named["none"].growth > 0 > named["forward-prediction"].growth
    assert propose(found, uncertain=1e-4, tolerance=0.1) == "forward-prediction"
    assert named["forward-prediction"].error < 0.01 < named["none"].error
    # with a delay that may drift, one that learns
    assert propose(found, uncertain=0.2, tolerance=0.1).startswith("adaptive")


def test_a_lag_is_inverted(cs1):
    lag = LinearTransfer([3600.0], [1.0, 72.0, 3600.0])  # 20 ms at low frequency
    test = cs1(dv.transfer.SecondOrderLag(omega=60.0, damping=0.6))
    named = by_name(candidates(test, identified(lag), MOTION, frequency=10.0, tolerance=0.05))
    assert named["inverse"].usable
    assert named["inverse"].error < 1e-9


def test_a_zero_in_the_right_half_plane_is_replaced_by_its_delay_with_a_remark(cs1):
    model = LinearTransfer([-180.9, 5.651e4], [1.0, 321.8, 5.54e4])
    named = by_name(candidates(cs1(), identified(model), MOTION, frequency=10.0, tolerance=0.05))
    assert "in the right half-plane: its exact inverse is unstable" in named["inverse"].summary
    with pytest.raises(AnalysisError, match="right half-plane"):
        make_inverse(model)


def test_a_horizon_beyond_the_usable_range_is_rejected_with_the_reason(cs1):
    slow = identified(LinearTransfer([1.0], [1.0], 0.2))
    slow_prediction = by_name(candidates(cs1(), slow, MOTION, frequency=30.0, tolerance=0.01))[
        "forward-prediction"
    ]
    assert slow_prediction.test is None
    assert "no order up to 8 predicts 200 samples" in slow_prediction.summary


def test_a_chosen_predictor_is_limited_to_its_range(cs1):
    named = by_name(
        candidates(cs1(), LATE, MOTION, frequency=60.0, tolerance=0.05, predictor=Predictor(1, 4))
    )
    assert "beyond the usable range" in named["forward-prediction"].summary


def test_a_window_longer_than_the_recording_is_rejected(cs1):
    short = cs1(duration=0.02)
    named = by_name(candidates(short, LATE, MOTION, frequency=5.0, tolerance=0.2, predictor=Predictor(2, 30)))
    assert "longer than the recording of 20" in named["forward-prediction"].summary


def test_the_compensator_of_the_file_is_a_candidate(cs1):
    test = cs1(compensator=ForwardPrediction(9.4e-3))
    keep = by_name(candidates(test, LATE, MOTION, frequency=10.0, tolerance=0.05))["keep"]
    assert keep.usable
    assert "ForwardPrediction" in keep.summary


def test_two_actuators_have_their_own_inverses():
    models = (
        LinearTransfer([2.0 * 3600.0], [1.0, 72.0, 3600.0], 2e-3),
        LinearTransfer([6400.0], [1.0, 96.0, 6400.0], 1e-3),
    )
    built = _inverses(models, 2, 8)
    assert isinstance(built, Cascade)
    assert isinstance(built.parts[0], SecondOrderInverse)
    both = spectrum(np.stack([np.sin(2 * np.pi * 3 * T)] * 2, axis=1), 1e-3)
    assert tracking_error(built, models, both, 1e-3) < 1e-3
    with pytest.raises(AnalysisError, match="all of first or all of second order"):
        _inverses((models[0], LinearTransfer([1.0], [1.0], 1e-3)), 2, 8)


def test_the_second_coefficient_of_an_inverse_is_found():
    assert _bend(LinearTransfer([1.0], [0.25, 0.3, 1.0])) == pytest.approx(0.25, rel=1e-4)
    assert _bend(LinearTransfer([1.0], [1.0], 0.02)) == pytest.approx(0.02**2 / 2, rel=1e-4)


def test_an_undamped_loop_gets_no_proposal(cs1):
    lost = [Candidate("none", cs1(), 0.1, 2.0, False, 1.0, "")]
    with pytest.raises(AnalysisError, match=r"no compensator stabilises this loop: none: .* UNSTABLE"):
        propose(lost, uncertain=0.0, tolerance=0.1)


def test_a_candidate_without_error_is_ranked_last(cs1):
    known = Candidate("inverse", cs1(), 0.02, -1.0, True, 1.0, "")
    unknown = Candidate("keep", cs1(), math.nan, -1.0, True, 1.0, "")
    assert propose([unknown, known], uncertain=0.0, tolerance=0.1) == "inverse"
    assert propose([unknown], uncertain=0.0, tolerance=0.1) == "keep"


def test_a_proposal_is_rehearsed_where_the_poles_do_not_decide_and_replaced_if_it_is_unstable():
    late, early = (
        SimpleNamespace(stability=lambda stable=stable: SimpleNamespace(stable=stable))
        for stable in (False, True)
    )
    considered = [
        Candidate("none", late, 0.1, -1.0, True, 1.0, "", rehearsed=False),
        Candidate("inverse", early, 0.2, -1.0, True, 1.0, "", rehearsed=False),
    ]
    name, seen = confirmed(considered, lambda those: next(c.name for c in those if c.usable))
    assert name == "inverse"
    assert [c.stable for c in seen] == [False, True]
    assert "rehearsal UNSTABLE" in seen[0].summary
