"""A test as one equation: judged by scipy, and refused where a part is none."""

import dataclasses

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dovetail as dv
from dovetail.compensation import BlendedForce, ForceExtrapolation, ForwardPrediction
from dovetail.core.errors import TestFileError
from dovetail.testing import RecordedRig
from dovetail.transfer import (
    Delay,
    FirstOrderLag,
    Gain,
    Quantiser,
    SecondOrderLag,
    Series,
    TotalDelayLag,
    WhiteNoise,
)


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
def test_a_loop_of_lags_equals_the_scipy_solution(make_cs1, seed):
    """Demand z, actuator y (second order), force of a spring and damper on y, sensor f (first order)."""
    rng = np.random.default_rng(seed)
    w, zeta, gain = rng.uniform(100, 900), rng.uniform(0.3, 1.3), rng.uniform(0.9, 1.1)
    tau, scale = rng.uniform(0.2e-3, 3e-3), rng.uniform(0.9, 1.1)
    k = rng.uniform(200.0, 900.0)
    test = make_cs1(duration=0.8)
    rig = dv.Rig(
        SecondOrderLag(w, zeta, gain),
        dv.specimens.Spring(k=k),
        sensor=Series((Gain(scale), FirstOrderLag(tau))),
        position_sensor=FirstOrderLag(2 * tau),
    )
    run = dataclasses.replace(test, rig=rig, sampling="none").rehearse()
    part = test.numerical
    m, c, k_n = float(part.m), float(part.c), float(part.k)

    def equation(t, x):
        z, v, y, dy, f, p = x
        r, rate = 0.012 * np.sin(6 * np.pi * t), 0.012 * 6 * np.pi * np.cos(6 * np.pi * t)
        acceleration = (f - c * (v - rate) - k_n * (z - r)) / m
        ddy = w**2 * (gain * z - y) - 2 * zeta * w * dy
        return [v, acceleration, dy, ddy, (-scale * k * y - f) / tau, (y - p) / (2 * tau)]

    judge = solve_ivp(
        equation, (0, 0.8), np.zeros(6), method="DOP853", rtol=1e-12, atol=1e-16, t_eval=run.data.time
    )
    data, size = run.data, np.max(np.abs(judge.y[0]))
    names = (
        "displacement",
        "velocity",
        "achieved_displacement",
        None,
        "measured_force",
        "measured_displacement",
    )
    for row, name in zip(judge.y, names, strict=True):
        if name is not None:
            scale_of = np.max(np.abs(row))
            np.testing.assert_allclose(data[name], row, atol=1e-8 * scale_of, err_msg=name)
    assert size > 1e-3
    assert np.array_equal(data.feedback_force, data.measured_force)
    np.testing.assert_allclose(data.specimen_force, -k * data.achieved_displacement, rtol=1e-12)


@pytest.mark.slow
def test_the_sampled_rehearsal_tends_to_it_as_the_rate_grows(make_cs1):
    def gap(rate):
        rig = dv.Rig(SecondOrderLag(400.0, 0.7), dv.specimens.Spring(k=2250.0))
        test = dataclasses.replace(make_cs1(duration=0.5), rig=rig, rate=rate)
        continuous = dataclasses.replace(test, sampling="none").rehearse().data.displacement
        return float(abs(test.rehearse().data.displacement - continuous).max() / abs(continuous).max())

    coarse, fine = gap(1000.0), gap(4000.0)
    assert coarse > 1e-3
    assert fine == pytest.approx(coarse / 4, rel=0.1)  # the held force costs half a tick: first order


def test_with_an_ideal_rig_it_is_the_reference_solution(make_cs1):
    test = make_cs1(duration=0.5)
    test = dataclasses.replace(test, rig=dv.Rig(Series(()), test.rig.specimen), sampling="none")
    run, ideal = test.rehearse(), test.reference()
    assert run.mode == "rehearse"
    for name in ideal.data:
        np.testing.assert_array_equal(run.data[name], ideal.data[name], err_msg=name)


