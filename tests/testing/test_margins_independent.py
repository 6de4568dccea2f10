"""Margins of random sampled tests against a plain loop in numpy: never on the unsafe side, and close."""

import dataclasses
import os

import numpy as np
import pytest
import scipy.linalg

import dovetail as dv

M, K = 2.2, 2250.0  # [kg], [N/m]
PARTS = 16  # of many cases, so that processes can share them
RESOLVED = 1e-4  # [1/s] of growth: a start's phase is seen no more after a day


def taps(delay):
    """Places (newest is -1) and weights of the value `delay` [samples] ago: a cubic through four."""
    first = max(int(np.floor(delay + 1e-9)) - 1, 0)
    part = delay - first
    return [
        (-1 - first - a, float(np.prod([(part - b) / (a - b) for b in range(4) if b != a]))) for a in range(4)
    ]


def growth(c, k_s, actuator, sensor, rate, held, extra):
    """Growth [1/s] of a mass released in a loop with these delays [s], simulated tick by tick for 2**25 ticks.

    The ticks are done by doubling: of n ticks the outcome for every state makes that of 2n.
    """
    step = scipy.linalg.expm(np.array([[0, 1, 0], [-K / M, -c / M, 1 / M], [0, 0, 0]]) / rate)[:2]
    moved, measured = taps(actuator * rate), taps((sensor + extra) * rate)
    room = int((actuator + sensor + extra) * rate) + 8
    old = 1 if held else 0  # the staircase: at the next reading the old command still holds
    x, (z, force) = np.eye(3, 3 + 2 * room), np.eye(2 * room, 3 + 2 * room, 3).reshape(2, room, -1)
    x = step @ x
    z = np.vstack([z[1:], x[:1]])
    force = np.vstack([force[1:], [-k_s * sum(w * z[place - old] for place, w in moved)]])
    used = sum(w * force[place] for place, w in measured)
    ticks, grown = np.vstack([x, used[None], z, force]), 0.0
    start = np.zeros(len(ticks))
    start[0] = 1.0
    for _ in range(24):
        ticks = ticks @ ticks
        size = np.abs(ticks).max()
        ticks, grown = ticks / size, 2 * grown + np.log(size)
    halfway = ticks @ start
    return (grown + np.log(np.linalg.norm(ticks @ halfway) / np.linalg.norm(halfway))) / (2**24 / rate)


def drawn(number, seed):
    """Random damping, stiffness, delays and rates: some stable, some not, delays from nothing to many ticks."""
    rng = np.random.default_rng([seed, number])
    rate = float(rng.choice([250.0, 500.0]))
    c, k_s = rng.uniform(8, 40), K * rng.uniform(0.4, 1.5)
    actuator, sensor = rng.uniform(0, 0.8, 2) * c / k_s * (rng.random(2) < 0.9)
    return c, k_s, float(actuator), float(sensor), rate, number % 3 == 2


def outlook(c, k_s, actuator, sensor, rate, held):
    rig = dv.Rig(
        dv.transfer.Delay(actuator, max_delay=0.04),
        dv.specimens.Spring(k=k_s),
        sensor=dv.transfer.Delay(sensor, max_delay=0.04),
        command_hold="zoh" if held else "quadratic",
    )
    return dv.Test(dv.mechanics.Oscillator(m=M, c=c, k=K), rig, rate=rate, duration=10.0).stability()


def judged(numbers, seed=11):
    """Never on the unsafe side, nor far from the limit: to a hundredth, and to what the simulation resolves."""
    seen = {"borne": 0, "too late": 0, "any": 0, "within a tick": 0}
    for number in numbers:
        case = drawn(number, seed)
        *_, actuator, sensor, rate, _ = case
        found = outlook(*case)
        now = growth(*case, 0.0)
        assert found.stable == (now < 0) or abs(now) < RESOLVED, case
        margin, near = found.margin, 0.01 * abs(found.margin) + 5e-6  # [s]
        seen["within a tick"] += 0 < min(actuator, sensor) < 1 / rate
        if margin == np.inf:
            assert all(growth(*case, extra) < 0 for extra in (0.01, 0.03, 0.06)), case
            seen["any"] += 1
        elif found.stable:
            assert margin > 0, case
            assert margin < near or growth(*case, margin - near) < 0, case
            assert growth(*case, margin + near) > 0, case
            seen["borne"] += 1
        else:
            assert margin < 0, case
            if sensor > near - margin:  # it has that delay to lose
                assert growth(*case, margin - near) < 0, case
                assert margin + near > 0 or growth(*case, margin + near) > 0, case
                seen["too late"] += 1
    return seen


def test_margins_are_those_of_the_sampled_loop_for_random_delays_and_rates():
    seen = judged(range(12))
    assert min(seen[name] for name in ("borne", "too late", "within a tick")) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_margins_are_those_of_the_sampled_loop_for_many_random_delays_and_rates(part):
    """DOVETAIL_VERIFY_MARGINS says how many."""
    judged(range(part, int(os.environ.get("DOVETAIL_VERIFY_MARGINS", "1000")), PARTS), seed=12)


def test_force_sensor_delay_reduces_the_margin():
    """Actuator 3 ms, sensor 5 ms against a critical 6.77 ms: unstable, and said to be too late."""
    found = outlook(15.0, K, 3e-3, 5e-3, 1000.0, False)
    assert not found.stable
    assert found.margin == pytest.approx(found.critical_delay - 8.5e-3, abs=1e-5)
    assert "sensor delay 5 ms" in str(found)
    assert "exceeds the delay margin by 1.73 ms" in str(found)


def test_a_compensator_counts_in_the_margin():
    plain = dv.Test(
        dv.mechanics.Oscillator(m=M, c=15.0, k=K),
        dv.Rig(dv.transfer.Delay(9.4e-3), dv.specimens.Spring(k=K)),
        rate=1000.0,
        duration=2.0,
    )
    predicted = dataclasses.replace(
        plain, compensator=dv.compensation.ForwardPrediction(delay=9.4e-3)
    ).stability()
    assert predicted.has_compensation
    assert predicted.margin == pytest.approx(
        predicted.critical_delay - 0.5e-3, rel=0.1
    )  # as if it were not late
    assert plain.stability().margin < 0
