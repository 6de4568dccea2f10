"""Jobs: each action runs the command line in a separate process, so that no page can delay it.

A job writes its output and progress to files in a folder next to the runs (`.studio/NUMBER`), not to a pipe that a
reader must empty. The folder contains everything a server needs, so a restarted server finds earlier jobs, running or
finished. A computation is stopped as by Ctrl-C; data computed so far are saved. A run that moves a rig is stopped by
the request of an operator, because a signal during the saving would lose what was measured.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from dovetail.app import export
from dovetail.app.actions import Action
from dovetail.app.document import replace_text
from dovetail.app.progress_note import PROGRESS_VARIABLE
from dovetail.app.slider_ranges import SliderRange, slider_ranges
from dovetail.app.worker import ENDED, LOCK
from dovetail.core.errors import DovetailError, ParameterError
from dovetail.testing import load, operator
from dovetail.testing.modes import mode_named
from dovetail.testing.operator import OperatorEvent
from dovetail.testing.outcome import Outcome
from dovetail.testing.pseudodynamic.journal import NAME as JOURNAL
from dovetail.testing.run_folder import next_folder
from dovetail.testing.test import Test

INTERRUPTED = "interrupted"  # marker file of a stopped job
JOBS_FOLDER = ".studio"  # folder of jobs, next to the runs
ABOUT, OUTPUT, PROGRESS, TEST = "job.json", "output.txt", "progress.json", "test.toml"
STATES = {0: "done", 3: "stopped", 4: "no-go", 130: "interrupted"}  # by exit code; any other is "failed"
START_TIMEOUT = 20.0  # [s] within which a starting process may not have its lock yet
REPEAT_TIME = 1.0  # [s] within which the same action is not started again: a second click
CLOCK_TOLERANCE = 1.0  # [s] between the clock of the file system and that of the program
MAX_OUTPUT = 200_000  # characters of output that are read


class Job:
    """Running or finished action."""

    def __init__(self, job_folder: Path, process: subprocess.Popen[bytes] | None = None):
        self.job_folder, self._process = job_folder, process
        content: dict[str, Any] = json.loads((job_folder / ABOUT).read_text("utf-8"))
        self.action, self.title = str(content["action"]), str(content["title"])
        self.arguments = [str(word) for word in content["arguments"]]
        self.command_line = shlex.join(["dovetail", *self.arguments])
        self.python = str(content.get("python", ""))
        self.folder = Path(content["folder"])  # output folder
        self.started = float(content["started"])
        self._pid = int(content["process"])
        self._code: int | None = None
        self._outcome: Outcome | None = None
        self.live = mode_named(self.action).live  # whether it moves a rig

    @property
    def address(self) -> str:
        """Address of the rig or the cell; empty without one."""
        words = self.arguments
        return words[words.index("--address") + 1] if "--address" in words else ""

    @property
    def state(self) -> str:
        """State: "runs", "done", "stopped" (by a limit), "no-go" (design), "interrupted" or "failed"."""
        code = self.code
        if code is not None:
            return "done" if self.action == "campaign" and code == 1 else STATES.get(code, "failed")
        if self.alive:
            return "runs"
        # ended before it could write an exit code
        return "interrupted" if (self.job_folder / INTERRUPTED).exists() else "failed"

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        if self._process is not None:
            return self._process.poll() is None
        if time.time() - self.started < START_TIMEOUT and not (self.job_folder / LOCK).exists():
            return True
        try:
            with FileLock(self.job_folder / LOCK, timeout=0):
                return False
        except Timeout:
            return True

    @property
    def code(self) -> int | None:
        """Exit code; None while the job runs, or if it ended without writing one."""
        if self._process is not None:
            self._process.poll()  # collects the exit status, so that no zombie process remains
        if self._code is None:
            content = _read(self.job_folder / ENDED)
            self._code = int(content["code"]) if "code" in content else None
        return self._code

    @property
    def progress(self) -> float | None:
        """Progress of the current step, 0 to 1; None if not known."""
        if self.code is not None:
            return 1.0
        progress = _read(self.job_folder / PROGRESS).get("fraction")
        return float(progress) if isinstance(progress, int | float) else None

    @property
    def text(self) -> str:
        """Progress text, state, or last output line of a failed job."""
        if self.code is None and self.alive:
            content = _read(self.job_folder / PROGRESS)
            return ": ".join(str(content[key]) for key in ("task", "text") if content.get(key)) or "starting"
        lines = [line for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines and self.state == "failed" else self.state

    @property
    def output(self) -> str:
        """Printed output; only the end if it is very long."""
        with contextlib.suppress(OSError), (self.job_folder / OUTPUT).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - MAX_OUTPUT))
            return file.read().decode("utf-8", "replace")
        return ""

    def wait(self, seconds: float | None = None) -> str:
        """Wait until the job has ended (for scripts and tests); return its state."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self.state

    @property
    def phase(self) -> str:
        """Phase of a running job: computing; for a rig preparing, running, held, stopping, saving or reporting.

        From running to stopping the rig can move. Empty when the job has ended.
        """
        if self.state != "runs":
            return ""
        if not self.live:
            return "computing"
        if (self.folder / operator.LIVE).is_dir():
            events = self.operator_events()
            if operator.is_stopping(events):
                return "stopping"
            return "held" if operator.is_held(events) else "running"
        if self._has_written(operator.OUTCOME_FILE):
            return "reporting"
        return "saving" if self._has_written(TEST) else "preparing"

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the run as soon as it is known, before recording and report are written."""
        if self._outcome is None and self._has_written(operator.OUTCOME_FILE):
            self._outcome = _outcome_in(self.folder)
        return self._outcome or _outcome_in(self.folder / operator.LIVE)

    @property
    def can_resume(self) -> bool:
        """Whether the run was interrupted and can be continued in its folder."""
        resumable = mode_named(self.action).resumable and (self.folder / JOURNAL).is_file()
        return resumable and not self.phase and not (self.outcome and self.outcome.completed)

    def _has_written(self, name: str) -> bool:
        """Return whether the job has written a file of its run folder."""
        try:
            return (self.folder / name).stat().st_mtime > self.started - CLOCK_TOLERANCE
        except OSError:
            return False

    def stop(self, user: str) -> str:
        """Stop the job in any phase, or skip the report of a run that is over; return why there is nothing to stop.

        Computed and measured data are saved; a rig is brought to rest.
        """
        if self.live and (self.folder / operator.LIVE).is_dir() and not self._send("stop", user):
            return ""
        if self.phase == "saving":
            return "the run is over; its data are being saved"
        if self.alive:
            (self.job_folder / INTERRUPTED).touch()
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGINT)
        return ""

    # real-time and pseudo-dynamic tests

    def hold(self, held: bool, user: str) -> str:
        """Hold the run, or resume it; return an error message if that fails."""
        return self._send("hold" if held else "resume", user)

    def set_tunable(self, path: str, value: float, user: str) -> str:
        """Set a tunable parameter; return an error message if that fails. The run records the event."""
        return self._send("set", user, path, value)

    def tunables(self) -> list[SliderRange]:
        """Return the tunable parameters of the test with range and initial value."""
        try:
            test = load(self.folder / TEST)
        except (OSError, DovetailError):
            return []  # the run has not started yet
        return slider_ranges(test, test.tunable if isinstance(test, Test) else {})

    def tunable_values(self) -> dict[str, float]:
        """Return the present value of each tunable parameter in the loop; empty if the loop does not show them."""
        from dovetail.links.live_run import find_live_run

        run = find_live_run(self.folder)
        try:
            window = run.open_ring() if run is not None else None
            values = window.latest(1).get("tunable_values") if window is not None else None
        except (OSError, DovetailError):
            return {}
        if values is None or not len(values):
            return {}
        return dict(zip(self._tunable_paths, map(float, values[-1]), strict=True))

    @cached_property
    def _tunable_paths(self) -> tuple[str, ...]:
        """Paths of the tunable parameters, in the order of the loop; read when the loop shows them."""
        return tuple(tomllib.loads((self.folder / TEST).read_text("utf-8"))["tunable"])

    def operator_events(self) -> list[OperatorEvent]:
        """Return the operator events recorded by the run, without those of an earlier part of a resumed run."""
        try:
            events = operator.read_events(self.folder)
            return [event for event in events if event.timestamp >= self.started]
        except (OSError, ValueError, DovetailError):
            return []

    def _send(self, action: str, user: str, path: str = "", value: float | None = None) -> str:
        try:
            operator.send_request(self.folder, action, user, path, value)
        except (OSError, DovetailError):
            return "the run cannot be operated: it has not started to move, or has ended"
        return ""


class Jobs:
    """Jobs of a folder of runs."""

    def __init__(self, runs: str | Path = "runs"):
        self.runs = Path(runs)
        self._known: dict[Path, Job] = {}

    def start(self, action: Action) -> Job:
        """Start a job for an action.

        Raises
        ------
        DovetailError
            If the action is not possible; the message is for the user.
        """
        if fault := action.fault() or self.rig_in_use(action.address) or self._repeats(action):
            raise ParameterError(fault)
        job_folder, out = self._new_job_folder(), self._folder(action)
        file = None
        if action.document is not None and action.document.settings() is None:
            file = job_folder / TEST
            replace_text(file, action.document.text_for(job_folder.resolve()))
        about = {
            "action": action.name or "run",
            "title": action.title,
            "arguments": action.arguments(out, file),
            "python": export.python(action, out, file or export.OWN),
            "folder": str(out),
        }
        return self._start_process(job_folder, about)

    def resume(self, job: Job) -> Job:
        """Continue an interrupted pseudo-dynamic run in its folder.

        Raises
        ------
        DovetailError
            If the run cannot be continued; the message is for the user.
        """
        if not job.can_resume or any(other.folder == job.folder and other.phase for other in self.all()):
            raise ParameterError(f"{job.folder}: is not an interrupted pseudo-dynamic run; start a new run")
        if fault := self.rig_in_use(job.address):
            raise ParameterError(fault)
        arguments = ["--resume" if word == "--out" else word for word in job.arguments]
        about = {"action": job.action, "title": job.title, "arguments": arguments, "folder": str(job.folder)}
        return self._start_process(self._new_job_folder(), about)

    def _new_job_folder(self) -> Path:
        folder = next_folder(self.runs / JOBS_FOLDER, "job")
        folder.mkdir(parents=True)
        return folder

    def _start_process(self, job_folder: Path, about: dict[str, Any]) -> Job:
        """Start the process of a job, and write its description."""
        command = [sys.executable, "-m", "dovetail.app.worker", str(job_folder), *about["arguments"]]
        with (job_folder / OUTPUT).open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # survives the end of the server and Ctrl-C in its terminal
                env={
                    **os.environ,
                    PROGRESS_VARIABLE: str(job_folder / PROGRESS),
                    "PYTHONUNBUFFERED": "1",
                    "COLUMNS": "120",
                },
            )
        about |= {"started": time.time(), "process": process.pid}
        replace_text(job_folder / ABOUT, json.dumps(about))
        job = self._known[job_folder] = Job(job_folder, process)
        return job

    def all(self) -> list[Job]:
        """Return all jobs, newest first."""
        for file in self.runs.glob(f"{JOBS_FOLDER}/*/{ABOUT}"):
            if file.parent not in self._known:
                with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                    self._known[file.parent] = Job(file.parent)
        return sorted(self._known.values(), key=lambda job: -job.started)

    def rig_in_use(self, address: str | None) -> str:
        """Return why a rig cannot be used for another run; empty if it is free."""
        for job in self.all():
            if address and job.address == address and job.phase not in ("", "reporting"):
                return f"{address} is in use by {job.folder.name}; stop that run or wait for its end"
        return ""

    def _repeats(self, action: Action) -> str:
        """Return why an action is a second click on the last one; empty if it is not."""
        for job in self._known.values():
            is_recent = time.time() - job.started < REPEAT_TIME
            if is_recent and job.arguments == action.arguments(job.folder, job.job_folder / TEST):
                return (
                    f"{job.folder.name} has just been started by the same action; wait 1 s to start another"
                )
        return ""

    def last_address(self, mode: str) -> str:
        """Return the address of the rig in use in a mode, otherwise of the last one; empty if there is none."""
        jobs = [job for job in self.all() if job.action == mode and job.address]
        return next((job.address for job in [*(job for job in jobs if job.phase), *jobs]), "")

    def _folder(self, action: Action) -> Path:
        """Return a new output folder that no other job uses."""
        taken = {job.folder for job in self.all()}
        number = 1
        while (folder := self.runs / f"{action.stem}-{number:03d}").exists() or folder in taken:
            number += 1
        return folder


def _outcome_in(folder: Path) -> Outcome | None:
    return Outcome.__members__.get(str(_read(folder / operator.OUTCOME_FILE).get("outcome")))


def _read(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
