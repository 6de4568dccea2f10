"""`dovetail rig`: serve a rig, check it, run a test against it."""

import re
import signal
import subprocess
import sys
import threading
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest

import dovetail as dv
from dovetail.cli.rig import _is_fast_enough
from dovetail.links.link_check import LinkReport
from dovetail.links.live_run import find_live_run
from dovetail.testing import run_folder

# generous: a busy machine may keep either side waiting for seconds
PATIENT = ("--set", "rate=100", "--set", "limits.link_timeout=1000", "--set", "numerical.c=150")


class Url(str):
    """A served rig's address, with the lines that the rig has said."""

    said: list[str]


@pytest.fixture(scope="module")
def rig():
    """A rig served in a process of its own; its address."""
    words = [sys.executable, "-m", "dovetail", "rig", "serve", "substructuring/cs1", "--port", "0", *PATIENT]
    words += ["--max-link-timeout", "60"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    found = Url(re.search(r"udp://\S+:\d+", process.stdout.readline())[0])
    found.said = []
    listening = threading.Thread(target=lambda: found.said.extend(process.stdout), daemon=True)
    listening.start()
    yield found
    process.send_signal(signal.SIGTERM)
    assert process.wait(300) == 0
    listening.join(300)
    process.stdout.close()


def test_a_test_runs_against_a_served_rig(dovetail, rig):
    short = ("--set", "duration=0.3", "--set", "limits.approach_time=0.1", "--set", "limits.return_time=0.1")
    words = (
        "run",
        "substructuring/cs1",
        "--mode",
        "realtime",
        "--address",
        rig,
        *PATIENT,
        *short,
        "--no-report",
    )
    code, out, err = dovetail(*words, "--out", "here")
    assert code == 0, err
    assert "Finished" in out
    assert re.search(r"link +\d+ sent", out)
    run = run_folder.read_run(Path("here"))
    assert (run.mode, run.data.sizes["time"]) == ("realtime", 31)
    assert "simulated rig of CS1" in run.data.attrs["rig"]


def test_a_link_is_checked_without_moving_the_rig(dovetail, rig):
    code, out, _ = dovetail("rig", "check", rig, "--rate", "100", "--count", "20")
    assert code == 0
    assert "20 exchanges at 100 Hz" in out
    assert re.search(r"supports +\d+ Hz", out)
    assert "rig limits      displacement 0.05, force 100" in out


def carried(round_trip, *, delay=1e-3, rate=500.0, c=15.0):
    """What a check says of CS1 on a link whose answers take so long [s]; whether it carries it."""
    numerical = dv.mechanics.Oscillator(m=2.2, c=c, k=2250.0)
    rig = dv.Rig(dv.transfer.Delay(delay), dv.specimens.Spring(k=2250.0))
    report = LinkReport("rig", rate, np.full(100, round_trip), np.zeros(100), 100, False, {})
    return _is_fast_enough(dv.Test(numerical, rig, rate=rate, duration=1.0), report)


def test_a_link_too_slow_for_the_test_fails_the_check(capsys):
    assert carried(1e-4)
    assert "runs at 500 Hz: the link is fast enough" in capsys.readouterr().out
    assert not carried(30e-3)  # supports 20 Hz
    said = capsys.readouterr().out
    assert "runs at 500 Hz: the link is too slow" in said
    assert re.search(r"delay margin +none: .* by \d+\.\d+ ms", said)


def test_the_remaining_delay_decides_and_is_printed(capsys):
    assert not carried(1e-4, delay=9e-3)
    assert "exceeds the delay margin by" in capsys.readouterr().out
    assert carried(1e-4, delay=9e-3, c=150.0)
    assert "no delay destabilises" in capsys.readouterr().out


def test_a_rig_that_does_not_match_the_test_is_rejected_with_the_reason(dovetail, rig):
    code, _, err = dovetail(
        "run", "substructuring/cs1", "--mode", "realtime", "--address", rig, "--no-report"
    )
    assert code == 2
    assert "the rate of the rig is 100 Hz, the rate of the test is 1000 Hz" in err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("run", "substructuring/cs1", "--mode", "realtime"), "--mode realtime: requires --address"),
        (
            ("run", "substructuring/cs1", "--address", "udp://localhost:7001"),
            "--address: not used by rehearse",
        ),
        (("run", "substructuring/cs1", "--key", "rig.key"), "--key: requires --address"),
        (("run", "substructuring/cs1", "--recording", "earlier"), "add --mode replay"),
        (("rig", "check", "udp://127.0.0.1:9"), "no rig answers"),
        (("rig", "check", "localhost"), "udp://HOST:PORT"),
        (("rig", "serve", "substructuring/cs1", "--host", "0.0.0.0"), "is not this machine"),
        (("rig", "serve", "substructuring/cs1", "--key", "nowhere"), "cannot be read as a key"),
    ],
)
def test_all_faults_are_reported_in_one_message(dovetail, words, text):
    code, _, err = dovetail(*words)
    assert code == 2
    assert text in err
    assert "Traceback" not in err


