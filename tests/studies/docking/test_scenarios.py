import numpy as np
import pytest

from dovetail import testing
from dovetail.studies.docking.scenarios import SAMPLE, executed, experiments, grid, impacts
from dovetail.studies.registry import all_tests


def test_there_are_72_simulated_and_12_executed_scenarios():
    assert len(set(grid())) == 72
    assert len(executed()) == 12
    assert len(experiments()["row"]) == 24


def test_every_executed_scenario_was_in_the_grid():
    def key(s):
        return (frozenset((s.body_1, s.body_2)), s.m1, s.m2, s.speed)

    assert {key(s) for s in executed()} <= {key(s) for s in grid()}


def test_reduced_mass_and_stiffness_of_the_sample():
    assert SAMPLE.mass == pytest.approx(21.42857, rel=1e-6)
    assert SAMPLE.stiffness == pytest.approx(9.0795e8, rel=1e-4)


def test_a_list_of_scenarios_equals_single_runs():
    many = impacts([SAMPLE] * 3, np.array([0.7, 0.8, 0.9]))
    one = impacts([SAMPLE], 0.9)
    assert many.ideal.peak_force.shape == (3,)
    np.testing.assert_allclose(many.hil.rebound[2], one.hil.rebound[0], rtol=1e-12)


@pytest.mark.parametrize(
    "name", ["docking/impact-1dof", pytest.param("docking/hil-1dof", marks=pytest.mark.slow)]
)
def test_the_sampled_tests_tend_to_the_continuous_models(name):
    test = testing.load(all_tests()[name].path)
    run = testing.Test.rehearse(test).data
    # ideal -0.07885; through 1 ms and the sensor -0.1203, of which rounding the position to 1 um is 0.0000
    expected = {"docking/impact-1dof": -0.07885, "docking/hil-1dof": -0.12027}[name]
    # holding the force over a tick costs half of one: 1 us of 2.3 ms (0.09 %), 1.7 us of 0.37 ms lag (0.5 %)
    assert float(run.velocity[-1]) == pytest.approx(expected, rel=6e-3)
