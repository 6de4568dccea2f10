"""Test: one class for hybrid tests and simulations, and its variants."""

import dataclasses

import equinox as eqx
import jax.numpy as jnp
import pytest

import dovetail as dv
from dovetail.core.errors import AnalysisError, ParameterError, UnknownNameError
from dovetail.testing.modes import all_modes, run


@pytest.fixture
def simulation():
    return dv.Test(
        dv.mechanics.Oscillator(m=2.0, c=1.0, k=200.0),
        excitation=dv.Sine(amplitude=0.01, frequency=1.0),
        rate=100.0,
        duration=0.5,
    )


def test_a_test_and_a_simulation_run_in_their_default_mode(make_cs1, simulation):
    for each in (make_cs1(), simulation):
        modes = each.modes()
        assert list(modes) == list(all_modes())
        assert modes[each.default_mode] == ""
        assert each.faults() == []
        assert run(each, all_modes()[each.default_mode]()).mode == each.default_mode
    assert (make_cs1().default_mode, simulation.default_mode) == ("rehearse", "simulate")
    assert simulation.modes()["pseudodynamic"] == "is a simulation without a rig"


def test_a_simulation_has_neither_a_reference_solution_nor_stability(simulation):
    assert simulation.simulate().reference() is None
    for analysis in (
        simulation.reference,
        simulation.rehearse,
        simulation.stability,
        simulation.run_pseudodynamic,
    ):
        with pytest.raises(AnalysisError, match="without a rig"):
            analysis()
    with pytest.raises(AnalysisError, match="without a rig"):
        simulation.run_realtime("udp://localhost:1")


def test_a_hybrid_test_is_not_simulated(make_cs1):
    with pytest.raises(AnalysisError, match="is a hybrid test"):
        make_cs1().simulate()


def test_a_run_has_a_reference_solution_if_its_mode_can_be_compared(make_cs1):
    run = make_cs1(duration=0.05).reference()
    assert run.reference() is None
    assert dataclasses.replace(run, mode="pseudodynamic").reference() is None
    assert dataclasses.replace(run, mode="realtime").reference().mode == "reference"


@pytest.mark.parametrize(("field", "value"), [("rate", 0.0), ("rate", float("nan")), ("duration", -1.0)])
def test_clock_values_are_checked_at_once(make_cs1, field, value):
    with pytest.raises(ParameterError, match=f"Test.{field}"):
        make_cs1(**{field: value})


def test_variants_by_path(make_cs1, simulation):
    other = make_cs1().with_values(**{"rig.actuator.delay": 9e-3, "duration": 4.0})
    assert float(other.rig.actuator.delay) == pytest.approx(9e-3)
    assert other.duration == 4.0
    changed = simulation.with_values(**{"numerical.k": 7.0}, seed=5, title="other")
    assert (float(changed.numerical.k), changed.seed, changed.title) == (7.0, 5, "other")
    with pytest.raises(UnknownNameError, match='did you mean "delay"'):
        make_cs1().with_values(**{"rig.actuator.dely": 1.0})
    with pytest.raises(ParameterError, match="replace the part"):
        make_cs1().with_values(**{"rig.substeps": 3})
    with pytest.raises(ParameterError, match="not a numeric parameter"):
        make_cs1().with_values(**{"rig.actuator": 1.0})


def test_a_test_is_a_pytree(make_cs1):
    test = eqx.tree_at(lambda t: t.numerical.c, make_cs1(), jnp.array(3.0))
    assert float(test.numerical.c) == 3.0
