"""Campaign files: what they say, and everything that is wrong with one at once."""

import numpy as np
import pytest

from dovetail.campaign import Campaign, load, parse
from dovetail.core.errors import OutputError, TestFileError, UnknownNameError

FILE = """
title = "Delay against damping"
test = "substructuring/cs1"
modes = ["emulate", "rehearse"]
measures = ["rms e1"]
constraints = ["delay < damping * 1e-3"]
[set]
duration = "0.2 s"
numerical.m = "3 kg"
[[axis]]
path = "rig.actuator.delay"
values = ["1 ms", "4 ms"]
[[axis]]
path = "numerical.c"
name = "damping"
from = 3
to = 15
count = 3
"""


@pytest.fixture
def file(tmp_path):
    def write(text=FILE):
        path = tmp_path / "delay.toml"
        path.write_text(text)
        return path

    return write


def test_a_file_is_read_with_its_test_and_changes(file):
    campaign = load(file(), {"design.kind": "grid"})
    assert campaign.table["numerical"]["m"] == "3 kg"
    assert [axis.unit for axis in campaign.axes] == ["s", "N s/m"]
    table = campaign.points()
    assert list(zip(table["delay"], table["damping"], strict=True)) == [
        (0.001, 3.0), (0.001, 9.0), (0.001, 15.0), (0.004, 9.0), (0.004, 15.0)
    ]  # fmt: skip


def test_defaults_are_those_of_the_test(file):
    assert [axis.default for axis in load(file()).axes] == [0.003, 15.0]


def test_a_campaign_survives_as_plain_data(file):
    campaign = load(file())
    again = Campaign.from_spec(campaign.spec())
    assert again == campaign
    assert again.fingerprint == campaign.fingerprint


def test_the_fingerprint_is_that_of_the_results(file):
    campaign = load(file())
    assert load(file(), {"title": "another"}).fingerprint == campaign.fingerprint
    assert load(file(), {"set.duration": 0.3}).fingerprint != campaign.fingerprint


def test_all_faults_are_told_at_once(file):
    text = """
test = "substructuring/cs1"
measure = ["rms e1"]
measures = ["rms velocities", "fidelity.lateness", "most e1"]
modes = ["dream"]
seeds = "many"
chunk = -1
[[axis]]
path = "rig.actuator.delay"
values = []
[[axis]]
name = "7"
path = "numerical.c"
values = [1]
[design]
size = 3
"""
    with pytest.raises(TestFileError) as caught:
        load(file(text))
    told = str(caught.value)
    for part in (
        'did you mean "measures"?',
        "velocities",
        "lateness",
        "peak and rms",
        "dream",
        "seeds",
        "chunk",
        "is empty",
        "letters, digits",
        "design.size",
    ):
        assert part in told, part


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {"axis.0.path": "rig.actuator.dely"},
            '"rig.actuator.dely" names no parameter of the test; did you mean "delay"',
        ),
        ({"axis.0.path": "rig.actuator.delay.more"}, "names no parameter"),
        ({"axis.0.path": "numerical.c[2]", "axis.0.values": [1]}, r"names no parameter.*shape \(\)"),
        ({"axis.0.values": ["short", "long"]}, "is a number; its values are words"),
        ({"axis.1.name": "delay"}, "two axes"),
        ({"axis.1.name": "point"}, "is taken"),
        ({"constraints": ["delay > 1"]}, "keep none"),
        (
            {"constraints": ["late > 1"]},
            r'constraints\.0 "late > 1": no measure or axis "late"; known: damping',
        ),
        ({"answers": [{"kind": "best"}]}, r'answers\.0\.kind.*got "best"; one of largest, worst'),
        ({"modes": ["rehearse"]}, "compares with the ideal"),
        ({"modes": ["simulate"]}, "simulate: substructuring/cs1 is a hybrid test"),
        ({"measures": []}, "there are none"),
        ({"axis": []}, "there is none"),
        ({"design.kind": "morris", "design.points": 2}, "break a morris design"),
        ({"test": "docking/map", "set": {}}, "a campaign varies tests"),
        ({"set.numerical.k": "2 kg"}, r"test\.numerical\.k"),
        ({"model": "os:getcwd"}, "name one of"),
        ({"kind": "map"}, "this is read as a campaign"),
    ],
)
def test_a_fault_is_told(file, change, text):
    with pytest.raises(TestFileError, match=text):
        load(file(), change)


