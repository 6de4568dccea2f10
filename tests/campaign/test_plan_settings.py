"""Settings of a campaign file: defaults, replicates, and a fault with the key of each error."""

import pytest

from dovetail.campaign.plan_settings import MAX_SEEDS, read_settings

TABLE = {"measures": ["rms e1"]}


def faults_of(table, subject="test"):
    faults = []
    read_settings(table, subject, faults)
    return [fault.path for fault in faults]


def test_defaults_have_no_fault():
    faults = []
    values = read_settings(TABLE, "test", faults)
    assert not faults
    assert (values["design_kind"], values["point_count"], values["seed"]) == ("grid", 0, 0)
    assert values["measures"] == ("rms e1",)
    assert values["modes"] == values["seeds"] == values["signals"] == ()


def test_a_number_of_seeds_gives_that_many_replicates():
    assert read_settings({**TABLE, "seeds": 3}, "test", [])["seeds"] == (0, 1, 2)
    assert read_settings({**TABLE, "seeds": [7, 4]}, "test", [])["seeds"] == (7, 4)


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"seeds": MAX_SEEDS + 1}, "seeds"),
        ({"seeds": [-1]}, "seeds"),
        ({"modes": ["realtime"]}, "modes"),
        ({"modes": ["emulate"]}, "modes"),
        ({"measures": []}, "measures"),
        ({"measures": ["no such measure"]}, "measures"),
        ({"signals": [1]}, "signals"),
        ({"chunk": -1}, "chunk"),
        ({"batch": 1.5}, "batch"),
        ({"design": "sobol"}, "design"),
        ({"design": {"kind": 3}}, "design.kind"),
        ({"design": {"size": 3}}, "design.size"),
        ({"design": {"count": "many"}}, "design.count"),
    ],
)
def test_an_error_is_reported_under_its_key(change, path):
    assert path in faults_of({**TABLE, **change})


def test_only_a_test_needs_measures():
    assert faults_of({}, "test") == ["measures"]
    assert faults_of({}, "model") == []
