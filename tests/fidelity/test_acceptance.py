"""Whether a run came to what its test asks."""

from types import SimpleNamespace

import numpy as np

from dovetail.fidelity.acceptance import evaluate_criteria
from dovetail.testing.acceptance import Accept


def compared(e1, e2=0.0, share=0.0):
    return SimpleNamespace(
        rms={"e1": e1, "e2": e2}, peak={"e1": 2 * np.asarray(e1)}, added_energy_fraction=share
    )


def test_criteria_apply_to_every_moving_axis():
    (one,) = evaluate_criteria(Accept(response_error=0.05), compared(np.array([0.01, np.nan, 0.06])))
    assert one.is_satisfied is False
    assert "6 %" in str(one)
    assert "5 %" in str(one)
    (one,) = evaluate_criteria(Accept(response_error=0.07), compared(np.array([0.01, np.nan, 0.06])))
    assert one.is_satisfied is True


def test_a_margin_is_a_lower_bound():
    stability = SimpleNamespace(margin=np.array([3e-3, 2e-3]))
    assert [evaluate_criteria(Accept(margin=m), None, stability)[0].is_satisfied for m in (1e-3, 2.5e-3)] == [
        True,
        False,
    ]


def test_a_missing_result_is_neither_met_nor_missed():
    (one,) = evaluate_criteria(Accept(response_error=0.05))
    assert one.is_satisfied is None
    assert "not determined" in str(one)


def test_without_a_demand_no_criterion_is_evaluated():
    assert evaluate_criteria(None, compared(0.5)) == []
    assert evaluate_criteria(Accept(), compared(0.5)) == []
