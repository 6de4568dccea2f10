"""The six-axis tests as files: both ends agree where the probe is, and the sampled loop keeps its energy."""

import numpy as np
import pytest

from dovetail import testing
from dovetail.mechanics.spatial import euler
from dovetail.studies.registry import find_test

pytestmark = pytest.mark.slow  # a six-axis loop compiles for half a minute


@pytest.fixture(scope="module")
def compensated():
    return testing.load(find_test("docking/six-dof-passivity"))


def test_numerical_substructure_and_specimen_start_from_the_same_pose(compensated):
    home, specimen = compensated.numerical.home, compensated.rig.specimen
    np.testing.assert_allclose(home.p, specimen.home, atol=1e-12)
    np.testing.assert_allclose(home.R, euler.to_matrix(specimen.home_euler), atol=1e-12)


def test_passivity_control_keeps_the_energy_of_the_sampled_noisy_loop(compensated):
    # over the whole 5 s: measured 4.19 times the initial energy without control, 1.006 with it
    def ratio(test):
        data = test.rehearse().data
        energy = data.kinetic_energy + data.contact_energy + data.contact_heat + data.friction_heat
        return float(energy[-1] / energy[0])

    assert ratio(compensated.with_values(**{"feedback.gain": 0.0})) > 3
    assert ratio(compensated) < 1.1
