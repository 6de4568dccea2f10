"""Modes: their names and reasons, the limits that they cannot monitor, and the programs that their runs share."""

import dataclasses
import inspect

import jax.numpy as jnp
import numpy as np
import pytest

import dovetail as dv
from dovetail.core.clock import Simulated
from dovetail.core.errors import AnalysisError
from dovetail.core.programs import guard
from dovetail.testing import (
    Limits,
    RecordedRig,
    Reference,
    Rehearse,
    Replay,
    Simulate,
    Test,
    all_modes,
    simulate,
)
from dovetail.testing.limits import MONITORED_LIMITS
from dovetail.testing.modes import Mode, mode_named, run

random = np.random.default_rng(2026)
NAMES = ["reference", "rehearse", "replay", "realtime", "pseudodynamic", "simulate"]
NOT_MONITORED = {
    "reference": {"contact_energy_gain"},
    "rehearse": set(),
    "replay": set(),
    "realtime": set(),
    "pseudodynamic": {"contact_energy_gain"},
    "simulate": {
        "growth_rate",
        "torque",
        "tracking_error",
        "power",
        "interface_energy",
        "contact_energy_gain",
        "frozen_sensor",
    },
}


def hybrid(**other):
    values = {"rate": 500.0, "duration": 4.0, "seed": 3} | other
    return dv.Test(
        numerical=dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        rig=dv.Rig(actuator=dv.transfer.FirstOrderLag(tau=3e-3), specimen=dv.specimens.Spring(k=2250.0)),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        **values,
    )


def simulation(**other):
    values = {"rate": 50.0, "duration": 4.0} | other
    return Test(
        dv.mechanics.Oscillator(m=2.2, c=15.0, k=2250.0),
        excitation=dv.Sine(amplitude=0.012, frequency=3.0),
        **values,
    )


def test_every_mode_has_a_name_and_a_description():
    assert list(all_modes()) == NAMES
    for name, mode in all_modes().items():
        assert mode.name == name
        assert mode.about.endswith(".")
        assert mode.title
        assert mode.title != mode.about
        assert mode().name == name  # without its options: to be asked about a test


@pytest.mark.parametrize("name", NAMES)
def test_the_method_of_a_mode_takes_the_options_that_it_names(name):
    mode = all_modes()[name]
    method = getattr(Test, mode.method)
    known = inspect.signature(method).parameters
    passed_on = any(each.kind is each.VAR_KEYWORD for each in known.values())
    assert {*mode.needs} <= {*known} or passed_on
    assert {*mode.takes} <= {*known} or passed_on


@pytest.mark.parametrize("name", NAMES)
def test_a_mode_states_why_it_cannot_run_a_test(name):
    mode = all_modes()[name]()
    wrong, right = (hybrid(), simulation()) if not mode.has_rig else (simulation(), hybrid())
    assert mode.reason_against(right) == right.mode_faults(name) == ""
    reason = "is a simulation without a rig" if mode.has_rig else "is a hybrid test, not a simulation"
    assert mode.reason_against(wrong) == wrong.mode_faults(name) == reason


def test_the_reference_solution_needs_a_model_of_the_specimen():
    readings = {name: jnp.zeros(3) for name in ("measured_displacement", "measured_force")}
    test = dataclasses.replace(hybrid(), rig=RecordedRig(readings))
    assert "without a specimen model" in Reference().reason_against(test)
    assert Rehearse().reason_against(test) == ""
    with pytest.raises(AnalysisError, match="without a specimen model"):
        run(test, Reference())


@pytest.mark.parametrize("name", NOT_MONITORED)
def test_a_mode_names_the_limits_that_it_cannot_monitor(name):
    mode = all_modes()[name]
    assert {*mode.not_monitored} == NOT_MONITORED[name]
    assert all(reason and not reason.endswith(".") for reason in mode.not_monitored.values())
    monitor = mode().monitor(hybrid() if mode.has_rig else simulation())
    turning = {check.limit for check in MONITORED_LIMITS} - {"torque"}  # no axis is rotary
    assert {limit for limit in turning if monitor.monitors(limit)} == turning - NOT_MONITORED[name]