def test_files_that_are_not_there_are_told(file, tmp_path):
    with pytest.raises(OutputError, match="give the path of a campaign file"):
        load(tmp_path / "nothing.toml")
    with pytest.raises(UnknownNameError, match="substructuring/cs1"):
        load(file(), {"test": "substructuring/cs0"})
    with pytest.raises(TestFileError, match="cannot be read"):
        load(file(), {"test": "nothing.toml"})
    with pytest.raises(TestFileError, match="is not TOML"):
        load(file("title = "))


def test_functions_beside_the_file_are_found(file, tmp_path):
    (tmp_path / "beside_the_file.py").write_text("def f(x):\n    return {'y': 2 * x}\n")
    path = file('model = "beside_the_file:f"\n[[axis]]\npath = "x"\nvalues = [1, 2]\n')
    assert list(load(path).points()["x"]) == [1, 2]


def test_points_with_the_same_words_follow_each_other(models):
    campaign = parse(
        {
            "model": "campaign_models:oscillator",
            "axis": [
                {"path": "mass", "values": [1, 2]},
                {"path": "law", "values": ["square", "linear"]},
            ],
        }
    )
    table = campaign.points()
    assert list(table["law"]) == ["linear", "linear", "square", "square"]
    np.testing.assert_array_equal(table["mass"], [1, 2, 1, 2])


def test_a_test_names_its_files_from_its_folder_and_a_campaign_from_its_own(tmp_path, monkeypatch):
    (tmp_path / "tests").mkdir()
    for name in ("tests/a.csv", "b.csv", "c.csv"):
        (tmp_path / name).write_text("0,1\n0.1,2\n0.2,3\n")
    (tmp_path / "tests" / "quake.toml").write_text(
        'duration = "0.1 s"\n'
        'numerical = { kind = "oscillator", m = 2.2, c = 15, k = 2250 }\n'
        'rig = { actuator = { kind = "gain", gain = 1 }, specimen = { kind = "spring", k = 2250 } }\n'
        'excitation = { kind = "ground-record", file = "a.csv" }\n'
    )
    of = {"test": "tests/quake.toml", "measures": ["peak displacement"]}
    masses = {"path": "numerical.m", "values": [2.0, 3.0]}
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    as_it_is = parse({**of, "axis": [masses]}, folder=tmp_path)
    assert as_it_is.table["excitation"]["file"] == str(tmp_path / "tests" / "a.csv")
    fixed = parse({**of, "axis": [masses], "set": {"excitation": {"file": "b.csv"}}}, folder=tmp_path)
    assert fixed.table["excitation"]["file"] == str(tmp_path / "b.csv")
    files = {"path": "excitation.file", "values": ["b.csv", "c.csv"]}
    varied = parse({**of, "axis": [files]}, folder=tmp_path)
    assert varied.axes[0].values == (str(tmp_path / "b.csv"), str(tmp_path / "c.csv"))


def test_the_unit_of_an_axis_is_that_of_its_parameter(file):
    with pytest.raises(
        TestFileError, match=r'axis.0.unit   got "deg", and the parameter is in s; leave it out'
    ):
        load(file(FILE.replace('path = "rig.actuator.delay"', 'path = "rig.actuator.delay"\nunit = "deg"')))


def test_every_key_of_a_campaign_stands_in_its_page():
    import re
    from pathlib import Path

    from dovetail.campaign import analyses, axes, distributions, measures, plan, sampling

    page = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "campaigns.md").read_text("utf-8")
    said = set(re.findall(r"[\w.-]+", " ".join(re.findall(r"`([^`\n]+)`", page))))
    known = {*plan.KEYS, *axes.KEYS, *distributions.KINDS, *sampling.KINDS, "points", "seed"}
    known |= {f"stability.{name}" for name in measures.STABILITY}
    for kind, (needed, optional, _) in analyses.KINDS.items():
        known |= {kind, *needed, *optional}
    assert not known - said
