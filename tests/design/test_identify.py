"""Identification: the simplest model that explains the sweep, its uncertainty, and what cannot be swept."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.errors import AnalysisError, ParameterError, TestFileError
from dovetail.design.identify import identify, recorded_rig, sweep
from dovetail.transfer.controller import Proportional

SIZE = {"high": 12.0, "amplitude": 0.01}  # [Hz, m]


def test_a_pure_delay_is_found_as_a_gain_and_a_delay(cs1):
    found = identify(cs1(dv.transfer.Series((dv.transfer.Gain(0.97), dv.transfer.Delay(9.4e-3)))), **SIZE)
    axis = found.axes[0]
    assert axis.order == 0
    assert float(axis.model.delay) == pytest.approx(9.4e-3, abs=0.02e-3)
    assert float(axis.model.numerator[0]) == pytest.approx(0.97, abs=1e-3)
    assert found.uncertainty < 0.05e-3
    assert "a gain and a delay" in str(axis)


@pytest.mark.parametrize("order", [2, pytest.param(None, marks=pytest.mark.slow)])
def test_a_lag_is_found_with_its_poles(cs1, order):
    lag = dv.transfer.SecondOrderLag(omega=60.0, damping=0.6)
    axis = identify(cs1(lag), order=order, **SIZE).axes[0]
    assert axis.order == 2
    poles = np.roots(axis.model.denominator)
    assert np.abs(poles[0]) == pytest.approx(60.0, rel=0.02)
    assert axis.unexplained < 0.01


def test_noise_does_not_make_the_model_richer(cs1):
    noisy = dataclasses.replace(cs1().rig, position_sensor=dv.transfer.WhiteNoise(3e-4))
    axis = identify(cs1(rig=noisy), **SIZE).axes[0]
    assert axis.order == 0
    assert axis.noise == pytest.approx(3e-4, rel=0.15)
    assert axis.unexplained > 0.01  # all of it noise


def test_a_dead_zone_shows_as_uncertainty(cs1):
    parts = (dv.transfer.Delay(9.4e-3), dv.transfer.DeadZone(3e-3))
    rough = identify(cs1(dv.transfer.Series(parts)), order=0, **SIZE)
    clean = identify(cs1(), order=0, **SIZE)
    assert rough.axes[0].unexplained > 10 * clean.axes[0].unexplained


def test_a_recording_of_a_real_rig_is_identified_the_same_way(cs1):
    test = cs1()
    data, _ = sweep(test, low=0.6, high=12.0, amplitude=0.01)
    run = dataclasses.replace(test.rehearse(), data=data)
    found = identify(test, recording=run, **SIZE)
    assert found.source == "recording"
    assert float(found.axes[0].model.delay) == pytest.approx(9.4e-3, abs=0.02e-3)


def test_a_recording_that_is_too_short_is_refused(cs1):
    test = cs1()
    run = test.rehearse()
    short = dataclasses.replace(run, data=run.data.isel(time=slice(0, 20)))
    with pytest.raises(AnalysisError, match="has 20 samples; an identification needs 64"):
        identify(test, recording=short, **SIZE)


def test_a_rig_that_does_not_follow_is_refused(cs1):
    stuck = dv.transfer.DeadZone(1.0)
    with pytest.raises(AnalysisError, match="does not follow the sweep"):
        identify(cs1(stuck), **SIZE)


def test_an_unstable_inner_loop_is_refused_with_the_gain_that_would_do(cs1):
    plant = dv.transfer.TransferFunction([5700.0], [1.0, 62.26, 31.61, 0.0])
    with pytest.raises(TestFileError, match="rig   InnerLoop: axis 0 is unstable"):
        identify(cs1(dv.transfer.InnerLoop(Proportional(1.0), plant)), **SIZE)


@pytest.mark.parametrize(
    ("change", "words"), [({"amplitude": 0.0}, "does the test move"), ({"order": 7}, "from 0")]
)
def test_impossible_questions_are_refused(cs1, change, words):
    with pytest.raises(ParameterError, match=words):
        identify(cs1(), **{**SIZE, **change})


@pytest.mark.parametrize("axes", [1, 2])
def test_a_recorded_rig_keeps_order_gain_and_delay_of_each_axis(axes):
    models = (
        dv.transfer.LinearTransfer([50.0], [1.0, 50.0], 1e-3),
        dv.transfer.LinearTransfer([0.9], [1.0], 4e-3),
    )[:axes]
    A = np.kron(np.array([[0.0, 1.0], [-1e3, -1.0]]), np.eye(axes))
    B, C = np.kron([[0.0], [1.0]], np.eye(axes)), np.kron([[1.0, 0.0]], np.eye(axes))
    numerical = dv.mechanics.StateSpaceModel(A=A, B=B if axes > 1 else B[:, 0], C=C if axes > 1 else C[0])
    rig = dv.Rig(dv.transfer.Delay(1e-3), dv.specimens.Spring(k=1e3), between_ticks="held")
    found = SimpleNamespace(models=models)
    test = recorded_rig(dv.Test(numerical, rig, rate=1000.0), found)
    assert test.rig.between_ticks == "smooth"
    linear = test.prepared().rig.actuator.linear()
    for i, model in enumerate(models):
        for w in (1.0, 30.0, 200.0):
            assert complex(linear.axis(i)(1j * w)) == pytest.approx(complex(model(1j * w)), rel=1e-9)
