"""Measures: names and values; measures compiled into the batch agree with `fidelity`."""

import numpy as np
import pytest

from dovetail.campaign.measures import find_function, jax_measure, read_measure
from dovetail.core import user_parts
from dovetail.core.errors import ParameterError, UnknownNameError

VALID = np.array([True, True, True, False])
RECORDS = {
    "displacement": np.array([1.0, -2.0, 2.0, 9.0]),
    "measured_displacement": np.zeros(4),
    "valid": VALID,
}
REFERENCE = {"displacement": np.array([1.0, -1.0, 1.0, 1.0])}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("peak displacement", 2.0),
        ("rms displacement", np.sqrt(3)),
        ("mean displacement", 1 / 3),
        ("min displacement", -2.0),
        ("max displacement", 2.0),
        ("final displacement", 2.0),
        ("rms e1", np.sqrt(2 / 3)),
        ("peak e1", 1.0),
        ("rms e", 1.0),
        ("peak e2", 2.0),
    ],
)
def test_samples_count_up_to_the_end_of_the_run(text, expected):
    measure = read_measure(text)
    assert measure.is_compiled
    assert float(measure.compute(RECORDS, REFERENCE, 0.1)) == pytest.approx(expected, rel=1e-14)


def test_a_measure_has_name_unit_and_required_signals():
    measure = read_measure("peak displacement")
    assert (measure.name, measure.unit, measure.needs_reference) == ("peak_displacement", "m", False)
    assert read_measure("fidelity.rebound_speed_error").unit == "1"
    measure = read_measure("fidelity.delay")
    assert (measure.name, measure.unit, measure.needs_reference) == ("fidelity_delay", "s", True)


def test_a_missing_signal_is_reported():
    with pytest.raises(UnknownNameError, match="known: displacement"):
        read_measure("peak tension").compute(RECORDS, REFERENCE, 0.1)


def test_user_functions_are_measures(models):
    import xarray as xr

    user_parts.load_user_parts(user_parts.read(models))
    measure = read_measure("campaign_models:largest")
    run = xr.Dataset({"displacement": ("time", [1.0, -3.0])})
    assert measure.compute(run, None) == 3.0
    assert not measure.is_compiled
    assert not measure.needs_reference


def test_a_function_can_be_marked_as_compiled():
    assert jax_measure(lambda records, reference, dt: 0.0).is_jax_measure


@pytest.mark.parametrize(
    "text", ["displacement", "median displacement", "mean e1", "campaign_models:nothing"]
)
def test_unknown_measures_are_rejected(models, text):
    user_parts.load_user_parts(user_parts.read(models))
    with pytest.raises(ParameterError, match=text):
        read_measure(text)
    with pytest.raises(UnknownNameError):
        read_measure("fidelity.lateness")


@pytest.mark.parametrize(
    ("text", "remedy"), [("most displacement", 'write "max"'), ("most", 'expected "peak displacement"')]
)
def test_a_retired_measure_is_reported_with_its_new_name(text, remedy):
    with pytest.raises(ParameterError, match=f'"{text}": unknown measure; .*{remedy}'):
        read_measure(text)


@pytest.mark.parametrize("module", ["evilmod", "os", "shutil", "dovetail.core.plain_file"])
def test_no_module_is_imported_that_is_not_a_file_of_parts_or_a_study(module, tmp_path, monkeypatch):
    (tmp_path / "evilmod.py").write_text("raise SystemExit")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownNameError, match=f'no file of parts "{module}.py".*--parts {module}.py'):
        read_measure(f"{module}:write")


def test_of_a_study_only_the_functions_that_its_module_defines_are_called():
    assert find_function("dovetail.studies.docking.campaign_models:impact")
    with pytest.raises(ParameterError, match="is not a function"):
        find_function("dovetail.studies.targets:find_study")


def test_stability_is_that_of_the_test_at_each_point_and_infinite_where_no_delay_destabilises(tmp_path):
    from dovetail import campaign, testing
    from dovetail.campaign.analysis_results import rows
    from dovetail.campaign.plan import find_test
    from dovetail.campaign.probability import probability
    from dovetail.report.campaign import write_campaign

    rng = np.random.default_rng(24)
    delays, stiff = rng.uniform(1e-3, 9e-3, 3).tolist(), [300.0, rng.uniform(1500.0, 2500.0)]
    plan = campaign.parse(
        {
            "test": "substructuring/cs1",
            "set": {"duration": "0.05 s"},
            "measures": ["stability.margin", "stability.growth", "stability.critical_delay"],
            "seeds": 2,
            "parameter": [
                {"path": "rig.actuator.delay", "values": delays},
                {"path": "rig.specimen.k", "values": stiff},
            ],
            "analysis": [{"kind": "worst-cases", "measure": "stability_margin", "count": 1}],
        }
    )
    assert campaign.run(plan, tmp_path / "c").failed == 0
    data = campaign.open_results(tmp_path / "c")
    for delay, k in ((delays[0], stiff[0]), (delays[2], stiff[1])):
        values = {"duration": 0.05, "rig.actuator.delay": delay, "rig.specimen.k": k}
        alone = testing.load(find_test("substructuring/cs1"), values).stability()
        at = data.sel(delay=delay, k=k)
        expected = [alone.margin, alone.growth_rate, alone.critical_delay]
        names = ("stability_margin", "stability_growth", "stability_critical_delay")
        np.testing.assert_allclose([float(at[name]) for name in names], expected, rtol=1e-9)
    assert np.isinf(data.stability_critical_delay.sel(k=300.0)).all()
    table = rows(campaign.open_results(tmp_path / "c", flat=True))
    assert probability(table, "stability_critical_delay > 1").fraction == 0.5  # an infinite delay is a value
    lines = campaign.analyse(tmp_path / "c")
    worst = float(data.stability_margin.min())
    assert any(f"  {worst:.5g} at point" in line for line in lines), lines
    assert any("3 infinite" in line for line in lines)
    assert write_campaign(tmp_path / "c", tmp_path / "c.html").is_file()


def test_unknown_stability_measures_are_rejected():
    with pytest.raises(UnknownNameError, match='did you mean "margin"'):
        read_measure("stability.margins")
    from dovetail.campaign import parse
    from dovetail.core.errors import TestFileError

    table = {
        "test": "capture/swing",
        "measures": ["stability.margin"],
        "parameter": [{"path": "duration", "values": [1.0]}],
    }
    with pytest.raises(TestFileError, match="a test without a rig has no stability measures"):
        parse(table)
