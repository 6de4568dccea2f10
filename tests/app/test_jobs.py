"""Jobs run in separate processes: state, cancellation, and discovery by another server."""

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest
from filelock import FileLock

from dovetail.app import Action, Document, Job, Jobs
from dovetail.app.jobs import ABOUT, ENDED, LOCK, OUTPUT, PROGRESS
from dovetail.app.live_window import live_window
from dovetail.core.errors import ParameterError
from dovetail.testing import Outcome, run_folder
from dovetail.testing.operator import LIVE, REQUESTS_FILE, Operator

CS1 = "substructuring/cs1"


def test_job_runs_its_command_and_reports_state(job):
    assert job.state == "done", job.output
    assert job.progress == 1.0
    assert "Finished" in job.output
    assert run_folder.read_run(job.folder).test.duration == 0.5
    assert job.arguments[:2] == ["run", CS1]
    assert job.command_line == shlex.join(["dovetail", *job.arguments])
    assert f"run.save({job.folder.as_posix()!r})" in job.python


def test_another_server_finds_earlier_jobs(jobs, job):
    found = Jobs(jobs.runs).all()
    assert [one.job_folder for one in found if one.job_folder == job.job_folder] == [job.job_folder]
    again = next(one for one in found if one.job_folder == job.job_folder)
    assert (again.state, again.folder, again.title) == ("done", job.folder, job.title)


def test_a_stopped_computation_keeps_computed_data(jobs):
    document = Document.open(CS1)
    document.set("duration", "20000 s")
    document.set("record_every", "1000")
    started = jobs.start(Action("rehearse", document))
    while started.state == "runs" and "simulated" not in started.text:
        time.sleep(0.05)
    assert 0 <= started.progress < 1
    assert started.stop("Ada") == ""
    assert started.wait() == "interrupted", started.output
    run = run_folder.read_run(started.folder)
    assert run.outcome.name == "INTERRUPTED"
    assert 0 < float(run.data.time[-1]) < 20000


def job_from_files(tmp_path, action="rehearse", **ended):
    """Return a job from its files, without a process."""
    place = tmp_path / "job-001"
    place.mkdir(parents=True)
    about = {
        "action": action,
        "title": "T",
        "arguments": ["run"],
        "folder": str(tmp_path / "run"),
        "started": 0.0,
    }
    (place / ABOUT).write_text(json.dumps({**about, "process": 2**22 + 5}), "utf-8")
    (place / OUTPUT).write_text("first\ndovetail: why\n", "utf-8")
    if ended:
        (place / ENDED).write_text(json.dumps(ended), "utf-8")
    return Job(place)


@pytest.mark.parametrize(
    ("code", "state"), [(0, "done"), (3, "stopped"), (4, "no-go"), (130, "interrupted"), (2, "failed")]
)
def test_state_follows_from_exit_code(tmp_path, code, state):
    assert job_from_files(tmp_path, code=code).state == state


def test_job_without_exit_code_has_failed_unless_its_lock_is_held(tmp_path):
    job = job_from_files(tmp_path)
    assert job.state == "failed"
    assert job.text == "dovetail: why"
    job.stop("Ada")  # no process receives it
    with FileLock(job.job_folder / LOCK):
        (job.job_folder / PROGRESS).write_text(
            '{"task": "rehearsing", "fraction": 0.25, "text": "1 s"}', "utf-8"
        )
        assert (job.state, job.progress, job.text) == ("runs", 0.25, "rehearsing: 1 s")


def test_operator_requests_are_written_for_a_live_run_only(tmp_path):
    job = job_from_files(tmp_path)
    assert "cannot be operated" in job.hold(True, "Ada")
    (job.folder / LIVE).mkdir(parents=True)
    assert job.hold(True, "Ada") == ""
    assert job.set_tunable("feedback.measured_fraction", 0.5, "Ada") == ""
    requests = [
        json.loads(line)
        for line in (job.folder / LIVE / "operator_requests.jsonl").read_text("utf-8").splitlines()
    ]
    assert [(request["action"], request["user"]) for request in requests] == [("hold", "Ada"), ("set", "Ada")]
    assert job.operator_events() == []


def test_phase_of_a_run_with_a_rig_follows_from_its_folder(tmp_path):
    job = job_from_files(tmp_path, "realtime")
    assert job.phase == ""
    with FileLock(job.job_folder / LOCK):
        assert job.phase == "preparing"
        rig = Operator(job.folder)
        (job.folder / LIVE).mkdir(parents=True)
        (job.folder / "test.toml").touch()
        assert job.phase == "running"
        for press, phase in (
            (lambda: rig.hold(True, "Ada"), "held"),
            (lambda: rig.hold(False, "Ada"), "running"),
            (lambda: rig.hold(True, "Ada"), "held"),
            (lambda: rig.stop("Ben"), "stopping"),
            (lambda: rig.hold(True, "Ada"), "stopping"),
        ):
            press()
            assert job.phase == phase
        assert job.outcome is None
        rig.show_outcome(Outcome.FORCE)
        rig.show_outcome(Outcome.INTERRUPTED)  # of the same end
        assert job.outcome is Outcome.FORCE
        shutil.rmtree(job.folder / LIVE)
        assert job.phase == "saving"
        (job.folder / "outcome.json").write_text('{"outcome": "LINK_LOST"}', "utf-8")
        assert job.phase == "reporting"
        assert job.outcome is Outcome.LINK_LOST
    assert job_from_files(tmp_path / "other").phase == ""