def test_only_the_rehearsal_of_a_test_is_sampled_or_continuous():
    sampled, continuous = (dataclasses.replace(hybrid(), sampling=each) for each in ("rate", "none"))
    assert Rehearse().monitor(sampled).force_is_held
    assert not Rehearse().monitor(continuous).force_is_held
    assert Replay().monitor(continuous).force_is_held


def test_the_properties_of_the_modes():
    like = {name: (m.compares, m.live, m.batched, m.is_reference) for name, m in all_modes().items()}
    assert [name for name, each in like.items() if each[0]] == ["rehearse", "replay", "realtime"]
    assert [name for name, each in like.items() if each[1]] == ["realtime", "pseudodynamic"]
    assert [name for name, each in like.items() if each[2]] == ["reference", "rehearse", "simulate"]
    assert [name for name, each in like.items() if each[3]] == ["reference"]


def test_the_recording_of_another_program_has_the_defaults():
    assert mode_named("rehearse") is Rehearse
    for name in ("laboratory", "", None):
        assert mode_named(name) is Mode
        assert mode_named(name).compares


def test_a_run_records_its_mode():
    for test, mode in ((hybrid(duration=0.1), Rehearse()), (simulation(duration=0.1), Simulate())):
        made = run(test, mode)
        assert made.mode == made.data.attrs["mode"] == mode.name
        assert isinstance(mode.clock(test), Simulated)
        assert mode.clock(test).end == test.tick_count


@pytest.mark.parametrize(
    ("build", "mode"), [(hybrid, Reference()), (hybrid, Rehearse()), (simulation, Simulate())]
)
def test_a_batch_member_is_the_run(build, mode):
    test = build(duration=0.4)
    state, records = simulate(mode.prepare(test), mode)
    data = run(test, mode).data
    assert int(state.k) == test.tick_count
    for name in ("displacement", "velocity"):
        np.testing.assert_allclose(
            records[name], data[name][1:], rtol=0, atol=1e-14 * float(abs(data[name]).max())
        )


@pytest.mark.parametrize(("build", "go"), [(hybrid, dv.Test.rehearse), (simulation, Test.simulate)])
def test_a_variant_of_a_test_is_not_compiled_again(build, go):
    go(build())
    before, rate = guard.programs, build().rate
    whole = go(build(duration=9.0)).data
    assert guard.programs == before
    for duration in random.integers(105, 450, 3) / 50:  # [s] whole ticks of both
        ticks = round(duration * rate)
        variant = build(duration=ticks / rate, seed=int(random.integers(1000)), title="another")
        data = go(variant).data
        assert guard.programs == before
        assert np.array_equal(data.displacement, whole.displacement[: len(data.time)])
        assert len(data.time) == ticks + 1
    go(build().with_values(**{"numerical.k": float(random.uniform(1e3, 3e3))}))
    assert guard.programs == before


@pytest.mark.parametrize(("build", "go"), [(hybrid, dv.Test.rehearse), (simulation, Test.simulate)])
def test_a_limit_that_is_met_after_the_end_is_not_met(build, go):
    grows = {"excitation.amplitude": 0.1}
    free = go(build(duration=4.0).with_values(**grows)).data
    beyond = np.abs(free.displacement.values)
    limit = 0.999 * beyond.max()
    met = int(np.argmax(beyond > limit))
    for end in (met - 1, met):  # in either case the piece in which it is met is computed to its end
        made = go(
            build(duration=float(free.time[end]), limits=Limits(displacement=limit)).with_values(**grows)
        )
        assert made.outcome.name == ("DISPLACEMENT" if end == met else "FINISHED")
        assert len(made.data.time) == end + 1
