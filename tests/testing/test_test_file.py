"""Test files: what is right is read, what is wrong is told, all at once."""

import dataclasses
import datetime
import tomllib

import numpy as np
import pytest
import tomli_w

import dovetail as dv
from dovetail.core.errors import OutputError, TestFileError
from dovetail.testing import dump, excitation, load, parse, save_run, test_file

GOOD = """
title = "one mass"
seed = 7
rate = "1 kHz"
duration = "500 ms"

[numerical]
kind = "oscillator"
m = "2200 g"
c = "15 N s/m"
k = "2.25 kN/m"

[rig]
substeps = 2

[[rig.actuator.parts]]
kind = "delay"
delay = "3 ms"

[[rig.actuator.parts]]
kind = "gain"
gain = 1.02

[rig.actuator]
kind = "series"

[rig.specimen]
kind = "spring"
k = 2250

[rig.sensor]
kind = "white-noise"
std = "0.5 N"

[excitation]
kind = "sine"
amplitude = "12 mm"
frequency = "3 Hz"

[limits]
displacement = "5 cm"

[schedule."rig.specimen.k"]
kind = "ramp"
start = 0.1
end = 0.2
initial = 2000
final = 2250
"""


def table(**changes):
    return test_file.change(tomllib.loads(GOOD), {path.replace("__", "."): v for path, v in changes.items()})


def faults(**changes) -> str:
    with pytest.raises(TestFileError) as caught:
        parse(table(**changes), "test.toml")
    return str(caught.value)


def test_units_are_converted_at_the_edge(tmp_path):
    path = tmp_path / "mass.toml"
    path.write_text(GOOD)
    test = load(path)
    assert float(test.numerical.m) == pytest.approx(2.2)
    assert float(test.numerical.k) == pytest.approx(2250.0)
    assert test.rate == 1000.0
    assert test.duration == 0.5
    assert float(test.limits.displacement) == pytest.approx(0.05)
    assert float(test.rig.actuator.parts[0].delay) == pytest.approx(3e-3)
    assert test.rig.substeps == 2


def test_a_resolved_test_reads_back_the_same_and_runs_the_same_to_the_bit():
    test = parse(table())
    again = parse(tomllib.loads(tomli_w.dumps(dump(test))))
    assert dump(again) == dump(test)
    assert again.rehearse().data.identical(test.rehearse().data)