def test_a_stop_is_a_request_while_the_rig_moves_and_never_a_signal_while_data_are_saved(
    tmp_path, monkeypatch
):
    job, signals = job_from_files(tmp_path, "realtime"), []
    monkeypatch.setattr("os.kill", lambda process, number: signals.append(number))
    with FileLock(job.job_folder / LOCK):
        (job.folder / LIVE).mkdir(parents=True)
        (job.folder / "test.toml").touch()
        assert job.stop("Ben") == ""
        assert '"stop"' in (job.folder / LIVE / REQUESTS_FILE).read_text("utf-8")
        shutil.rmtree(job.folder / LIVE)
        assert "being saved" in job.stop("Ben")
        assert signals == []
        (job.folder / "outcome.json").touch()
        assert job.stop("Ben") == ""  # the report is skipped
        assert signals == [signal.SIGINT]


def test_a_rig_in_use_starts_no_second_run(tmp_path):
    jobs, address = Jobs(tmp_path / "runs"), "udp://127.0.0.1:9"
    again = Action("realtime", Document.open(CS1), address=address)
    first = jobs.start(again)  # of two clicks
    with pytest.raises(ParameterError, match=f"in use by {first.folder.name}"):
        jobs.start(again)
    with pytest.raises(ParameterError, match="in use"):
        Jobs(tmp_path / "runs").start(again)  # of another server
    assert first.wait() == "failed"  # nothing answers there
    assert jobs.start(again).wait() == "failed"


@pytest.mark.slow
def test_an_interrupted_pseudodynamic_run_is_continued_in_its_folder(tmp_path, pseudodynamic_text):
    (tmp_path / "test.toml").write_text(pseudodynamic_text, "utf-8")
    jobs = Jobs(tmp_path / "runs")
    first = jobs.start(Action("pseudodynamic", Document.open(str(tmp_path / "test.toml"))))
    while first.phase in ("preparing", "running") and first.hold(True, "Ada"):
        time.sleep(0.01)  # not yet in motion
    until(first, lambda: first.phase == "held")
    assert not first.can_resume
    with pytest.raises(ParameterError, match="not an interrupted"):
        jobs.resume(first)
    assert first.stop("Ada") == ""
    assert first.wait() == "interrupted", first.output
    again = next(job for job in Jobs(tmp_path / "runs").all() if job.can_resume)  # of another server
    second = jobs.resume(again)
    assert second.folder == first.folder
    assert second.wait() == "done", second.output
    assert run_folder.read_run(second.folder).outcome is Outcome.FINISHED
    assert second.operator_events() == []  # hold and stop were of the first part
    assert not second.can_resume


def test_impossible_action_raises_and_writes_nothing(tmp_path):
    with pytest.raises(ParameterError, match="needs the address of a rig"):
        Jobs(tmp_path / "runs").start(Action("realtime", Document.open(CS1)))
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_operator_holds_and_stops_a_real_time_run(jobs, tmp_path):
    """All events are waited for; no fixed times."""
    output = tmp_path / "rig.txt"
    command = [sys.executable, "-m", "dovetail", "rig", "serve", CS1, "--port", "0"]
    with output.open("wb") as file:
        rig = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    try:
        while not (found := re.search(r"udp://\S+:\d+", output.read_text("utf-8"))):
            assert rig.poll() is None, output.read_text("utf-8")
            time.sleep(0.1)
        document = Document.open(CS1)
        document.set("duration", "600 s")
        document.set("record_every", "10")
        job = jobs.start(Action("realtime", document, address=found[0]))
        until(job, lambda: live_window(job.folder))
        for act, phase in (
            (lambda: job.hold(True, "Ada"), "held"),
            (lambda: job.hold(False, "Ada"), "running"),
        ):
            assert act() == ""
            until(job, lambda phase=phase: job.phase == phase)
        assert job.stop("Ada") == ""
        assert job.wait() == "interrupted", job.output
        assert (job.folder / "report.html").is_file()  # what was measured is reported
        assert {event.user for event in job.operator_events()} == {"Ada"}
        assert float(run_folder.read_run(job.folder).data.time[-1]) < 600
    finally:
        rig.terminate()
        rig.wait()


def until(job, happened):
    while not happened():
        assert job.state == "runs", job.output
        time.sleep(0.05)


def test_tunables_of_a_run_are_those_of_its_test(tmp_path):
    job = job_from_files(tmp_path)
    assert job.tunables() == []  # the run has not started
    document = Document.open(CS1)
    assert document.write(document.text + '\n[tunable."numerical.c"]\nmin = 5.0\nmax = 30.0\n') == ""
    job.folder.mkdir()
    document.save(job.folder / "test.toml")
    (dial,) = job.tunables()
    assert (dial.path, dial.low, dial.high, dial.unit) == ("numerical.c", 5.0, 30.0, "N s/m")
