"""Measures: what their words mean, and that those inside the batch are those of `fidelity`."""

import numpy as np
import pytest

from dovetail.campaign.measures import compiled, read_measure
from dovetail.core.errors import ParameterError, UnknownNameError

KEPT = np.array([True, True, True, False])
RECORDS = {
    "displacement": np.array([1.0, -2.0, 2.0, 9.0]),
    "measured_displacement": np.zeros(4),
    "kept": KEPT,
}
IDEAL = {"displacement": np.array([1.0, -1.0, 1.0, 1.0])}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("peak displacement", 2.0),
        ("rms displacement", np.sqrt(3)),
        ("mean displacement", 1 / 3),
        ("least displacement", -2.0),
        ("most displacement", 2.0),
        ("last displacement", 2.0),
        ("rms e1", np.sqrt(2 / 3)),
        ("peak e1", 1.0),
        ("rms e", 1.0),
        ("peak e2", 2.0),
    ],
)
def test_samples_count_up_to_the_end_of_the_run(text, expected):
    measure = read_measure(text)
    assert measure.compiled
    assert float(measure.compute(RECORDS, IDEAL, 0.1)) == pytest.approx(expected, rel=1e-14)


def test_its_name_unit_and_need_are_known():
    measure = read_measure("peak displacement")
    assert (measure.name, measure.unit, measure.needs_ideal) == ("peak_displacement", "m", False)
    measure = read_measure("fidelity.delay")
    assert (measure.name, measure.unit, measure.needs_ideal) == ("fidelity_delay", "s", True)


def test_a_signal_that_is_not_recorded_is_told():
    with pytest.raises(UnknownNameError, match="known: displacement"):
        read_measure("peak tension").compute(RECORDS, IDEAL, 0.1)


def test_users_functions_are_found(models):
    import xarray as xr

    measure = read_measure("campaign_models:largest")
    run = xr.Dataset({"displacement": ("time", [1.0, -3.0])})
    assert measure.compute(run, None) == 3.0
    assert not measure.compiled
    assert not measure.needs_ideal


def test_a_function_can_be_marked_as_compiled():
    assert compiled(lambda records, ideal, dt: 0.0).compiled


@pytest.mark.parametrize(
    "text", ["displacement", "median displacement", "mean e1", "campaign_models:nothing"]
)
def test_words_that_mean_nothing_are_told(models, text):
    with pytest.raises(ParameterError, match=text):
        read_measure(text)
    with pytest.raises(UnknownNameError):
        read_measure("fidelity.lateness")
