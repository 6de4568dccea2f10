"""Jobs: whatever is done with a test is the command line in a process of its own, so that no page can delay it.

A job's output and its progress go into files of a folder beside the runs (`.studio/NUMBER`), and never into a pipe that
somebody would have to empty. The folder is all that a server needs to know of a job: one that is started anew finds
those of before, running or not. A job is cancelled as by Ctrl-C, and keeps what was computed.
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
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from dovetail.app import export
from dovetail.app.actions import Deed
from dovetail.app.document import replace_text
from dovetail.app.slider_ranges import Knob, knobs
from dovetail.app.worker import ENDED, LOCK
from dovetail.cli.progress import PLACE
from dovetail.core.errors import DovetailError, ParameterError
from dovetail.testing import load, operator
from dovetail.testing.operator import Press
from dovetail.testing.run_folder import next_folder
from dovetail.testing.runnable import Runnable

CANCELLED = "cancelled"  # file of a job that was asked to end
KEPT = ".studio"  # folder of jobs, beside the runs
ABOUT, OUTPUT, PROGRESS, TEST = "job.json", "output.txt", "progress.json", "test.toml"
STATES = {0: "done", 3: "stopped", 4: "no-go", 130: "cancelled"}  # by exit code; any other is "failed"
BEGINNING = 20.0  # [s] in which a process may not have its lock yet
LONGEST = 200_000  # characters of output that are read


class Job:
    """Something that is done, or was."""

    def __init__(self, place: Path, process: subprocess.Popen[bytes] | None = None):
        self.place, self._process = place, process
        told: dict[str, Any] = json.loads((place / ABOUT).read_text("utf-8"))
        self.what, self.title = str(told["what"]), str(told["title"])
        self.words = [str(word) for word in told["words"]]
        self.command_line, self.python = shlex.join(["dovetail", *self.words]), str(told.get("python", ""))
        self.folder = Path(told["folder"])  # that it writes
        self.started = float(told["started"])
        self._pid = int(told["process"])
        self._code: int | None = None

    @property
    def state(self) -> str:
        """ "runs", "done", "stopped" by a limit, "no-go" of a design, "cancelled", or "failed"."""
        code = self.code
        if code is not None:
            return "done" if self.what == "campaign" and code == 1 else STATES.get(code, "failed")
        if self.alive:
            return "runs"
        return "cancelled" if (self.place / CANCELLED).exists() else "failed"  # before it could say a word

    @property
    def alive(self) -> bool:
        """Whether its process is there."""
        if self._process is not None:
            return self._process.poll() is None
        if time.time() - self.started < BEGINNING and not (self.place / LOCK).exists():
            return True
        try:
            with FileLock(self.place / LOCK, timeout=0):
                return False
        except Timeout:
            return True

    @property
    def code(self) -> int | None:
        """Its exit code; None while it runs, or where it ended without a word."""
        if self._process is not None:
            self._process.poll()  # the system forgets it once it was asked how it ended
        if self._code is None:
            told = _read(self.place / ENDED)
            self._code = int(told["code"]) if "code" in told else None
        return self._code

    @property
    def share(self) -> float | None:
        """How much of what it does now is done, in [0, 1]; None where that is not known."""
        if self.code is not None:
            return 1.0
        share = _read(self.place / PROGRESS).get("share")
        return float(share) if isinstance(share, int | float) else None

    @property
    def text(self) -> str:
        """What goes on, in words."""
        if self.code is None and self.alive:
            told = _read(self.place / PROGRESS)
            return ": ".join(str(told[key]) for key in ("doing", "text") if told.get(key)) or "starting"
        lines = [line for line in self.output.splitlines() if line.strip()]
        return lines[-1] if lines and self.state == "failed" else self.state

    @property
    def output(self) -> str:
        """What it printed, the end of it where it is very long."""
        with contextlib.suppress(OSError), (self.place / OUTPUT).open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - LONGEST))
            return file.read().decode("utf-8", "replace")
        return ""

    def wait(self, seconds: float | None = None) -> str:
        """Wait until it has ended, for scripts and tests; its state."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(seconds)
        return self.state

    def cancel(self) -> None:
        """End it as Ctrl-C does: what was computed is kept, a rig is led to rest."""
        if self.alive:
            (self.place / CANCELLED).touch()
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGINT)

    # of a test that runs against a rig or a cell

    def press(self, what: str, who: str) -> str:
        """Press hold, resume or stop; why that cannot be, in words."""
        if what not in ("hold", "resume", "stop"):
            return f'no button "{what}"; there are hold, resume, stop'
        return self._wish(what, who)

    def turn(self, path: str, value: float, who: str) -> str:
        """Turn a dial; why that cannot be, in words. What the run makes of it is among its presses."""
        return self._wish("turn", who, path, value)

    def dials(self) -> list[Knob]:
        """What its test lets be turned while it runs, from where to where, and where it began."""
        try:
            test = load(self.folder / TEST)
        except (OSError, DovetailError):
            return []  # it has not begun yet
        return knobs(test, test.dials if isinstance(test, Runnable) else {})

    def presses(self) -> list[Press]:
        """What was pressed, as the run noted it."""
        try:
            return operator.presses(self.folder)
        except (OSError, DovetailError):
            return []

    def _wish(self, what: str, who: str, path: str = "", value: float | None = None) -> str:
        try:
            operator.wish(self.folder, what, who, path, value)
        except (OSError, DovetailError):
            return "there is no run that could be told: it has not begun to move, or is over"
        return ""


class Jobs:
    """The jobs beside a folder of runs."""

    def __init__(self, runs: str | Path = "runs"):
        self.runs = Path(runs)
        self._known: dict[Path, Job] = {}

    def start(self, deed: Deed) -> Job:
        """Begin to do something.

        Raises
        ------
        DovetailError
            If it cannot be done, in the words for the user.
        """
        if fault := deed.fault():
            raise ParameterError(fault)
        place = next_folder(self.runs / KEPT, "job")
        place.mkdir(parents=True)
        out = self._folder(deed)
        file = None
        if deed.document is not None and deed.document.settings() is None:
            file = place / TEST
            replace_text(file, deed.document.text_for(place.resolve()))
        words = deed.words(out, file)
        command = [sys.executable, "-m", "dovetail.app.worker", str(place), *words]
        with (place / OUTPUT).open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # the end of the server, or a Ctrl-C there, is none of it
                env={**os.environ, PLACE: str(place / PROGRESS), "PYTHONUNBUFFERED": "1", "COLUMNS": "120"},
            )
        about = {
            "what": deed.what or "run",
            "title": deed.title,
            "words": words,
            "python": export.python(deed, out, file or export.OWN),
            "folder": str(out),
            "started": time.time(),
            "process": process.pid,
        }
        replace_text(place / ABOUT, json.dumps(about))
        job = self._known[place] = Job(place, process)
        return job

    def all(self) -> list[Job]:
        """Every job that is known here, the newest first."""
        for file in self.runs.glob(f"{KEPT}/*/{ABOUT}"):
            if file.parent not in self._known:
                with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                    self._known[file.parent] = Job(file.parent)
        return sorted(self._known.values(), key=lambda job: -job.started)

    def _folder(self, deed: Deed) -> Path:
        """A folder that no run has and no job will write."""
        taken = {job.folder for job in self.all()}
        number = 1
        while (folder := self.runs / f"{deed.stem}-{number:03d}").exists() or folder in taken:
            number += 1
        return folder


def _read(file: Path) -> dict[str, Any]:
    try:
        told = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}
