"""Questions of a campaign are checked before a point is computed."""

import pytest

from dovetail.campaign import parse
from dovetail.campaign.analyses import faults
from dovetail.core.errors import TestFileError

KNOWN = ["point", "a", "b", "m", "m_rehearse"]


def told(question, design="grid", known=KNOWN):
    return [f"{fault.place}: {fault.text}" for fault in faults([question], known, design)]


@pytest.mark.parametrize(
    ("question", "design"),
    [
        ({"kind": "largest", "of": "a", "measure": "m", "below": 1}, "grid"),
        ({"kind": "worst", "measure": "m_rehearse", "number": 2}, "sobol"),
        ({"kind": "probability", "rule": "sqrt(a) < 2 * pi and m > 0"}, "random"),
        ({"kind": "pareto", "measures": ["-m", "a"]}, "list"),
        ({"kind": "trade-off", "measure": "m", "along": "a", "other": "b", "share": 0.1}, "grid"),
    ],
)
def test_a_right_question_has_no_fault(question, design):
    assert told(question, design) == []


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ({"kind": "best"}, 'answers.0.kind: got "best"; one of largest, worst'),
        ({"kind": ["worst"]}, "answers.0.kind: got ['worst']; one of"),
        ("worst", 'answers.0: got "worst"; needs a table'),
        ({"kind": "worst"}, "answers.0.measure: is missing; worst needs it"),
        ({"kind": "worst", "measure": "n"}, 'answers.0.measure: no measure or axis "n"; '),
        (
            {"kind": "worst", "measure": "m", "numbr": 1},
            'answers.0.numbr: unknown key; did you mean "number"?',
        ),
        ({"kind": "worst", "measure": "m", "number": 0}, "needs a whole number of at least 1"),
        ({"kind": "largest", "of": "a", "measure": "m", "below": 10**400}, "needs a finite number"),
        ({"kind": "largest", "of": "a", "measure": "m", "below": 1.0, "share": 2.0}, "got 2; needs a share"),
        ({"kind": "probability", "rule": "late > 1"}, 'answers.0.rule: no measure or axis "late"'),
        ({"kind": "probability", "rule": "a >"}, 'answers.0.rule: "a >": is no rule'),
        ({"kind": "pareto", "measures": ["-m", "-late"]}, 'answers.0.measures: no measure or axis "late"'),
        ({"kind": "sobol", "measure": "m"}, 'sobol: needs a saltelli design, this is "grid"'),
    ],
)
def test_what_is_wrong_is_told_with_its_place(question, text):
    assert any(text in line for line in told(question)), told(question)


def test_names_are_not_judged_where_nobody_knows_them():
    assert told({"kind": "worst", "measure": "whatever"}, known=None) == []


def test_a_campaign_that_asks_for_nothing_that_is_there_is_refused_when_it_is_read(small):
    with pytest.raises(TestFileError, match='answers.0.rule.*no measure or axis "speed"; known: .*frequency'):
        small(answers=[{"kind": "probability", "rule": "speed > 1"}])


def test_so_is_one_of_a_test(tmp_path):
    table = {
        "test": "substructuring/cs1",
        "measures": ["peak displacement"],
        "axis": [{"path": "rig.actuator.delay", "values": [0.001]}],
        "answers": [{"kind": "worst", "measure": "peak_displacment"}],
    }
    with pytest.raises(TestFileError, match='answers.0.measure.*did you mean "peak_displacement"'):
        parse(table)
