"""What can be run: hybrid test and simulation answer the same questions, and are checked once."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail import testing
from dovetail.core.errors import AnalysisError, ParameterError, TestFileError
from dovetail.testing import test as hybrid
from dovetail.testing.modes import all_modes, run


@pytest.fixture
def simulation():
    return testing.Simulation(
        dv.mechanics.Oscillator(m=2.0, c=1.0, k=200.0),
        excitation=dv.Sine(amplitude=0.01, frequency=1.0),
        duration=0.5,
        axes=(),
    )


@pytest.fixture
def looked(monkeypatch):
    """How often the steps of a test, eigenvalues and all, were looked at."""
    times = []
    monkeypatch.setattr(hybrid, "step_faults", lambda test: times.append(test) or [])
    return times


def test_both_answer_the_same_questions(make_cs1, simulation):
    for each in (make_cs1(), simulation):
        modes = each.modes()
        assert list(modes) == list(all_modes())
        assert modes[each.DEFAULT_MODE] == ""
        assert each.faults() == []
        made = run(each, all_modes()[each.DEFAULT_MODE]())
        assert made.mode == each.DEFAULT_MODE
        assert made.reference() is None or made.reference().mode == "reference"
    assert (make_cs1().reference() is None, simulation.reference()) == (False, None)
    assert simulation.modes()["pseudodynamic"] == "is a simulation without a rig"
    with pytest.raises(AnalysisError, match="there is no loop"):
        simulation.stability()


def test_there_is_no_ideal_of_an_ideal_nor_of_what_has_times_of_its_own(make_cs1):
    run = make_cs1(duration=0.05).reference()
    assert run.reference() is None
    assert dataclasses.replace(run, mode="pseudodynamic").reference() is None
    assert dataclasses.replace(run, mode="realtime").reference().mode == "reference"


def test_it_is_checked_once_whoever_asks(make_cs1, looked):
    test = make_cs1(duration=0.05)
    assert test.faults() == []
    test.stability()
    run = test.rehearse()
    run.reference()
    test.replay(run)
    assert looked == [test]


def test_a_variant_is_checked_anew(make_cs1, looked):
    test = make_cs1().validate()
    variants = (
        test.with_values(**{"rig.actuator.delay": 2e-3}),
        dataclasses.replace(test, seed=1),
        eqx.tree_at(lambda t: t.numerical.k, test, jnp.asarray(2000.0)),
    )
    for variant in variants:
        variant.validate()
    assert len(looked) == 1 + len(variants)
    assert "limits" not in str(test.faults())
    with pytest.raises(TestFileError, match="torque"):
        dataclasses.replace(test, limits=dv.Limits(torque=1.0)).validate()


def test_values_are_changed_by_path(make_cs1, simulation):
    assert float(make_cs1().with_values(**{"numerical.k": 7.0}).numerical.k) == 7.0
    changed = simulation.with_values(**{"system.k": 7.0}, seed=5, title="other")
    assert (float(changed.system.k), changed.seed, changed.title) == (7.0, 5, "other")
    with pytest.raises(ParameterError, match="not a numeric parameter"):
        make_cs1().with_values(**{"rig.actuator": 1.0})
