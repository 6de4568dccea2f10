import numpy as np
import pytest

from dovetail.mechanics.contact import PEEK, Aluminium2007
from dovetail.studies.docking.impact import Instruments
from dovetail.studies.docking.impact_validation import ImpactValidation

TOOLS = Instruments(3000.0, 2 * np.pi * 1000.0, 0.8, 0.707)


def parameter_map(**changes):
    values = {
        "body_1": (Aluminium2007(), PEEK()),
        "body_2": (PEEK(), PEEK()),
        "instruments": TOOLS,
        "m1": [50.0, 35.0],
        "m2": [50.0, 35.0],
        "speed": [0.05, 0.05],
        "force": [1506.37, 879.12],
        "depth": [143.24e-6, 183.64e-6],
    }
    return ImpactValidation(**values | changes)


@pytest.fixture(scope="module")
def data():
    return parameter_map().compute()


@pytest.mark.slow
def test_reference_and_modelled_peaks_equal_the_published_ones(data):
    # scenarios 4 and 6 at 0.8: Bondoky 2020, tables C.1 and C.2; the modelled ones are without noise
    np.testing.assert_allclose(data.force_d.sel(restitution=0.8), [796.06, 499.46], atol=0.02)
    np.testing.assert_allclose(1e6 * data.depth_d.sel(restitution=0.8), [81.87, 91.34], atol=0.01)
    np.testing.assert_allclose(data.force_m.sel(restitution=0.8), [1320.50, 795.56], rtol=0.025)


@pytest.mark.slow
def test_fidelity_is_the_predicted_fraction_of_the_measured_error(data):
    d, m, h = (data[f"force_{letter}"] for letter in "dmh")
    np.testing.assert_allclose(data.force_fidelity, (m - d) / (h - d))
    np.testing.assert_allclose(data.force_hm, h / m - 1)


def test_the_summary_has_a_line_for_each_impact_and_restitution(data):
    text = parameter_map().summary(data)
    assert "  1  0.80    796.06" in text
    assert text.count("%") > 30


def test_lists_of_different_length_are_named():
    faults = parameter_map(m1=[50.0]).faults()
    assert [fault.path for fault in faults] == ["map.m1"]
    assert "1 entries, but body_1 has 2" in faults[0].text