def test_a_resolved_test_holds_every_default():
    resolved = dump(parse(table()))
    assert resolved["compensator"] == {"kind": "none"}
    assert resolved["feedback"]["kind"] == "measured"
    assert resolved["limits"]["force"] == np.inf
    assert resolved["rig"]["command_hold"] == "quadratic"
    assert resolved["method"] == {"kind": "rk4"}
    assert resolved["substeps"] == 1


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"duraton": 3}, 'duraton   unknown key; did you mean "duration"?'),
        ({"rig__actuatr": {}}, 'rig.actuatr   unknown key; did you mean "actuator"?'),
        ({"numerical__mass": 3}, "numerical.mass   unknown key; known: c, k, m, v0, z0"),
        ({"numerical__m": "2 s"}, 'numerical.m   got "2 s", which is s; needs a mass in kg'),
        ({"numerical__m": -1}, "numerical.m   got -1; must be above 0 kg"),
        ({"numerical__m": float("nan")}, "numerical.m   got nan; not a number"),
        ({"numerical__kind": "oscilator"}, 'did you mean "oscillator"?'),
        ({"numerical": {"m": 1}}, "numerical   has no kind; add one of"),
        ({"numerical": 3}, "numerical   got 3; give a table with a kind"),
        ({"rig": 3}, "rig   got 3; give a table"),
        ({"rig__specimen": {"kind": "delay", "delay": 1e-3}}, 'rig.specimen   no kind "delay"'),
        ({"rig__actuator__parts": 3}, "rig.actuator.parts   got 3; give a list of tables"),
        ({"rig__actuator__parts__0__delay": "-3 ms"}, "rig.actuator.parts.0.delay   got -0.003"),
        (
            {"rig__actuator__parts__1__gian": 2},
            'rig.actuator.parts.1.gian   unknown key; did you mean "gain"?',
        ),
        ({"rig__substeps": 1.5}, "rig.substeps   got 1.5; give a whole number"),
        ({"rig__substeps": float("inf")}, "rig.substeps   got inf; give a whole number"),
        ({"rig__substeps": 10**400}, "rig.substeps   got 1000"),
        ({"numerical__k": []}, "numerical.k   got []; give a number or a list of numbers"),
        ({"numerical__k": [[1.0], 2.0]}, "numerical.k   has rows of different lengths"),
        ({"numerical__k": 10**400}, "characters); needs a number; needs N/m"),
        (
            {"numerical__k": datetime.date(2020, 1, 1)},
            "numerical.k   got datetime.date(2020, 1, 1); needs a number",
        ),
        (
            {"numerical__c": 1e300, "numerical__m": 1e-300},
            "numerical   its initial rates are not finite",
        ),
        ({"rate": [100.0, 200.0]}, "rate   got [100.0, 200.0]; give one number"),
        ({"rate": float("inf")}, "rate   got inf; needs a finite number"),
        ({"rig__specimen__k": [1.0, 2.0]}, "rig   rig.specimen: Spring returns a force of 2 axes"),
        ({"kind": ["test"]}, "kind   got ['test']; give one of test, map"),
        ({"rig__command_hold": "spline"}, 'rig.command_hold   got "spline"; one of zoh, foh, quadratic'),
        ({"rate": "1 m"}, 'rate   got "1 m", which is m; needs a frequency in Hz'),
        ({"rate": True}, "rate   got True; needs a number"),
        ({"schedule": 3}, "schedule   got 3; give a table"),
        (
            {"schedule": {"rig.specimen.q": {"kind": "switch", "start": 1, "initial": 0, "final": 1}}},
            "known: c, k",
        ),
        ({"method": "rk5"}, 'method   no kind "rk5"; did you mean "rk4"?'),
        ({"excitation": {"kind": "table", "times": [0, 1], "values": [0, float("nan")]}}, "excitation"),
        (
            {"excitation": {"kind": "table", "times": [[0, 1], [1]], "values": [0]}},
            "rows of different lengths",
        ),
    ],
)
def test_errors_are_reported_with_their_path(changes, text):
    assert text in faults(**changes)


def test_a_missing_key_is_reported():
    content = table()
    del content["numerical"]["m"]
    with pytest.raises(TestFileError, match=r"numerical\.m   is missing"):
        parse(content)


def test_all_faults_are_reported_at_once():
    text = faults(duraton=3, numerical__m=-1, rig__specimen__k="3 kg")
    assert text.startswith("test.toml: 3 problems\n")
    for place in ("duraton", "numerical.m", "rig.specimen.k"):
        assert place in text


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(OutputError, match=r"absent\.toml: cannot be read \(no such file or directory\)"):
        load(tmp_path / "absent.toml")


