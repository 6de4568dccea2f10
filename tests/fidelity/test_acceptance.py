"""Whether a run came to what its test asks."""

from types import SimpleNamespace

import numpy as np
import pytest

from dovetail.core.errors import UnknownNameError
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.acceptance import Criterion, evaluate_criteria, overall_tone
from dovetail.testing.acceptance import Accept, AcceptedSignal
from dovetail.testing.outcome import Outcome


def compared(e1, e2=0.0, share=0.0):
    return SimpleNamespace(
        rms={"e1": e1, "e2": e2}, peak={"e1": 2 * np.asarray(e1)}, added_energy_fraction=share
    )


def test_criteria_apply_to_every_moving_axis():
    (one,) = evaluate_criteria(
        Accept(response_error=0.05), comparison=compared(np.array([0.01, np.nan, 0.06]))
    )
    assert one.is_satisfied is False
    assert "6 %" in str(one)
    assert "5 %" in str(one)
    (one,) = evaluate_criteria(
        Accept(response_error=0.07), comparison=compared(np.array([0.01, np.nan, 0.06]))
    )
    assert one.is_satisfied is True


def test_a_margin_is_a_lower_bound():
    stability = SimpleNamespace(margin=np.array([3e-3, 2e-3]))
    assert [
        evaluate_criteria(Accept(margin=m), stability=stability)[0].is_satisfied for m in (1e-3, 2.5e-3)
    ] == [
        True,
        False,
    ]


def test_a_missing_result_is_neither_met_nor_missed():
    (one,) = evaluate_criteria(Accept(response_error=0.05))
    assert one.is_satisfied is None
    assert "not determined" in str(one)


def test_without_a_demand_no_criterion_is_evaluated():
    assert evaluate_criteria(None) == []
    assert evaluate_criteria(Accept(), comparison=compared(0.5)) == []


def impact(rebound=0.8, stretch=1.0, n=400):
    """Half-sine contact at 1 m/s from t = 1 s, of 0.1 s, and its rebound."""
    t = np.linspace(0.0, 2.0, n * 20 + 1)
    phase = np.clip((t - 1.0) / (0.1 * stretch), -1.0, 2.0)
    inside = (phase > 0) & (phase < 1)
    apart = np.maximum(-phase, phase - 1.0)
    depth = 0.01 * stretch * np.where(inside, np.sin(np.pi * phase), -np.pi * apart)
    velocity = np.where(phase <= 0.5, 1.0, -rebound)
    force = np.where(inside, 100.0 / stretch * np.sin(np.pi * phase), 0.0)
    names = {"penetration": (depth, "m"), "feedback_force": (force, "N"), "velocity": (velocity, "m/s")}
    signals = {
        name: RecordedSignal(values, ("time",), {"units": unit}) for name, (values, unit) in names.items()
    }
    return Recording(signals, {"time": RecordedSignal(t, ("time",), {"units": "s"})})


def test_an_impact_is_judged_by_its_rebound_force_penetration_and_duration():
    found = {c.quantity: c for c in evaluate_criteria(None, impact(0.96, 1.03), impact())}
    expected = {
        "rebound speed error": 0.2,
        "peak force error": 1 - 1 / 1.03,
        "penetration error": 0.03,
        "contact duration error": 0.03,
    }
    assert {name: c.value for name, c in found.items()} == pytest.approx(expected, abs=2e-3)
    assert found["rebound speed error"].tone == "bad"
    assert found["penetration error"].tone == "good"
    energy = evaluate_criteria(Accept(rebound_energy_error=0.1), impact(0.96), impact())[0]
    assert energy.value == pytest.approx(0.44)


def test_a_contact_that_does_not_happen_or_does_not_end_is_not_accepted():
    none = impact()
    apart = none.with_signals({**none.signals, "penetration": RecordedSignal(-np.ones(8001), ("time",), {})})
    held = impact().between(0.0, 1.05)
    for run in (apart, held):
        assert evaluate_criteria(None, run, impact())[0].value == np.inf
    assert evaluate_criteria(Accept(rebound_speed_error=0.1), impact(), held)[0].is_satisfied is None


def test_a_recorded_signal_can_be_named():
    accept = Accept(signals={"feedback_force": AcceptedSignal(max=90.0, peak_error=0.05)})
    largest, error = evaluate_criteria(accept, impact(stretch=1.1), impact())
    assert (largest.value, largest.is_satisfied) == (pytest.approx(100 / 1.1), False)
    assert str(largest) == "largest feedback force 90.9 N, maximum 90 N"
    assert error.value == pytest.approx(1 - 1 / 1.1)
    with pytest.raises(UnknownNameError, match="feedback_force"):
        Accept(signals={"feedback_forc": AcceptedSignal(max=1.0)})


@pytest.mark.parametrize(
    ("required", "outcome", "reference", "satisfied"),
    [
        ("as-reference", Outcome.DOCKED, Outcome.DOCKED, True),
        ("as-reference", Outcome.SEPARATED, Outcome.DOCKED, False),
        ("as-reference", Outcome.FORCE, None, False),
        ("as-reference", Outcome.FINISHED, Outcome.FORCE, True),
        ("latched", Outcome.FINISHED, None, False),
        ("latched", Outcome.LATCHED, None, True),
    ],
)
def test_the_outcome_is_judged(required, outcome, reference, satisfied):
    found = evaluate_criteria(Accept(outcome=required), outcome=outcome, reference_outcome=reference)
    assert all(c.is_satisfied for c in found) is satisfied
    assert overall_tone(found) == ("bad" if not satisfied else "good" if found else "plain")


def test_a_default_limit_is_half_good():
    values = {0.02: "good", 0.08: "caution", 0.12: "bad", np.nan: "caution"}
    assert {v: Criterion("error", v, 0.1, is_default=True).tone for v in values} == values
    assert Criterion("error", 0.08, 0.1).tone == "good"
