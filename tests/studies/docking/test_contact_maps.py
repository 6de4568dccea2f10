import numpy as np
import pytest

from dovetail import testing
from dovetail.mechanics.contact import ConstantStiffness
from dovetail.studies.docking.contact_maps import ContactLawRestitutionMap
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def materials():
    parameter_map = testing.load(find_test("docking/contact-materials")).map
    return parameter_map, parameter_map.compute()


@pytest.mark.slow
def test_stiffer_materials_hit_harder_and_shorter(materials):
    _, data = materials
    # computed independently with another program for the same sphere of 25 mm
    np.testing.assert_allclose(data.peak_force, [2425.6, 1602.9, 514.7, 125.3], atol=0.06)
    np.testing.assert_allclose(1e6 * data.peak_depth, [21.50, 32.53, 101.30, 416.08], atol=0.006)
    np.testing.assert_allclose(1e3 * data.duration, [0.714, 1.081, 3.366, 13.82], rtol=1e-3)


def test_restitution_does_not_depend_on_the_material(materials):
    assert np.ptp(materials[1].restitution.values) < 1e-5


def test_the_table_has_a_line_for_each_pair(materials):
    parameter_map, data = materials
    assert "polyimide on polyimide" in parameter_map.summary(data)


@pytest.mark.slow
def test_laws_part_as_the_speed_grows():
    parameter_map = testing.load(find_test("docking/contact-speeds"), {"map.speed": [0.01, 0.15]}).map
    data = parameter_map.compute()
    spread = (data.peak_force.max("law") - data.peak_force.min("law")).values
    assert spread[1] > 10 * spread[0]
    assert np.all(data.peak_force[:, 1] > data.peak_force[:, 0])
    assert "difference between laws" in parameter_map.summary(data)


@pytest.fixture(scope="module")
def laws():
    return ContactLawRestitutionMap(
        ConstantStiffness(2.3167e10), mass=5.0, speed=0.1, restitution=[0.3, 0.5, 0.8, 1.0]
    )


@pytest.mark.slow
def test_simulation_and_closed_form_agree_for_every_law(laws):
    data = laws.compute()
    np.testing.assert_allclose(data.simulated, data.realised, atol=1e-5)
    np.testing.assert_allclose(data.realised.sel(restitution=1.0), 1.0)
    assert "flores" in laws.summary(data)


def test_peak_force_over_the_elastic_one_is_as_computed_independently(laws):
    data = laws.compute()
    ratio = data.peak_force / data.peak_force.sel(restitution=1.0)
    np.testing.assert_allclose(ratio.sel(law="flores"), [1.0846, 0.9397, 0.9148, 1.0], atol=6e-5)
    np.testing.assert_allclose(ratio.sel(law="gonthier"), [1.0372, 0.9336, 0.9110, 1.0], atol=6e-5)
