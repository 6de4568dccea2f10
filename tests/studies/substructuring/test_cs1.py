"""The ready tests of CS1 run and end as their titles say."""

import dataclasses

import numpy as np
import pytest

import dovetail as dv
from dovetail import fidelity
from dovetail.mechanics import FunctionModel, StateSpaceModel, TransferFunctionModel
from dovetail.studies.substructuring.reproduce_cs1 import TESTS, emulated, ready, rehearsed

M, C, K = 2.2, 15.0, 2250.0
ENDINGS = {  # name: whether it runs to its end
    "cs1": True,
    "cs1-afp": True,
    "cs1-forward-prediction": True,
    "cs1-late": False,
    "cs1-light": True,
    "cs1-light-afp": True,
    "cs1-light-late": False,
    "cs1-over-compensation": True,
    "cs1-robust-alpha": True,
    "cs1-robust-gamma": True,
    "cs1-robust-zeta": True,
}
QUICK = {"cs1", "cs1-late", "cs1-forward-prediction"}


def test_every_shipped_test_of_cs1_is_covered():
    assert {file.stem for file in TESTS.glob("cs1*.toml")} == set(ENDINGS)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in QUICK else [pytest.mark.slow]) for n in ENDINGS]
)
def test_a_shipped_test_ends_with_the_outcome_of_its_title(name):
    run = rehearsed(name)
    assert run.outcome.completed is ENDINGS[name], str(run)
    assert ENDINGS[name] or "stops at a limit" in run.title
    data = run.data
    assert np.isfinite(data["displacement"].values).all()
    if ENDINGS[name]:  # bounded: the last second is no larger than the largest before it
        size = np.abs(data["displacement"].values)
        assert size[-1000:].max() <= size[:-1000].max()


def test_prediction_nearly_cancels_the_actuator_delay():
    """Half a per cent for the half tick that prediction makes up for, where the bare actuator diverges."""
    e1 = fidelity.norms(rehearsed("cs1-forward-prediction"), emulated("cs1-forward-prediction"))["rms"]
    assert float(e1.sel(error="e1")) < 0.005
    assert not rehearsed("cs1-late").outcome.completed


@pytest.mark.slow
def test_each_robust_test_is_unstable_without_its_compensator():
    assert ready("cs1-robust-alpha").stability().stable
    for name, changes in {
        "cs1-robust-alpha": {"compensator": {"kind": "none"}},
        "cs1-robust-zeta": {"numerical.c": C},
        "cs1-robust-gamma": {"feedback.measured_fraction": 1.0},
    }.items():
        assert not ready(name, changes).stability().stable, name


def oscillator(t, x, u, p):
    """CS1's numerical part as a function of one's own."""
    z, v = x
    a = (u["force"] - p["c"] * (v - u["excitation_rate"]) - p["k"] * (z - u["excitation"])) / p["m"]
    return (v, a), {"displacement": z, "velocity": v, "acceleration": a}


def test_the_numerical_substructure_gives_equal_results_in_every_format():
    plain = ready("cs1", {"duration": 0.5})
    formats = {
        "transfer function": TransferFunctionModel(denominator=[M, C, K], force=[1.0], excitation=[C, K]),
        "matrices": StateSpaceModel(
            A=[[0, 1], [-K / M, -C / M]], B=[0, 1 / M], C=[1, 0], E=[0, K / M], G=[0, C / M]
        ),
        "function": FunctionModel(oscillator, start=[0.0, 0.0], parameters={"m": M, "c": C, "k": K}),
    }
    expected = plain.rehearse().data
    for name, numerical in formats.items():
        data = dataclasses.replace(plain, numerical=numerical).rehearse().data
        for signal in ("displacement", "velocity", "acceleration", "feedback_force"):
            scale = np.abs(expected[signal].values).max()
            # one equation, one method; the transfer function integrates r where the others take r', which
            # differs by the error of a Runge-Kutta step
            difference = np.abs(data[signal].values - expected[signal].values).max() / scale
            assert difference < 1e-8, f"{name}, {signal}"


@pytest.mark.slow
def test_over_compensation_settles_at_its_lead_then_raises_the_order():
    run = rehearsed("cs1-over-compensation")
    horizon, share = run.data["prediction_horizon"].values, run.data["final_order_fraction"].values
    assert horizon[0] == pytest.approx(15e-3)
    assert np.all(np.diff(horizon) <= 1e-6)  # falls, but for the last corrections about the goal
    assert 10.4e-3 < horizon[-1] < 11e-3  # the actuator's 9.4 ms and the lead of 1 ms; the square dies slowly
    assert share[0] == 0.0
    assert share[-1] == 1.0
    raised = int(np.argmax(share > 0))
    assert horizon[raised] - 10.4e-3 < 1.1e-3  # within the lateness that counts as settled
    late = run.data.sel(time=slice(6.0, None))
    assert fidelity.synchronisation_loop(late).direction == "early"  # early: added damping


@pytest.mark.slow
def test_without_over_compensation_the_same_test_oscillates():
    over, learnt = (
        np.abs(fidelity.errors(rehearsed(name), emulated(name))["e1"].values).max()
        for name in ("cs1-over-compensation", "cs1-light-afp")
    )
    assert learnt > 20 * over


@pytest.mark.parametrize(
    ("path", "before", "after", "signal", "ratio"),
    [
        ("compensator.gain", 1.0, 0.9, "command", 0.9),
        ("numerical.m", 2.2, 4.4, "acceleration", 0.5),
        ("compensator.delay", 9.9e-3, 0.0, "command", None),
    ],
)
def test_an_operator_change_acts_at_its_time(path, before, after, signal, ratio):
    """Switched at 0.3 s: nothing changes before, and at that tick just what the parameter stands for."""
    base = ready("cs1-forward-prediction", {"duration": 0.4, "compensator.window": 5, path: before})
    changed = dataclasses.replace(base, schedule={path: dv.Switch(start=0.3, initial=before, final=after)})
    plain, turned = base.rehearse().data, changed.rehearse().data
    at = 300
    np.testing.assert_array_equal(turned["command"].values[:at], plain["command"].values[:at])
    if ratio is None:  # order 4 through five samples: without a horizon it returns the newest of them
        assert turned["command"].values[at] == pytest.approx(turned["displacement"].values[at], rel=1e-9)
        assert plain["command"].values[at] != pytest.approx(plain["displacement"].values[at], rel=1e-2)
    else:
        # the mass has then carried half a tick of the new acceleration already, hence the tolerance
        assert turned[signal].values[at] / plain[signal].values[at] == pytest.approx(ratio, rel=2e-2)
