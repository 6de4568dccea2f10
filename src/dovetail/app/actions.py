"""Something to be done with a test, and the words of the command line that do it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dovetail.app.document import Document
from dovetail.cli.run import able
from dovetail.core.errors import ParameterError
from dovetail.testing import ChartFile
from dovetail.testing.limit_monitor import MODES
from dovetail.testing.runnable import Runnable


def deeds(test: Any) -> tuple[str, ...]:
    """What can be done with a test, or whatever a file holds, the usual first; nothing with a cell, which is served."""
    if isinstance(test, ChartFile):
        return ("map",)
    if not isinstance(test, Runnable):
        return ()
    modes = [mode for mode in MODES if mode != "replay" and not test.why_not(mode)]  # that needs a recording
    design = ("design",) if test.rig is not None else ()
    return (test.USUAL, *(mode for mode in modes if mode != test.USUAL), *design)


@dataclass(frozen=True)
class Deed:
    """A mode of a test, its design, or a campaign, with the options that it takes.

    `what` is a mode (emulate, rehearse, run, creep, simulate), "map", "design" or "campaign"; empty is the usual
    mode. Of a campaign `document` is left out and `campaign` names it. `options` are further words, as
    `{"--tolerance": "0.05"}`.
    """

    what: str
    document: Document | None = None
    rig: str | None = None  # udp://HOST:PORT for run; tcp://HOST:PORT for creep, or none for its virtual cell
    key: str | None = None
    campaign: str | None = None  # a study's campaign or a file
    settings: tuple[str, ...] = ()  # of a campaign, as `--set` takes them
    options: dict[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """What its folder is called after."""
        name = self.campaign or (self.document.name if self.document is not None else "")
        return f"{Path(name).stem}-{self.what or 'run'}"

    @property
    def title(self) -> str:
        """What it is done with."""
        return self.document.title if self.document is not None else self.campaign or ""

    def fault(self) -> str:
        """Why it cannot be done, in words; empty if it can."""
        if self.what == "campaign":
            return "" if self.campaign else "name a campaign: a study's, or a file"
        if self.document is None or self.document.test is None:
            return "there is no test to do it with"
        if self.document.fault:
            return self.document.fault
        if self.what == "run" and not self.rig:
            return "run needs the address of a rig, udp://HOST:PORT; serve one with: dovetail rig serve TEST"
        try:
            if self.what in MODES:
                able(self.document.name, self.document.test, self.what)
        except ParameterError as error:
            return str(error)
        return ""

    def words(self, out: Path, file: Path | None = None) -> list[str]:
        """What follows `dovetail`; the test by its name with what was set, or, where only its text says it, `file`."""
        folder = ["--out", str(out)]
        more = [word for option in self.options.items() for word in option if word]
        if self.what == "campaign":
            assert self.campaign is not None
            sets = [word for setting in self.settings for word in ("--set", setting)]
            return ["campaign", self.campaign, *sets, *more, *folder]
        test = self.test_words(file)
        if self.what == "design":
            return ["design", *test, *more, *folder]
        mode = ["--mode", self.what] if self.what in MODES else []
        asked = {"--rig": self.rig, "--key": self.key}
        link = [word for option, value in asked.items() if value for word in (option, value)]
        return ["run", *test, *mode, *link, *more, *folder]

    def test_words(self, file: Path | None = None) -> list[str]:
        """The test as a command takes it."""
        assert self.document is not None
        settings = self.document.settings()
        if settings is None:
            return [str(file if file is not None else self.document.name)]
        return [self.document.name, *(word for setting in settings for word in ("--set", setting))]

    def command_line(self, out: Path, file: Path | None = None) -> str:
        """The whole of it, to be typed into a shell."""
        return shlex.join(["dovetail", *self.words(out, file)])