def test_lags_start_in_the_steady_state_of_the_approach():
    bodies = dv.mechanics.FreePair(30.0, 75.0, 0.1)
    pair = dv.specimens.ImpactPair(dv.mechanics.contact.Flores(9e8, restitution=0.8), gap=1.0)
    rig = dv.Rig(TotalDelayLag(1e-3), pair, position_sensor=FirstOrderLag(2e-3))
    data = dv.Test(bodies, rig, rate=1e4, duration=0.01, sampling="none").rehearse().data
    behind = 0.35e-3 * 0.1
    np.testing.assert_allclose(data.displacement - data.achieved_displacement, behind, rtol=1e-10)
    np.testing.assert_allclose(data.achieved_displacement - data.measured_displacement, 2e-4, rtol=1e-10)


def test_a_parameter_of_the_rig_may_be_on_the_schedule(make_cs1):
    profile = dv.Switch(start=0.25, initial=500.0, final=100.0)
    rig = dv.Rig(SecondOrderLag(500.0, 0.7), dv.specimens.Spring(k=500.0))
    test = dataclasses.replace(make_cs1(duration=0.5), rig=rig, sampling="none")
    changed = dataclasses.replace(test, schedule={"rig.actuator.omega": profile}).rehearse().data
    constant = test.rehearse().data
    early = slice(0.0, 0.25)
    np.testing.assert_allclose(
        changed.displacement.sel(time=early), constant.displacement.sel(time=early), atol=1e-12
    )
    assert float(abs(changed.displacement - constant.displacement).max()) > 1e-4


def test_a_model_force_is_blended_with_the_measured_force(make_cs1):
    spring = dv.specimens.Spring(k=500.0)
    rig = dv.Rig(SecondOrderLag(500.0, 0.7), spring)
    test = dataclasses.replace(make_cs1(duration=0.3), rig=rig, sampling="none")
    data = dataclasses.replace(test, feedback=BlendedForce(spring, 0.25)).rehearse().data
    expected = 0.25 * data.measured_force - 0.75 * 500.0 * data.displacement
    np.testing.assert_allclose(data.feedback_force, expected, rtol=1e-12)
    assert float(abs(data.feedback_force - data.measured_force).max()) > 1e-3


def test_every_part_without_equations_is_reported_with_its_path(make_cs1):
    test = make_cs1()
    rig = dv.Rig(
        Series((TotalDelayLag(1e-3), Delay(2e-3))),
        test.rig.specimen,
        sensor=WhiteNoise(0.1),
        position_sensor=Quantiser(1e-6),
    )
    bad = dataclasses.replace(
        test,
        rig=rig,
        compensator=ForwardPrediction(2e-3),
        feedback=ForceExtrapolation(),
        sampling="none",
    )
    with pytest.raises(TestFileError) as refusal:
        bad.rehearse()
    said = {fault.path: fault.text for fault in refusal.value.faults}
    assert set(said) == {"compensator", "feedback", "rig.actuator.parts.1", "rig.sensor"}
    assert said["compensator"].startswith("ForwardPrediction is defined at ticks")
    assert said["feedback"].startswith("ForceExtrapolation is defined at ticks")
    assert said["rig.actuator.parts.1"].startswith("Delay acts at ticks")
    assert said["rig.sensor"].startswith("WhiteNoise acts at ticks")
    assert dataclasses.replace(bad, sampling="rate").faults() == []


def test_a_replay_rig_has_no_equations(make_cs1):
    readings = {name: np.zeros(101) for name in ("measured_displacement", "measured_force")}
    test = dataclasses.replace(make_cs1(duration=0.1), rig=RecordedRig(readings), sampling="none")
    with pytest.raises(TestFileError, match="RecordedRig is defined at ticks"):
        test.rehearse()
