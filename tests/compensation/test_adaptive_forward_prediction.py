"""Adaptive forward prediction."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from dovetail.compensation import AdaptiveForwardPrediction, ForwardPrediction, NoCompensation
from dovetail.core.errors import ParameterError

DELAYS = np.array([9.4e-3, 8.6e-3])  # [s] the two actuators of the published rig


def two(signal):
    """The same demand for two actuators."""
    signal.update({name: np.stack([value, value], axis=1) for name, value in signal.items()})
    return signal


@pytest.fixture(scope="module")
def learnt():
    return {}


@pytest.fixture
def sweep(bench, learnt):
    """The published identification: 3 to 10 to 3 Hz in 5 s + 5 s, 1 cm, knowing nothing at the start."""
    if not learnt:
        learnt["signal"] = two(bench.sweep())
        compensator = AdaptiveForwardPrediction(order=4, window=10, alpha=100.0, beta=5.0, gamma=2.0)
        learnt["out"] = bench.open_loop(compensator, learnt["signal"], DELAYS)
    return learnt["signal"], learnt["out"]


# horizon in samples of 1 ms; printed to a hundredth
@pytest.mark.parametrize(
    ("time", "expected"),
    [(0.5, (6.09, 5.35)), (1.0, (7.78, 6.99)), (2.0, (8.84, 8.04)), (5.0, (9.36, 8.56)), (8.0, (9.39, 8.58))],
)
def test_the_horizon_learns_the_delay_of_each_actuator_as_published(sweep, time, expected):
    _, out = sweep
    samples = np.asarray(out["prediction_horizon"])[round(time / 1e-3) - 1] / 1e-3
    assert samples == pytest.approx(expected, abs=0.0101)


def test_the_error_after_two_seconds_equals_the_published_one(bench, sweep):
    signal, out = sweep
    left = bench.rms_ratio(signal["displacement"] - out["x"], signal["displacement"], start=2.0)
    assert left == pytest.approx([0.007, 0.007], abs=5e-4)  # printed to a thousandth
    plain = bench.open_loop(NoCompensation(), signal, DELAYS)
    error = signal["displacement"] - plain["x"]
    assert bench.rms_ratio(error, signal["displacement"], start=2.0) == pytest.approx(
        [0.426, 0.390], abs=5e-4
    )


def test_the_gain_learns_the_amplitude_of_the_actuator(bench):
    signal = bench.sine(4.5, duration=8.0)
    out = bench.open_loop(AdaptiveForwardPrediction(delay=9.4e-3), signal, 9.4e-3, gain=1 / 0.96)
    # e <- e - beta e^2 at each of 72 turning points: 0.04 / (1 + 5 * 0.04 * 72) is left
    assert out["amplitude_gain"][-1] == pytest.approx(0.96, abs=3e-3)


def test_without_gains_it_is_constant_forward_prediction(bench):
    signal = bench.sine(4.5, duration=0.5)
    fixed = bench.open_loop(ForwardPrediction(9.4e-3, gain=0.99), signal, 9.4e-3)
    adaptive = AdaptiveForwardPrediction(delay=9.4e-3, gain=0.99, alpha=0.0, beta=0.0)
    assert np.array_equal(bench.open_loop(adaptive, signal, 9.4e-3)["command"], fixed["command"])


def test_a_lead_brings_the_response_ahead_of_the_demand(bench):
    signal = bench.sine(4.5, duration=6.0)
    ahead = AdaptiveForwardPrediction(delay=9.4e-3, alpha=1000.0, beta=0.0, target_lead=1e-3)
    out = bench.open_loop(ahead, signal, 9.4e-3)
    # p <- p - 0.8 p^2 [ms] at each of 53 crossings: 0.024 ms is left
    assert out["prediction_horizon"][-1] == pytest.approx(10.4e-3, abs=0.05e-3)


def test_the_gain_can_be_given_in_other_units(bench):
    signal = bench.sine(4.5, duration=1.0)
    centimetres = AdaptiveForwardPrediction(alpha=100.0, beta=0.0, gamma=2.0)
    metres = AdaptiveForwardPrediction(
        alpha=100.0 * 1e-3 / 0.01**2, beta=0.0, gamma=2.0, length_unit=1.0, time_unit=1.0
    )
    first, second = (bench.open_loop(c, signal, 9.4e-3)["prediction_horizon"] for c in (centimetres, metres))
    assert second == pytest.approx(np.asarray(first), rel=1e-9, abs=1e-12)


def test_horizon_and_gain_remain_within_their_limits(bench):
    signal = bench.sine(4.5, duration=1.5)
    greedy = AdaptiveForwardPrediction(alpha=1e4, beta=1e3, max_horizon=7e-3, gain_range=0.03)
    out = bench.open_loop(greedy, signal, 9.4e-3)
    horizon, gain = np.asarray(out["prediction_horizon"]), np.asarray(out["amplitude_gain"])
    assert horizon.min() >= 0.0
    assert horizon.max() == 7e-3
    assert np.abs(gain - 1.0).max() == pytest.approx(0.03, abs=1e-15)


def test_one_crossing_makes_one_correction(bench):
    signal = bench.sine(4.5, duration=2.0)
    out = bench.open_loop(AdaptiveForwardPrediction(beta=0.0), signal, 9.4e-3)
    changes = np.count_nonzero(np.diff(np.asarray(out["prediction_horizon"])))
    assert changes in (17, 18)  # two a period in 9 periods; the first rise from rest is none


class TestLightlyDampedLoop:
    """Mass and spring with a damping ratio of 2 %, critical delay 1.33 ms, actuator 9.4 ms late."""

    case = dict(delay=9.4e-3, c=3.0)

    def test_learning_from_zero_recovers_stability_after_an_excursion(self, bench):
        learner = AdaptiveForwardPrediction(order=2, window=10, alpha=10.0, beta=0.0)
        out = bench.hybrid_loop(learner, **self.case, duration=8.0)
        horizon = np.asarray(out["prediction_horizon"]) / 1e-3
        # computed before with another integrator, printed to two digits: 2.1, 7.5, 8.4, 8.6 samples, 2.4 cm
        assert horizon[[499, 999, 1999, 7999]] == pytest.approx([2.1, 7.5, 8.4, 8.6], abs=0.15)
        assert np.abs(out["z"]).max() == pytest.approx(0.024, rel=0.05)

    def test_over_compensation_is_stable_from_the_start_and_then_raises_its_order(self, bench):
        careful = AdaptiveForwardPrediction(
            delay=15e-3,
            order=2,
            window=10,
            alpha=1000.0,
            beta=0.0,
            target_lead=1e-3,
            final_order=4,
            final_window=16,
        )
        out = bench.hybrid_loop(careful, **self.case, duration=8.0)
        assert np.abs(out["z"]).max() < 0.005  # the learner from zero passes 2 cm
        share = np.asarray(out["final_order_fraction"])
        assert share[0] == 0.0
        assert share[-1] == 1.0
        assert np.all(np.diff(share) >= 0.0)
        assert np.diff(share).max() <= 1e-3 / 0.1 + 1e-12  # faded in over 0.1 s, no jump


def test_it_can_be_batched_over_and_differentiated_by_its_gain(bench):
    signal = bench.sine(4.5, duration=0.6)

    def last(alpha):
        out = bench.open_loop(AdaptiveForwardPrediction(alpha=alpha), signal, 9.4e-3)
        return out["prediction_horizon"][-1]

    horizon, slope = jax.jit(jax.vmap(jax.value_and_grad(last)))(jnp.array([9.9, 10.0, 10.1]))
    assert slope[1] == pytest.approx(float(horizon[2] - horizon[0]) / 0.2, rel=1e-3)  # central difference


def test_a_final_window_without_a_final_order_is_rejected():
    with pytest.raises(ParameterError, match="final_window: got 16 without final_order"):
        AdaptiveForwardPrediction(final_window=16)


def test_four_kinds_of_instants_correct_with_the_sign_of_the_error_once_the_window_is_full():
    """Against the published rule written out sample by sample, on motion and response that know nothing of it."""
    rng = np.random.default_rng(7)
    t, dt, window = 1e-3 * np.arange(3000), 1e-3, 10
    turns = 2 * np.pi * np.outer(rng.uniform(2, 6, 3), t) + rng.uniform(0, 6, (3, 1))
    z, v = 4e-3 * np.sin(turns).sum(0), (4e-3 * np.gradient(turns, t, axis=1) * np.cos(turns)).sum(0)
    x = z + 2e-3 * np.sin(2 * np.pi * 1.3 * t)  # early and late, too long and too short by turns
    part = AdaptiveForwardPrediction(delay=9e-3, order=4, window=window, alpha=7.0, beta=0.8, gamma=2.0)

    def one(state, u):
        state, shown = part.step(0.0, dt, state, u)
        return state, (shown["command"], shown["prediction_horizon"], shown["amplitude_gain"])

    given = {"displacement": z, "velocity": v, "measured_displacement": x}
    command, horizon, gain = jax.lax.scan(one, part.init(), jax.tree.map(jnp.asarray, given))[1]

    p, s, found = [], [], []
    seen = {"rising": set(), "falling": set(), "maximum": set(), "minimum": set()}
    now_p, now_s = 9.0, 1.0  # samples, 1
    for k in range(len(t)):
        if k >= max(window - 1, 2):
            e = (z[k - 1] - x[k]) / 0.01  # [cm]
            d = np.sign(e) * e**2
            rule = {
                "rising": (z[k - 2] < 0 <= z[k - 1], 7.0 * d, 0.0),
                "falling": (z[k - 2] > 0 >= z[k - 1], -7.0 * d, 0.0),
                "maximum": (v[k - 2] > 0 >= v[k - 1], 0.0, 0.8 * d),
                "minimum": (v[k - 2] < 0 <= v[k - 1], 0.0, -0.8 * d),
            }
            for name, (happens, by_p, by_s) in rule.items():
                if happens:
                    now_p, now_s = np.clip(now_p + by_p, 0.0, 50.0), np.clip(now_s + by_s, 0.5, 1.5)
                    seen[name].add(float(np.sign(e)))
        p.append(now_p)
        s.append(now_s)
        found.append(k)
    assert all(signs == {-1.0, 1.0} for signs in seen.values())  # every kind of instant, with either error
    np.testing.assert_allclose(1e3 * np.asarray(horizon), p, rtol=1e-9)
    np.testing.assert_allclose(gain, s, rtol=1e-9)
    assert np.array_equal(command[: window - 1], z[: window - 1])  # start-up: the demand passes through
    assert not np.array_equal(command[window : 2 * window], z[window : 2 * window])


def test_the_order_changes_from_the_first_crossing_that_has_settled_with_a_full_window(bench):
    signal = bench.sine(4.5, duration=1.0)  # rises through zero at 0, falls at 1/9 s

    def share(delay, **more):
        still = AdaptiveForwardPrediction(delay=delay, alpha=0.0, beta=0.0, final_order=2, **more)
        return np.asarray(bench.open_loop(still, signal, 9.4e-3)["final_order_fraction"])

    assert np.all(share(6e-3) == 0.0)  # 3.4 ms late at every crossing
    near = share(9e-3)
    begins = int(np.argmax(near > 0))
    assert signal.time[begins] == pytest.approx(1 / 9, abs=2e-3)
    assert near[-1] == 1.0
    np.testing.assert_allclose(np.diff(near[begins : begins + 90]), 1e-3 / 0.1)
    # with an actuator that is not late the first crossing counts too, but a window of 120 is not full there
    patient = AdaptiveForwardPrediction(window=120, alpha=0.0, beta=0.0, final_order=2)
    full = np.asarray(bench.open_loop(patient, signal)["final_order_fraction"])
    assert signal.time[int(np.argmax(full > 0))] == pytest.approx(2 / 9, abs=2e-3)
