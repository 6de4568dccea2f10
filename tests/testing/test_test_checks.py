"""Faults of a test as a whole: found together, with their paths, and once."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.core.errors import TestFileError
from dovetail.testing import test_checks


@pytest.fixture
def checked_steps(monkeypatch):
    """Tests whose step sizes were checked, which needs eigenvalues."""
    tests = []
    monkeypatch.setattr(test_checks, "step_faults", lambda test: tests.append(test) or [])
    return tests


def faults(test) -> str:
    with pytest.raises(TestFileError) as caught:
        test.prepare()
    return str(caught.value)


def test_a_delay_longer_than_the_test_is_a_fault(make_cs1):
    assert "rig.actuator.delay   3 s is longer than the duration of the test, 2 s" in faults(
        make_cs1(delay=3.0)
    )


def test_a_table_that_ends_early_is_a_fault(make_cs1):
    table = dv.Table(times=[0.0, 0.5, 1.0], values=[0.0, 1e-3, 0.0])
    assert "ends at 1 s, before the end of the run at 2 s" in faults(make_cs1(excitation=table))


def test_a_step_beyond_the_method_s_bound_is_a_fault(make_cs1):
    """RK4 is stable to |lambda dt| = 2.8; the oscillator has 32 rad/s."""
    text = faults(make_cs1(rate=10.0, delay=0.0))
    assert "rate" in text
    assert "RK4" in text


def test_all_faults_come_at_once(make_cs1):
    table = dv.Table(times=[0.0, 0.5, 1.0], values=[0.0, 1e-3, 0.0])
    assert "2 problems" in faults(make_cs1(delay=3.0, excitation=table))


def test_a_test_shorter_than_a_tick_is_a_fault(make_cs1):
    assert "shorter than one tick" in faults(make_cs1(duration=1e-4, delay=0.0))


def test_a_test_is_checked_once_in_several_analyses(make_cs1, checked_steps):
    test = make_cs1(duration=0.05)
    assert test.faults() == []
    test.stability()
    run = test.rehearse()
    run.reference()
    test.replay(run)
    assert checked_steps == [test]


def test_a_variant_is_checked_again(make_cs1, checked_steps):
    test = make_cs1().validate()
    variants = (
        test.with_values(**{"rig.actuator.delay": 2e-3}),
        dataclasses.replace(test, seed=1),
        eqx.tree_at(lambda t: t.numerical.k, test, jnp.asarray(2000.0)),
    )
    for variant in variants:
        variant.validate()
    assert len(checked_steps) == 1 + len(variants)
    assert "limits" not in str(test.faults())
    with pytest.raises(TestFileError, match="torque"):
        dataclasses.replace(test, limits=dv.Limits(torque=1.0)).validate()


def test_a_hybrid_test_needs_a_substructure_with_an_interface(make_cs1):
    text = faults(dataclasses.replace(make_cs1(), numerical=dv.specimens.Spring(k=1.0)))
    assert "numerical" in text
    assert "oscillator" in text


def test_settings_of_the_hybrid_loop_are_faults_of_a_simulation(make_cs1):
    test = make_cs1()
    tunable = {"numerical.k": dv.testing.Tunable(min=1.0, max=2.0)}
    simulation = dataclasses.replace(test, rig=None, sampling="none", tunable=tunable)
    assert {fault.path for fault in simulation.faults()} == {"sampling", "tunable"}
    assert dataclasses.replace(test, rig=None).faults() == []