def test_a_file_that_is_not_toml_is_reported_with_the_line(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("rate = = 3\n")
    with pytest.raises(TestFileError, match=r"bad\.toml: 1 problem\n  file   is not TOML: .*line 1"):
        load(path)


def test_changes_reach_into_lists_and_make_tables():
    changed = test_file.change(
        tomllib.loads(GOOD), {"rig.actuator.parts.0.delay": 5e-3, "compensator.kind": "none"}
    )
    assert changed["rig"]["actuator"]["parts"][0]["delay"] == 5e-3
    assert changed["compensator"] == {"kind": "none"}
    with pytest.raises(TestFileError, match="does not exist; the list has 2"):
        test_file.change(tomllib.loads(GOOD), {"rig.actuator.parts.7.delay": 1.0})
    with pytest.raises(TestFileError, match='"rate" is "1 kHz", not a table'):
        test_file.change(tomllib.loads(GOOD), {"rate.value": 1.0})


def test_changing_a_copy_does_not_change_the_original():
    original = tomllib.loads(GOOD)
    test_file.change(original, {"numerical.m": 9.0})
    assert original == tomllib.loads(GOOD)


def test_a_test_built_in_python_can_be_written_and_read_back(make_cs1):
    test = make_cs1(duration=0.1, title="from Python")
    again = parse(dump(test))
    assert dataclasses.asdict(again).keys() == dataclasses.asdict(test).keys()
    assert again.rehearse().data.identical(test.rehearse().data)
    assert isinstance(again, dv.Test)


def test_file_paths_are_relative_to_the_test_file(tmp_path, monkeypatch):
    home = tmp_path / "tests"
    home.mkdir()
    (home / "quake.csv").write_text("0,1\n0.5,2\n1,3\n")
    quake = (
        '[excitation]\nkind = "ground-motion"\nexcitation = { kind = "ground-record", file = "quake.csv" }\n'
    )
    text = GOOD.replace(GOOD[GOOD.index("[excitation]") : GOOD.index("[limits]")], quake)
    (home / "a.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    first = load("tests/a.toml")
    assert first.excitation.excitation.file == str(home / "quake.csv")
    (home / "other.csv").write_text("0,1\n0.5,2\n1,4\n")
    other = load("tests/a.toml", {"excitation.excitation.file": "other.csv"})  # as a line of that file would
    assert float(other.excitation.excitation.samples[-1]) == 4.0
    with pytest.raises((OutputError, TestFileError), match="none.csv: cannot be read"):
        load("tests/a.toml", {"excitation.excitation.file": "none.csv"})
    folder = save_run(first.with_values(duration=0.01).rehearse(), tmp_path / "run")
    (home / "quake.csv").unlink()
    assert dump(load(folder / "test.toml"))["excitation"] == dump(first)["excitation"]


def test_paths_given_in_python_are_written_as_absolute_paths(tmp_path, monkeypatch):
    (tmp_path / "quake.csv").write_text("0,1\n0.5,2\n1,3\n")
    monkeypatch.chdir(tmp_path)
    test = dataclasses.replace(parse(table()), excitation=excitation.GroundRecord(file="quake.csv"))
    assert dump(test)["excitation"]["file"] == str(tmp_path / "quake.csv")


def test_tunable_ranges_and_schedules_use_the_units_of_their_parameters():
    tunable = {"numerical.k": {"min": "1 kN/m", "max": "3 N/mm", "ramp_time": "2 s"}}
    ramp = {"kind": "switch", "start": "10 ms", "initial": "2 ms", "final": 0.003}
    test = parse(table(tunable=tunable, schedule={"rig.actuator.parts[0].delay": ramp}))
    dial, switch = test.tunable["numerical.k"], test.schedule["rig.actuator.parts[0].delay"]
    assert (float(dial.min), float(dial.max)) == (1000.0, 3000.0)
    assert (float(switch.initial), float(switch.final)) == (0.002, 0.003)
    assert dump(parse(tomllib.loads(tomli_w.dumps(dump(test))))) == dump(test)
    data = dataclasses.replace(test, duration=0.02).rehearse().data
    assert np.isfinite(data.displacement).all()
    wrong = faults(tunable={"numerical.k": {"min": "1 kg", "max": "3 N/mm"}})
    assert 'tunable."numerical.k".min   got "1 kg", which is kg; needs N/m' in wrong
    unknown = faults(tunable={"numerical.q": {"min": "1 kg", "max": 3}})
    assert "tunable.numerical.q   no parameter" in unknown


def test_more_parts_than_a_program_can_hold_are_rejected_before_they_are_built():
    table = tomllib.loads(GOOD)
    table["rig"]["actuator"]["parts"] *= 7500
    with pytest.raises(TestFileError, match=r"file   contains 150\d\d tables; at most 2000 are possible"):
        parse(table)


def test_a_kind_of_many_letters_is_rejected_in_a_short_message():
    table = tomllib.loads(GOOD)
    table["rig"]["specimen"]["kind"] = "x" * 100_000
    with pytest.raises(TestFileError, match=r'no kind "xxx.*100000 characters') as refused:
        parse(table)
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("path", ["numerical.k", "numerical.m", "rig.specimen.k", "excitation.frequency"])
def test_an_infinite_stiffness_mass_or_frequency_is_rejected(path):
    table = tomllib.loads(GOOD)
    part, key = path.rsplit(".", 1)
    node = table
    for step in part.split("."):
        node = node[step]
    node[key] = float("inf")
    with pytest.raises(TestFileError, match=f"{path} .*needs a finite number"):
        parse(table)
