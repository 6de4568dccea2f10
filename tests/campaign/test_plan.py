"""Campaign files: content, and all faults reported together."""

import numpy as np
import pytest

from dovetail.campaign import Campaign, load, parse
from dovetail.core.errors import OutputError, TestFileError, UnknownNameError

FILE = """
title = "Delay against damping"
test = "substructuring/cs1"
modes = ["reference", "rehearse"]
measures = ["rms e1"]
constraints = ["delay < damping * 1e-3"]
[set]
duration = "0.2 s"
numerical.m = "3 kg"
[[parameter]]
path = "rig.actuator.delay"
values = ["1 ms", "4 ms"]
[[parameter]]
path = "numerical.c"
name = "damping"
min = 3
max = 15
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
    assert [parameter.unit for parameter in campaign.parameters] == ["s", "N s/m"]
    table = campaign.points()
    assert list(zip(table["delay"], table["damping"], strict=True)) == [
        (0.001, 3.0), (0.001, 9.0), (0.001, 15.0), (0.004, 9.0), (0.004, 15.0)
    ]  # fmt: skip


def test_defaults_are_those_of_the_test(file):
    assert [parameter.default for parameter in load(file()).parameters] == [0.003, 15.0]


def test_a_campaign_survives_as_plain_data(file):
    campaign = load(file())
    again = Campaign.from_dict(campaign.to_dict())
    assert again == campaign
    assert again.fingerprint == campaign.fingerprint


def test_the_fingerprint_is_that_of_the_results(file):
    campaign = load(file())
    assert load(file(), {"title": "another"}).fingerprint == campaign.fingerprint
    assert load(file(), {"set.duration": 0.3}).fingerprint != campaign.fingerprint


def test_all_faults_are_reported_at_once(file):
    text = """
