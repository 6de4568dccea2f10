"""`dovetail run` and `check`: folders, settings, invalid input, interruption."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from dovetail import testing
from dovetail.cli import run, run_options
from dovetail.cli.progress import COMPILING
from dovetail.cli.run import EXIT_STOPPED, _impact_lines, finish_run
from dovetail.core.recording import Recording
from dovetail.studies.registry import find_test
from dovetail.testing import run_folder, test_checks
from dovetail.transfer import Quantiser

SHORT = ("--set", "duration=0.2", "--no-report")


def test_a_run_writes_its_folder_and_prints_the_path(dovetail):
    code, out, _ = dovetail("run", "substructuring/cs1", *SHORT)
    assert code == 0
    assert "critical delay 6.77 ms" in out
    assert "Finished" in out
    run = run_folder.read_run(Path("runs/cs1-rehearse-001"))
    assert run.data.sizes["time"] == 201


def test_a_report_is_written_beside_the_recording(dovetail):
    code, out, _ = dovetail("run", "substructuring/cs1", "--set", "duration=2", "--out", "here")
    assert code == 0
    assert "report    here/report.html" in out
    page = Path("here/report.html").read_text()
    assert "<svg" in page
    assert 'class="plot narrow"' not in page  # a figure more would be waited for


@pytest.mark.parametrize("mode", ["reference", "rehearse"])
def test_modes_are_chosen_by_name(dovetail, mode):
    code, _, _ = dovetail("run", "substructuring/cs1", "--mode", mode, "--out", "here", *SHORT)
    assert code == 0
    assert run_folder.read_run(Path("here")).mode == mode


def test_a_run_can_be_replayed(dovetail):
    dovetail("run", "substructuring/cs1", "--out", "first", *SHORT)
    code, _, _ = dovetail(
        "run", "substructuring/cs1", "--mode", "replay", "--recording", "first", "--out", "again", *SHORT
    )
    assert code == 0
    assert run_folder.read_run(Path("again")).mode == "replay"


def test_a_stopped_test_has_its_own_exit_code_and_keeps_its_data(dovetail):
    code, out, _ = dovetail(
        "run", "substructuring/cs1", "--set", 'limits.force="5 N"', "--out", "here", *SHORT
    )
    assert code == EXIT_STOPPED
    assert "measured force" in out
    assert json.loads(Path("here/outcome.json").read_text())["outcome"] == "FORCE"


def test_check_prints_the_resolved_test(dovetail):
    code, out, _ = dovetail("check", "substructuring/cs1")
    assert code == 0
    assert 'command_hold = "quadratic"' in out
    Path("resolved.toml").write_text(out)
    assert dovetail("check", "resolved.toml") == (0, out, "")
    assert "# limits.frozen_sensor: not set; default 100 ticks (100 ms; rig delay 3 ms)" in out
    _, out, _ = dovetail("check", "substructuring/cs1", "--set", "limits.frozen_sensor=40")
    assert "frozen_sensor = 40" in out
    assert "limits.frozen_sensor: not set" not in out


def test_check_prints_unit_conversions_above_the_test(dovetail):
    lag = '{ kind = "second-order-lag", omega = "16 Hz", damping = 0.6 }'
    code, out, _ = dovetail("check", "substructuring/cs1", "--set", f"rig.actuator={lag}")
    assert code == 0
    assert out.startswith('# rig.actuator.omega: "16 Hz" is 100.531 rad/s: a cycle is 2 pi rad\n')
    assert tomllib.loads(out)["rig"]["actuator"]["omega"] == pytest.approx(32 * 3.141592653589793)


def test_a_run_that_exceeds_the_disk_is_rejected_before_a_folder_is_made(dovetail):
    code, _, err = dovetail(
        "run", "substructuring/cs1", "--set", "rate='100 MHz'", "--set", "duration='1000 s'"
    )
    assert code == 2
    assert (
        "1000 s at 1e+08 Hz are 1e+11 ticks: recording them needs more than 800 GB on the disk of runs" in err
    )
    assert not list(Path().glob("runs/*"))


def test_an_entry_of_a_list_is_set_by_the_path_that_a_campaign_has_for_it(dovetail):
    code, out, _ = dovetail("check", "substructuring/cs2", "--set", 'numerical.k[1]="5 kN/m"')
    assert code == 0
    assert tomllib.loads(out)["numerical"]["k"] == [4750.0, 5000.0]
    code, _, err = dovetail("check", "substructuring/cs2", "--set", "numerical.k[2]=5")
    assert code == 2
    assert "numerical.k[2]   this entry does not exist; the list has 2 entries" in err


def bad_file(change):
    from dovetail.studies.registry import find_test

    text = find_test("substructuring/cs1").read_text()
    Path("bad.toml").write_text(change(text))
    return "bad.toml"


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        (["duraton=3"], 'duraton   unknown key; did you mean "duration"?'),
        (["rate=3 kg"], 'rate   got "3 kg", which is kg; needs a frequency in Hz'),
        (["rig.actuator.delay=-0.001"], "rig.actuator.delay   got -0.001; must be at least 0 s"),
        (
            ["rig.actuator.delay=20 s"],
            "rig.actuator.delay   20 s is longer than the duration of the test, 10 s",
        ),
        (["rate=10"], "rate   RK4: a step of 0.1 s is unstable"),
        (['excitation={kind="table", times=[0,1,20], values=[0,nan,0]}'], "not a number"),
        (["rate"], "expected path=value"),
    ],
)
def test_invalid_settings_are_reported_and_nothing_is_written(dovetail, settings, text):
    arguments = [part for setting in settings for part in ("--set", setting)]
    code, _, err = dovetail("run", "substructuring/cs1", *arguments)
    assert code == 2
    assert text in err
    assert "Traceback" not in err
    assert not Path("runs").exists()


def test_faults_of_a_file_are_reported_with_its_name(dovetail):
    name = bad_file(lambda text: text.replace('kind = "sine"', 'kind = "sign"'))
    code, _, err = dovetail("check", name)
    assert code == 2
    assert 'bad.toml: 1 problem\n  excitation   no kind "sign"; did you mean "sine"?' in err


def test_a_missing_file_is_reported(dovetail):
    code, _, err = dovetail("run", "absent.toml")
    assert code == 2
    assert "absent.toml: cannot be read (no such file or directory)" in err


def test_a_folder_that_exists_is_not_overwritten(dovetail):
    Path("here").mkdir()
    Path("here/mine").touch()
    code, _, err = dovetail("run", "substructuring/cs1", "--out", "here", *SHORT)
    assert code == 2
    assert "exists and is not empty" in err
    assert os.listdir("here") == ["mine"]


def test_an_unwritable_folder_is_reported(dovetail):
    Path("file").touch()
    code, _, err = dovetail("run", "substructuring/cs1", "--out", "file/here", *SHORT)
    assert code == 2
    assert "cannot be written" in err


def test_an_unknown_mode_lists_the_known_ones(dovetail):
    code, _, err = dovetail("run", "substructuring/cs1", "--mode", "rehearsal")
    assert code == 2
    assert 'got "rehearsal"; one of reference, rehearse, ' in err


def test_a_simulation_has_no_modes(dovetail):
    code, _, err = dovetail("run", "capture/swing", "--mode", "pseudodynamic")
    assert code == 2
    assert "is a simulation without a rig. Possible modes: simulate; got pseudodynamic" in err


@pytest.mark.parametrize(
    ("mode", "prepared"), [("rehearse", 1), pytest.param("reference", 0, marks=pytest.mark.slow)]
)
def test_a_command_checks_and_prepares_a_test_once(dovetail, monkeypatch, mode, prepared):
    checked, ready = [], []
    look, prepare = test_checks.step_faults, testing.Test.prepare
    monkeypatch.setattr(test_checks, "step_faults", lambda test: checked.append(test) or look(test))
    monkeypatch.setattr(testing.Test, "prepare", lambda test: ready.append(test) or prepare(test))
    code, out, _ = dovetail(
        "run", "substructuring/cs1", "--mode", mode, "--set", "duration=0.2", "--out", "here"
    )
    assert (code, "report    here/report.html" in out) == (0, True)  # with its stability, ideal and report
    assert (len(checked), len(ready)) == (1, prepared)


@pytest.mark.slow
def test_a_simulation_is_checked_and_prepared_once(dovetail):
    code, out, _ = dovetail("run", "capture/swing", "--set", "duration=0.2", "--out", "here")
    assert code == 0
    assert "report    here/report.html" in out
    assert run_folder.read_run(Path("here")).mode == "simulate"
    code, _, err = dovetail("run", "capture/swing", "--mode", "rehearse")
    assert (code, "got rehearse" in err) == (2, True)


def test_replay_without_a_recording_is_reported(dovetail):
    code, _, err = dovetail("run", "substructuring/cs1", "--mode", "replay")
    assert code == 2
    assert "requires --recording" in err


@pytest.mark.slow
def test_ctrl_c_saves_the_computed_samples(tmp_path):
    """A real interrupt of a real process, in the middle of a long rehearsal."""
    # a shell's background job ignores interrupts, and its children inherit that: listen again
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [
        sys.executable,
        "-c",
        f"{listening}; from dovetail.cli.main import main; main()",
        "run",
        "substructuring/cs1",
    ]
    settings = [
        "--set",
        "duration=2000",  # some twenty seconds, in thirty pieces
        "--set",
        "rig.substeps=200",
        "--out",
        str(tmp_path / "run"),
        "--no-report",
    ]
    process = subprocess.Popen(
        command + settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    try:
        assert process.stdout.readline().startswith("critical delay")
        # the first piece compiles and runs for some seconds; no need to hit a certain moment
        time.sleep(4)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=240)
    finally:
        process.kill()
        process.communicate()  # reaped and its pipes closed, whatever happened
    assert process.returncode == 130, err
    assert "Traceback" not in err
    if "Interrupted" in out:  # else the interrupt came before the first piece was done
        assert f"skipped after the interruption; write it with: dovetail report {tmp_path / 'run'}" in out
        assert "error" not in out  # nothing was compared with an ideal
        kept = run_folder.read_run(tmp_path / "run")
        assert kept.outcome.name == "INTERRUPTED"
        assert kept.data.sizes["time"] > 1000


SATURATED = {
    "stroke": 'rig.actuator={kind="amplitude-limit", limit="0.1 mm"}',
    "speed": 'rig.actuator={kind="rate-limit", limit="0.5 mm/s"}',
    "friction": 'rig.actuator={kind="dead-zone", threshold="30 mm"}',
    "steps": 'rig.actuator={kind="quantiser", resolution="5 mm"}',
    "range of the position sensor": 'rig.position_sensor={kind="amplitude-limit", limit="0.1 mm"}',
    "range of the force sensor": 'rig.sensor={kind="amplitude-limit", limit="0.5 N"}',
}


@pytest.mark.parametrize(
    "what",
    [
        w if w in ("stroke", "range of the force sensor") else pytest.param(w, marks=pytest.mark.slow)
        for w in SATURATED
    ],
)
def test_the_delay_of_a_saturated_rig_is_estimated_or_explained(dovetail, what):
    """Not by -1350 ms: by less than half a period, 167 ms, or not in numbers."""
    words = ("--set", "duration=2", "--set", "limits.growth_rate=inf", "--set", "limits.displacement=inf")
    told = ("--no-report",) if what != "stroke" else ()
    code, out, err = dovetail(
        "run", "substructuring/cs1", *words, "--set", SATURATED[what], "--out", "run", *told
    )
    assert code in (0, 3), err
    found = re.search(r"delay of the measured displacement +(not determined|\S+ ms)\n", out)[1]
    assert not re.search(r"\d{4,}\S* ms|e\+\d+ ms|\bnan\b", out)
    if found == "not determined":
        assert re.search(
            r"note: delay not determined: .*(does not move|does not follow|does not correlate|cannot tell)",
            out,
        )
    else:
        assert -5 < float(found.split()[0]) < 167  # what rounds to the nearest is early half of the time
    if what == "stroke":
        page = Path("run/report.html").read_text()
        assert not re.search(r">[-\u2212]\d\S* ms|\d{4,}\S* ms|e\+\d+ ms", page)


def test_impacts_are_printed_beside_the_reference_with_a_warning_for_coarse_steps():
    test = testing.load(find_test("docking/impact-1dof"), {"rate": "20 kHz", "duration": "0.11 s"})
    ideal = test.reference()
    coarse = dataclasses.replace(test, rig=dataclasses.replace(test.rig, actuator=Quantiser(100e-6)))
    told = _impact_lines(coarse.rehearse(), ideal)
    assert any(line.startswith("reference") and "1.59 kN" in line for line in told)
    assert any(line.startswith("rehearse") for line in told)
    assert told[-1].startswith("warning: the motion has steps of 100 um")
    assert "warning" not in "".join(_impact_lines(ideal, None))
    depth = np.repeat(ideal.data["penetration"].values[:, None], 2, axis=1)
    several = dataclasses.replace(
        ideal, recording=Recording.from_dataset(ideal.data.assign(penetration=(("time", "axis"), depth)))
    )
    (line,) = _impact_lines(several, None)  # no answer is told as one: the report is yet to be written
    assert line.startswith("contacts: not determined: ")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--mode", "realtime", "--address", "udp://127.0.0.1:9"), "no rig answers"),
        (("--mode", "realtime", "--address", "nowhere"), "udp://HOST:PORT"),
        (("--mode", "pseudodynamic", "--address", "tcp://127.0.0.1:9"), "no cell answers"),
        (("--mode", "replay", "--recording", "none"), "result.nc: is missing"),
        (
            ("--set", "rig.specimen.k=[1.0, 2.0]"),
            "a force of 2 axes",
        ),
    ],
)
def test_a_rejected_run_leaves_no_folder(dovetail, words, text):
    for _ in range(2):
        code, _, err = dovetail("run", "substructuring/cs1", "--out", "runs/here", *words)
        assert code == 2
        assert text in err
        assert not Path("runs").exists()


def test_an_empty_folder_of_the_user_remains(dovetail):
    Path("mine").mkdir()
    dovetail(
        "run", "substructuring/cs1", "--out", "mine", "--mode", "realtime", "--address", "udp://127.0.0.1:9"
    )
    assert Path("mine").is_dir()
    assert not list(Path("mine").iterdir())


def test_an_interrupt_after_a_run_keeps_it_and_prints_how_to_write_the_report(tmp_path):
    run = testing.load(find_test("substructuring/cs1"), {"duration": 0.1}).rehearse()
    said, asked = [], []

    def pressed():
        raise KeyboardInterrupt

    assert finish_run(run, tmp_path, pressed, said.append) == 130
    assert said == [f"report    skipped after the interruption; write it with: dovetail report {tmp_path}"]
    stopped = dataclasses.replace(run, outcome=testing.Outcome.INTERRUPTED)
    assert finish_run(stopped, tmp_path, lambda: asked.append(1), said.append) == 130
    assert asked == []
    measured = dataclasses.replace(stopped, mode="realtime")
    assert finish_run(measured, tmp_path, lambda: asked.append(1), said.append) == 130
    assert asked == [1]
    assert finish_run(run, tmp_path, lambda: asked.append(1), said.append) == 0
    assert asked == [1, 1]


def test_long_operations_print_progress(tmp_path, monkeypatch):
    """On a terminal; every stage has a bar with its name from its first moment on."""
    told = []

    @contextmanager
    def progress(task_name, initial_text=COMPILING):
        told.append((task_name, initial_text))
        yield lambda fraction, text: None

    for module in (run, run_options):
        monkeypatch.setattr(module, "progress", progress)
    settings = ["duration=0.1 s"]
    assert run.run_test("substructuring/cs1", None, settings, tmp_path / "run", None, True) == 0
    assert told == [
        ("reading", "cs1.toml"),
        ("assessing", COMPILING),
        ("rehearsing", COMPILING),
        ("reference solution", COMPILING),
        ("report", "drawing"),
    ]
