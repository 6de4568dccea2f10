"""Analyses of a campaign are checked before a point is computed."""

import pytest

from dovetail.campaign import parse
from dovetail.campaign.analyses import find_faults
from dovetail.core.errors import TestFileError

NAMES = ["point", "a", "b", "m", "m_rehearse"]


def fault_texts(entry, design="grid", names=NAMES):
    return [f"{fault.path}: {fault.text}" for fault in find_faults([entry], names, design)]


@pytest.mark.parametrize(
    ("entry", "design"),
    [
        ({"kind": "largest-admissible", "parameter": "a", "measure": "m", "limit": 1}, "grid"),
        ({"kind": "worst-cases", "measure": "m_rehearse", "count": 2}, "sobol"),
        ({"kind": "probability", "condition": "sqrt(a) < 2 * pi and m > 0"}, "random"),
        ({"kind": "pareto", "measures": ["-m", "a"]}, "list"),
        (
            {"kind": "saturation", "measure": "m", "parameter": "a", "other_parameter": "b", "fraction": 0.1},
            "grid",
        ),
    ],
)
def test_a_valid_analysis_has_no_fault(entry, design):
    assert fault_texts(entry, design) == []


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ({"kind": "best"}, 'analysis.0.kind: got "best"; expected one of largest-admissible, worst-cases'),
        ({"kind": ["worst-cases"]}, "analysis.0.kind: got ['worst-cases']; expected one of"),
        ("worst-cases", 'analysis.0: got "worst-cases"; expected a table'),
        ({"kind": "worst-cases"}, "analysis.0.measure: is missing; worst-cases needs it"),
        ({"kind": "worst-cases", "measure": "n"}, 'analysis.0.measure: no measure or parameter "n"; '),
        (
            {"kind": "worst-cases", "measure": "m", "cuont": 1},
            'analysis.0.cuont: unknown key; did you mean "count"?',
        ),
        ({"kind": "worst-cases", "measure": "m", "count": 0}, "expected a whole number of at least 1"),
        (
            {"kind": "largest-admissible", "parameter": "a", "measure": "m", "limit": 10**400},
            "expected a finite number",
        ),
        (
            {"kind": "largest-admissible", "parameter": "a", "measure": "m", "limit": 1.0, "fraction": 2.0},
            "got 2; expected a fraction",
        ),
        (
            {"kind": "probability", "condition": "late > 1"},
            'analysis.0.condition: no measure or parameter "late"',
        ),
        ({"kind": "probability", "condition": "a >"}, 'analysis.0.condition: "a >": is not a condition'),
        (
            {"kind": "pareto", "measures": ["-m", "-late"]},
            'analysis.0.measures: no measure or parameter "late"',
        ),
        ({"kind": "sobol", "measure": "m"}, 'sobol: needs a saltelli design, got "grid"'),
    ],
)
def test_a_fault_states_its_key(entry, text):
    assert any(text in line for line in fault_texts(entry)), fault_texts(entry)


def test_undetermined_names_are_not_checked():
    assert fault_texts({"kind": "worst-cases", "measure": "whatever"}, names=None) == []


def test_an_unknown_name_in_an_analysis_is_rejected_when_a_campaign_is_read(small):
    with pytest.raises(
        TestFileError, match='analysis.0.condition.*no measure or parameter "speed"; known: .*frequency'
    ):
        small(analysis=[{"kind": "probability", "condition": "speed > 1"}])


def test_so_is_one_of_a_test(tmp_path):
    table = {
        "test": "substructuring/cs1",
        "measures": ["peak displacement"],
        "parameter": [{"path": "rig.actuator.delay", "values": [0.001]}],
        "analysis": [{"kind": "worst-cases", "measure": "peak_displacment"}],
    }
    with pytest.raises(TestFileError, match='analysis.0.measure.*did you mean "peak_displacement"'):
        parse(table)