test = "substructuring/cs1"
measure = ["rms e1"]
measures = ["rms velocities", "fidelity.lateness", "mean e1"]
modes = ["dream"]
seeds = "many"
chunk = -1
[[parameter]]
path = "rig.actuator.delay"
values = []
[[parameter]]
name = "7"
path = "numerical.c"
values = [1]
[design]
size = 3
"""
    with pytest.raises(TestFileError) as caught:
        load(file(text))
    message = str(caught.value)
    for part in (
        'did you mean "measures"?',
        "velocities",
        "lateness",
        "peak or rms",
        "dream",
        "seeds",
        "chunk",
        "is empty",
        "letters, digits",
        "design.size",
    ):
        assert part in message, part


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            {"parameter.0.path": "rig.actuator.dely"},
            '"rig.actuator.dely" is not a parameter of the test; did you mean "delay"',
        ),
        ({"parameter.0.path": "rig.actuator.delay.more"}, "is not a parameter"),
        (
            {"parameter.0.path": "numerical.c[2]", "parameter.0.values": [1]},
            r"is not a parameter.*shape \(\)",
        ),
        ({"parameter.0.values": ["short", "long"]}, "is a number; got texts"),
        ({"parameter.1.name": "delay"}, "names two parameters"),
        ({"parameter.1.name": "point"}, "is reserved"),
        ({"constraints": ["delay > 1"]}, "none of 6 points satisfies"),
        (
            {"constraints": ["late > 1"]},
            r'constraints\.0 "late > 1": no measure or parameter "late"; known: damping',
        ),
        (
            {"analysis": [{"kind": "best"}]},
            r'analysis\.0\.kind.*got "best"; expected one of largest-admissible',
        ),
        ({"modes": ["rehearse"]}, "needs the reference solution"),
        ({"modes": ["simulate"]}, "simulate: substructuring/cs1 is a hybrid test"),
        ({"measures": []}, "none given"),
        ({"parameter": []}, "none given"),
        ({"design.kind": "morris", "design.count": 2}, "not possible with a morris design"),
        ({"test": "docking/map", "set": {}}, "a campaign varies a test"),
        ({"set.numerical.k": "2 kg"}, r"test\.numerical\.k"),
        ({"model": "os:getcwd"}, "set one of"),
        ({"kind": "map"}, 'got "map"; expected "campaign"'),
    ],
)
def test_a_fault_is_reported(file, change, text):
    with pytest.raises(TestFileError, match=text):
        load(file(), change)


def test_missing_files_are_reported(file, tmp_path):
    with pytest.raises(OutputError, match="give the path of a campaign file"):
        load(tmp_path / "nothing.toml")
    with pytest.raises(UnknownNameError, match="substructuring/cs1"):
        load(file(), {"test": "substructuring/cs0"})
    with pytest.raises(TestFileError, match="cannot be read"):
        load(file(), {"test": "nothing.toml"})
    with pytest.raises(TestFileError, match="is not TOML"):
        load(file("title = "))


def test_functions_of_a_file_of_parts_beside_the_file_are_found(file, tmp_path):
    (tmp_path / "beside_the_file.py").write_text("def f(x):\n    return {'y': 2 * x}\n")
    path = file(
        'parts = ["beside_the_file.py"]\nmodel = "beside_the_file:f"\n[[parameter]]\npath = "x"\nvalues = [1, 2]\n'
    )
    assert list(load(path).points()["x"]) == [1, 2]


def test_points_with_equal_text_values_are_consecutive(models):
    campaign = parse(
        {
            "model": "campaign_models:oscillator",
            "parts": models,
            "parameter": [
                {"path": "mass", "values": [1, 2]},
                {"path": "law", "values": ["square", "linear"]},
            ],
        }
    )
    table = campaign.points()
    assert list(table["law"]) == ["linear", "linear", "square", "square"]
    np.testing.assert_array_equal(table["mass"], [1, 2, 1, 2])


def test_paths_are_relative_to_the_file_that_contains_them(tmp_path, monkeypatch):
    (tmp_path / "tests").mkdir()
    for name in ("tests/a.csv", "b.csv", "c.csv"):
        (tmp_path / name).write_text("0,1\n0.1,2\n0.2,3\n")
    (tmp_path / "tests" / "quake.toml").write_text(
        'duration = "0.1 s"\n'
        'numerical = { kind = "oscillator", m = 2.2, c = 15, k = 2250 }\n'
        'rig = { actuator = { kind = "gain", gain = 1 }, specimen = { kind = "spring", k = 2250 } }\n'
        'excitation = { kind = "ground-record", file = "a.csv" }\n'
    )
    base = {"test": "tests/quake.toml", "measures": ["peak displacement"]}
    masses = {"path": "numerical.m", "values": [2.0, 3.0]}
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    unchanged = parse({**base, "parameter": [masses]}, folder=tmp_path)
    assert unchanged.table["excitation"]["file"] == str(tmp_path / "tests" / "a.csv")
    fixed = parse({**base, "parameter": [masses], "set": {"excitation": {"file": "b.csv"}}}, folder=tmp_path)
    assert fixed.table["excitation"]["file"] == str(tmp_path / "b.csv")
    files = {"path": "excitation.file", "values": ["b.csv", "c.csv"]}
    varied = parse({**base, "parameter": [files]}, folder=tmp_path)
    assert varied.parameters[0].values == (str(tmp_path / "b.csv"), str(tmp_path / "c.csv"))


def test_the_unit_of_an_axis_is_that_of_its_parameter(file):
    with pytest.raises(TestFileError, match=r'parameter.0.unit   got "deg"; the parameter is in s'):
        load(file(FILE.replace('path = "rig.actuator.delay"', 'path = "rig.actuator.delay"\nunit = "deg"')))


def test_every_key_of_a_campaign_is_documented():
    import re
    from pathlib import Path

    from dovetail.campaign import analyses, axes, distributions, measures, plan, sampling

    page = (Path(__file__).resolve().parents[2] / "docs" / "how-to" / "campaigns.md").read_text("utf-8")
    documented = set(re.findall(r"[\w.-]+", " ".join(re.findall(r"`([^`\n]+)`", page))))
    known = {*plan.KEYS, *axes.KEYS, *distributions.KINDS, *sampling.KINDS, "count", "seed"}
    known |= {f"stability.{name}" for name in measures.STABILITY}
    for kind, (required, optional, _) in analyses.KINDS.items():
        known |= {kind, *required, *optional}
    assert not known - documented


@pytest.mark.parametrize(
    "change",
    [
        {"parameter": [{"path": p, "min": 1, "max": 2, "count": 500_000} for p in ("mass", "damping")]},
        {
            "parameter": [{"path": "mass", "min": 1, "max": 2}],
            "design": {"kind": "random", "count": 10**18},
        },
        {"seeds": 1_000_000, "parameter": [{"path": "mass", "min": 1, "max": 2, "count": 1_000_000}]},
    ],
)
def test_a_campaign_larger_than_the_memory_is_rejected_before_its_points_are_computed(small, change):
    with pytest.raises(TestFileError, match=r"of memory.*are available; give fewer values") as refused:
        small(**change)
    assert len(str(refused.value)) < 400


def test_many_parameters_with_many_values_are_rejected_before_the_values_are_computed(small):
    many = [{"path": f"p{i}", "min": 1, "max": 2, "count": 1_000_000} for i in range(1000)]
    with pytest.raises(TestFileError, match="the counts add up to more than 1000000 values"):
        small(parameter=many)
