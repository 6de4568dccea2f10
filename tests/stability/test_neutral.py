"""Delayed inertia: detection, sentence, and the loop gain that decides."""

import numpy as np
import pytest

from dovetail.core.errors import AnalysisError
from dovetail.stability import margin, neutral
from dovetail.transfer.linear import LinearTransfer

BODY = [2.2, 15.0, 2250.0]  # numerical mass, damper, spring


def with_mass(m_p, c_p=0.0, k_p=0.0):
    return LinearTransfer([m_p, c_p, k_p], BODY)


def unstable_roots(m_p, c_p, k_p, tau):
    """Roots right of the axis of the neutral equation, by the argument principle on a half disc."""
    w = np.linspace(-6e4, 6e4, 600_001)  # rad/s, far above every resonance
    axis = 1j * w
    # divided by the numerical part, which is stable, so the curve is that of 1 + L and closes at infinity
    curve = 1 + with_mass(m_p, c_p, k_p)(axis) * np.exp(-axis * tau)
    return -round(float(np.unwrap(np.angle(curve))[-1] - np.unwrap(np.angle(curve))[0]) / (2 * np.pi))


def test_gain_at_infinity_is_the_mass_ratio():
    assert neutral.gain_at_infinity(with_mass(1.1)) == pytest.approx(0.5)
    assert neutral.gain_at_infinity(LinearTransfer([2250.0], BODY)) == 0.0
    assert neutral.gain_at_infinity(LinearTransfer([0.0, 3.0, 1.0], BODY)) == 0.0  # leading zero ignored
    assert neutral.gain_at_infinity(LinearTransfer([1.0, 0, 0, 0], BODY)) == np.inf


def test_a_heavier_specimen_than_numerical_mass_tolerates_no_delay():
    kind = neutral.delay_type(with_mass(2.5))
    assert kind.kind == "neutral"
    assert kind.any_delay_destabilises
    assert "any delay destabilises" in kind.sentence
    assert margin.delay_margin(with_mass(2.5)) == 0.0
    assert margin.lead_margin(with_mass(2.5)) == 0.0


def test_a_lighter_specimen_has_the_critical_delay_of_its_loop_gain():
    case = (0.6, 4.0, 1500.0)
    kind = neutral.delay_type(with_mass(*case))
    assert kind.kind == "neutral"
    assert not kind.any_delay_destabilises
    assert "delay_margin" in kind.sentence
    tau = margin.delay_margin(with_mass(*case))
    assert 0 < tau < 0.1
    assert unstable_roots(*case, 0.98 * tau) == 0
    assert unstable_roots(*case, 1.02 * tau) == 2


def test_springs_and_dampers_are_retarded():
    assert neutral.delay_type(LinearTransfer([5.0, 2250.0], BODY)).kind == "retarded"
    assert neutral.delay_type(LinearTransfer([1.0, 0, 0, 0], BODY)).kind == "advanced"


def test_matrices_with_one_and_two_delayed_masses():
    M = np.diag([2.0, 3.0])
    one = neutral.delayed_inertia(M, [np.array([[0.0, 1.0], [1.0, 0.0]])])
    assert one.gain == pytest.approx(np.sqrt(1 / 6))
    two = neutral.delayed_inertia([[2.0]], [[[0.6]], [[0.7]]])
    assert two.gain == pytest.approx(0.65)  # at the worst phases the two add
    assert neutral.delayed_inertia(M, [np.zeros((2, 2))]).kind == "retarded"
    many = neutral.delayed_inertia([[1.0]], [[[0.3]]] * 4)
    assert many.gain == pytest.approx(1.2)


def test_a_neutral_loop_is_rejected_with_a_remedy():
    neutral.require_retarded(0.0, "somewhere")
    with pytest.raises(AnalysisError, match="somewhere: neutral with a loop gain of 0.5 .* phase margin"):
        neutral.require_retarded(0.5, "somewhere")
