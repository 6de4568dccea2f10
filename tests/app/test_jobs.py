"""Jobs are processes of their own: told of, cancelled with what they have, found again by another server."""

import json
import re
import shlex
import subprocess
import sys
import time

import pytest
from filelock import FileLock

from dovetail.app import Deed, Document, Job, Jobs
from dovetail.app.history import live_traces
from dovetail.app.jobs import ABOUT, ENDED, LOCK, OUTPUT, PROGRESS
from dovetail.core.errors import ParameterError
from dovetail.testing import run_folder
from dovetail.testing.operator import LIVE

CS1 = "substructuring/cs1"


def test_a_job_does_what_its_words_do_and_says_how_it_ended(job):
    assert job.state == "done", job.output
    assert job.share == 1.0
    assert "The test ran to its end." in job.output
    assert run_folder.read(job.folder).test.duration == 0.5
    assert job.words[:2] == ["run", CS1]
    assert job.command_line == shlex.join(["dovetail", *job.words])
    assert f"run.save({job.folder.as_posix()!r})" in job.python


def test_another_server_finds_the_jobs_of_before(jobs, job):
    found = Jobs(jobs.runs).all()
    assert [one.place for one in found if one.place == job.place] == [job.place]
    again = next(one for one in found if one.place == job.place)
    assert (again.state, again.folder, again.title) == ("done", job.folder, job.title)


def test_a_cancelled_job_keeps_what_was_computed(jobs):
    document = Document.open(CS1)
    document.set("duration", "20000 s")
    document.set("record_every", "1000")
    started = jobs.start(Deed("rehearse", document))
    while started.state == "runs" and "simulated" not in started.text:
        time.sleep(0.05)
    assert 0 <= started.share < 1
    started.cancel()
    assert started.wait() == "cancelled", started.output
    run = run_folder.read(started.folder)
    assert run.outcome.name == "INTERRUPTED"
    assert 0 < float(run.data.time[-1]) < 20000


def written(tmp_path, **ended):
    """A job as its files say, without a process."""
    place = tmp_path / "job-001"
    place.mkdir()
    about = {
        "what": "rehearse",
        "title": "T",
        "words": ["run"],
        "folder": str(tmp_path / "run"),
        "started": 0.0,
    }
    (place / ABOUT).write_text(json.dumps({**about, "process": 2**22 + 5}), "utf-8")
    (place / OUTPUT).write_text("first\ndovetail: why\n", "utf-8")
    if ended:
        (place / ENDED).write_text(json.dumps(ended), "utf-8")
    return Job(place)


@pytest.mark.parametrize(
    ("code", "state"), [(0, "done"), (3, "stopped"), (4, "no-go"), (130, "cancelled"), (2, "failed")]
)
def test_the_exit_code_says_how_it_ended(tmp_path, code, state):
    assert written(tmp_path, code=code).state == state


def test_a_process_that_ended_without_a_word_has_failed_and_one_that_holds_its_lock_runs(tmp_path):
    job = written(tmp_path)
    assert job.state == "failed"
    assert job.text == "dovetail: why"
    job.cancel()  # nobody is there to be told
    with FileLock(job.place / LOCK):
        (job.place / PROGRESS).write_text('{"doing": "rehearsing", "share": 0.25, "text": "1 s"}', "utf-8")
        assert (job.state, job.share, job.text) == ("runs", 0.25, "rehearsing: 1 s")


def test_buttons_leave_a_wish_where_a_run_goes_on_and_else_say_that_none_does(tmp_path):
    job = written(tmp_path)
    assert "no run that could be told" in job.press("hold", "Ada")
    assert 'no button "jump"' in job.press("jump", "Ada")
    (job.folder / LIVE).mkdir(parents=True)
    assert job.press("hold", "Ada") == ""
    assert job.turn("feedback.share", 0.5, "Ada") == ""
    wishes = [
        json.loads(line) for line in (job.folder / LIVE / "wishes.jsonl").read_text("utf-8").splitlines()
    ]
    assert [(wish["what"], wish["who"]) for wish in wishes] == [("hold", "Ada"), ("turn", "Ada")]
    assert job.presses() == []


def test_what_cannot_be_done_is_refused_and_leaves_nothing(tmp_path):
    with pytest.raises(ParameterError, match="needs the address of a rig"):
        Jobs(tmp_path / "runs").start(Deed("run", Document.open(CS1)))
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_a_run_against_a_served_rig_is_watched_held_and_stopped(jobs, tmp_path):
    """Everything is waited for, nothing timed: the rig says its address, the run its ticks and its presses."""
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
        job = jobs.start(Deed("run", document, rig=found[0]))
        until(job, lambda: live_traces(job.folder))
        for what in ("hold", "resume", "stop"):
            assert job.press(what, "Ada") == ""
            until(job, lambda what=what: [press for press in job.presses() if press.what == what])
        assert job.wait() in ("stopped", "cancelled"), job.output
        assert {press.who for press in job.presses()} == {"Ada"}
        assert float(run_folder.read(job.folder).data.time[-1]) < 600
    finally:
        rig.terminate()
        rig.wait()


def until(job, happened):
    while not happened():
        assert job.state == "runs", job.output
        time.sleep(0.05)


def test_the_dials_of_a_run_are_those_that_its_test_names(tmp_path):
    job = written(tmp_path)
    assert job.dials() == []  # it has not begun
    document = Document.open(CS1)
    assert document.write(document.text + '\n[dials."numerical.c"]\nleast = 5.0\nmost = 30.0\n') == ""
    job.folder.mkdir()
    document.save(job.folder / "test.toml")
    (dial,) = job.dials()
    assert (dial.path, dial.low, dial.high, dial.unit) == ("numerical.c", 5.0, 30.0, "N s/m")
