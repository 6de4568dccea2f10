"""Results of a campaign as text: ranges, failures by reason, analyses of its file."""

import numpy as np
import pytest

from dovetail.campaign import Store, analyse, run
from dovetail.campaign.analyses import KINDS
from dovetail.campaign.analysis_results import result_lines, rows
from dovetail.core.errors import ParameterError

RANGES = [{"path": "mass", "min": 1.0, "max": 4.0}, {"path": "stiffness", "min": 50.0, "max": 200.0}]


def results(campaign, folder):
    run(campaign, folder)
    return "\n".join(analyse(folder))


def test_ranges_and_causes_are_reported(small, tmp_path):
    text = results(small(parameter=[{"path": "mass", "values": [-1.0, 1.0, 4.0]}]), tmp_path / "out")
    assert "5 to 10" in text
    assert "1 points failed" in text
    assert "frequency is not finite (first: point 0)" in text


def test_the_analyses_of_a_file_are_computed(small, tmp_path):
    entries = [
        {
            "kind": "largest-admissible",
            "parameter": "mass",
            "measure": "ratio",
            "limit": 0.04,
            "fraction": 0.5,
        },
        {"kind": "worst-cases", "measure": "frequency", "count": 2},
        {"kind": "probability", "condition": "frequency > 6"},
        {"kind": "pareto", "measures": ["-frequency", "ratio"]},
        {"kind": "saturation", "measure": "ratio", "parameter": "mass", "other_parameter": "damping"},
        {"kind": "response-surface", "measure": "frequency", "degree": 2},
    ]
    text = results(small(analysis=entries), tmp_path / "out")
    assert "none of mass: already at mass = 1 the magnitude of ratio is" in text
    assert "10 at point 0" in text
    assert 'python -c "from campaign_models import oscillator; print(oscillator(mass=1.0' in text
    assert "frequency > 6: 50 % of the points (6 of 12)" in text
    assert "points are Pareto-optimal" in text
    assert "damping influences ratio up to mass = 8" in text
    assert "leave-one-out error" in text


def test_an_analysis_without_result_is_counted(small, tmp_path):
    run(small(analysis=[{"kind": "response-surface", "measure": "ratio", "degree": 5}]), tmp_path / "out")
    lines = analyse(tmp_path / "out")
    assert lines.failures == 1
    assert any(line.startswith("no result: ") for line in lines)


@pytest.mark.parametrize(
    ("limit", "text"),
    [
        (0.0004, "none of mass: already at mass = 1 the magnitude of"),
        (4.0, "all of mass: up to the largest value mass = "),
    ],
)
def test_a_limit_met_by_no_value_or_every_value_is_a_result(small, tmp_path, limit, text):
    entry = {
        "kind": "largest-admissible",
        "parameter": "mass",
        "measure": "ratio",
        "limit": limit,
        "fraction": 0.5,
    }
    run(small(analysis=[entry]), tmp_path / "out")
    lines = analyse(tmp_path / "out")
    assert lines.failures == 0
    assert any(line.startswith(text) for line in lines)


@pytest.mark.parametrize(
    ("kind", "text"), [("saltelli", "Sobol indices of"), ("morris", "elementary effects on")]
)
def test_a_sampling_design_for_an_analysis_provides_its_result(small, tmp_path, kind, text):
    campaign = small(parameter=RANGES, design={"kind": kind, "count": 8}, chunk=64, batch=64)
    assert text in results(campaign, tmp_path / "out")


def test_one_at_a_time_ranks(small, tmp_path):
    parameter = [
        {"path": "mass", "values": [1.0, 4.0], "default": 1.0},
        {"path": "law", "values": ["linear", "square"], "default": "linear"},
        {"path": "damping", "values": [0.5, 2.0]},
    ]
    text = results(small(parameter=parameter, design={"kind": "one-at-a-time"}), tmp_path / "out")
    lines = text[text.index("main effects on frequency") :].splitlines()
    assert lines[1].split()[0] == "law"
    assert lines[2].split()[0] == "mass"


def test_rows_have_seeds_and_modes(tmp_path):
    import xarray as xr

    data = xr.Dataset(
        {
            "y": (("point", "seed", "mode"), np.arange(8.0).reshape(2, 2, 2)),
            "z": ("point", [1.0, 2.0]),
            "law": ("point", ["a", "b"]),
        },
        {"seed": [5.0, 6.0], "mode": ["reference", "rehearse"]},
    ).set_coords("law")
    table = rows(data)
    assert list(table["y_reference"]) == [0, 2, 4, 6]
    assert list(table["y"]) == [1, 3, 5, 7]
    assert list(table["z"]) == [1, 1, 2, 2]
    assert list(table["law"]) == ["a", "a", "b", "b"]
    assert list(table["seed"]) == [5, 6, 5, 6]


def test_a_model_may_call_something_outcome(small, tmp_path):
    (tmp_path / "modules" / "campaign_models.py").write_text("def f(x):\n    return {'outcome': 2 * x}\n")
    text = results(
        small(model="campaign_models:f", parameter=[{"path": "x", "values": [0, 1]}]), tmp_path / "out"
    )
    assert "1 0, 1 2" in text


def test_every_analysis_kind_is_registered(small, tmp_path):
    """A file is checked against the list before anything is computed."""
    run(small(), tmp_path / "out")
    with pytest.raises(ParameterError, match=f"one of {', '.join(KINDS)}"):
        result_lines(Store.resume(tmp_path / "out"), {}, {"kind": "none"})