def test_a_rig_served_to_opensees_stops_on_request(tmp_path):
    words = [sys.executable, "-m", "dovetail", "rig", "opensees", "substructuring/cs1", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        assert "1 axes; one step of 0.001 s is one tick" in process.stdout.readline()
        said = process.stdout.readline()
        assert re.search(r"element\('genericClient'.*'-server', \d+, '127.0.0.1'\)", said)
        process.send_signal(signal.SIGTERM)
        assert process.wait(300) == 0


def test_an_existing_key_is_not_overwritten(dovetail):
    assert dovetail("rig", "key", "shared.key")[0] == 0
    assert re.fullmatch(r"[0-9a-f]{32}\n", Path("shared.key").read_text())
    code, _, err = dovetail("rig", "key", "shared.key")
    assert code == 2
    assert "cannot be written" in err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGSTOP, 3)]
)
def test_a_loop_that_is_interrupted_or_paused_ends_well(rig, tmp_path, number, code):
    """Ctrl-C and SIGTERM lead the rig to rest; a pause beyond the agreed silence finds it in its safe state."""
    strict = [word if word != "limits.link_timeout=1000" else "limits.link_timeout=100" for word in PATIENT]
    words = [
        "run",
        "substructuring/cs1",
        "--mode",
        "realtime",
        "--address",
        rig,
        *strict,
        "--out",
        "here",
        "--no-report",
    ]
    words += ["--set", "duration=60"]
    process = subprocess.Popen(
        [sys.executable, "-m", "dovetail", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not _rows(tmp_path / "here"):  # past the approach
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(number)
    if number == signal.SIGSTOP:
        time.sleep(2.0)
        process.send_signal(signal.SIGCONT)
    process.communicate(timeout=600)
    assert process.returncode == code
    run = run_folder.read_run(tmp_path / "here")
    wanted = dv.Outcome.RIG_STOPPED if number == signal.SIGSTOP else dv.Outcome.INTERRUPTED
    assert run.outcome is wanted
    assert run.data.sizes["time"] > 1


def _rows(run):
    """Rows that a run has shown so far."""
    going_on = find_live_run(run)
    window = going_on and going_on.open_ring()
    return window.newest if window else 0


def sweep(tmp_path):
    """A recording of an actuator 7 ms late, written as a table; what says which column is which."""
    t = np.arange(0, 8, 1 / 500)
    u = 5 * np.sin(2 * np.pi * (0.3 * t + 11.7 * t**2 / 16))  # [mm]
    y = 0.96 * np.interp(t - 7e-3, t, u, left=0.0)
    rows = "\n".join(f"{a:.4f};{b:.6f};{c:.6f}" for a, b, c in zip(t, u, y, strict=True))
    (tmp_path / "sweep.csv").write_text("t [s];cmd;lvdt\n" + rows.replace(".", ",") + "\n")
    return ("--command-column", "cmd [mm]", "--measured-column", "lvdt [mm]", "--model-order", "0")


def test_an_identified_rig_is_written_for_a_test_file(dovetail, tmp_path):
    said = sweep(tmp_path)
    code, out, err = dovetail("rig", "identify", "sweep.csv", *said, "--out", "actuator.toml")
    assert code == 0, err
    assert "identified from sweep.csv" in out
    table = tomllib.loads((tmp_path / "actuator.toml").read_text())["rig"]["actuator"]
    delay, gain = table["parts"]
    assert delay["delay"] == pytest.approx(7e-3, abs=5e-5)
    assert gain["gain"] == pytest.approx(0.96, rel=1e-3)
    code, _, err = dovetail("rig", "identify", "sweep.csv", *said, "--out", "actuator.toml")
    assert code == 2
    assert "actuator.toml: cannot be written (file exists)" in err


@pytest.mark.slow
def test_a_design_uses_the_recorded_rig(dovetail, tmp_path):
    """3 ms in the file, 7 ms in the recording."""
    said = sweep(tmp_path)
    words = (
        "design",
        "substructuring/cs1",
        "--set",
        "duration=2",
        "--compensator",
        "none",
        "--robustness",
        "none",
    )
    code, out, err = dovetail(*words, "--recording", "sweep.csv", *said, "--out", "plan")
    assert code == 4, err  # beyond the critical delay of 6.77 ms
    judged = tomllib.loads((tmp_path / "plan" / "test.toml").read_text())["rig"]["actuator"]
    assert judged == tomllib.loads((tmp_path / "plan" / "actuator.toml").read_text())["rig"]["actuator"]
    assert judged["parts"][0]["delay"] == pytest.approx(7e-3, abs=5e-5)
    code, _, err = dovetail(*words, "--recording", "plan", "--time-column", "t")
    assert code == 2
    assert "--time-column: applies to a file" in err
