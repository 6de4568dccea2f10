"""Actions on a test (run, design, campaign, map) and their command lines."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dovetail.app.document import Document
from dovetail.app.loading import require_test
from dovetail.core.errors import ParameterError
from dovetail.testing import MapFile
from dovetail.testing.modes import all_modes, mode_named
from dovetail.testing.test import Test


def available_actions(test: Any) -> tuple[str, ...]:
    """Return the actions available for the content of a test file, the default mode first.

    A robot cell has no action; it is served.
    """
    if isinstance(test, MapFile):
        return ("map",)
    if not isinstance(test, Test):
        return ()
    needing = [name for name, mode in all_modes().items() if "recording" in mode.needs]
    modes = [name for name, reason in test.modes().items() if not reason and name not in needing]
    design = ("design",) if test.rig is not None else ()
    return (test.default_mode, *(name for name in modes if name != test.default_mode), *design)


@dataclass(frozen=True)
class Action:
    """Action: a mode of a test, a map, a design or a campaign, with its options.

    `name` is a mode (reference, rehearse, realtime, pseudodynamic, simulate), "map", "design" or "campaign"; an empty
    string is the default mode. A campaign has no `document`; `campaign` names it. `options` are further options of the
    command line, for example `{"--max-error": "0.05"}`.
    """

    name: str
    document: Document | None = None
    address: str | None = (
        None  # udp://HOST:PORT (realtime); tcp://HOST:PORT or None for a simulated cell (pseudodynamic)
    )
    key: str | None = None
    campaign: str | None = None  # campaign of a study, or a campaign file
    settings: tuple[str, ...] = ()  # values for `--set` of a campaign
    options: dict[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """First part of the name of the output folder."""
        name = self.campaign or (self.document.name if self.document is not None else "")
        return f"{Path(name).stem}-{self.name or 'run'}"

    @property
    def title(self) -> str:
        """Title of the test, or name of the campaign."""
        return self.document.title if self.document is not None else self.campaign or ""

    def fault(self) -> str:
        """Return the reason why the action is not possible; empty if it is possible."""
        if self.name == "campaign":
            return (
                ""
                if self.campaign
                else "no campaign is selected; select one of a study or give a campaign file"
            )
        if self.document is None or self.document.test is None:
            return "no test is open; open a test first"
        if self.document.fault:
            return self.document.fault
        if "address" in mode_named(self.name).needs and not self.address:
            return (
                f"a {mode_named(self.name).title.lower()} needs the address of a rig, udp://HOST:PORT; "
                "serve a simulated rig with: dovetail rig serve TEST"
            )
        try:
            if self.name in all_modes():
                require_test(self.document.name, self.document.test, self.name)
        except ParameterError as error:
            return str(error)
        return ""

    def arguments(self, out: Path, file: Path | None = None) -> list[str]:
        """Return the arguments after `dovetail`.

        The test is given by its name and `--set` options, or by `file` if `--set` cannot express the changes.
        """
        folder = ["--out", str(out)]
        more = [word for option in self.options.items() for word in option if word]
        if self.name == "campaign":
            assert self.campaign is not None
            sets = [word for setting in self.settings for word in ("--set", setting)]
            return ["campaign", self.campaign, *sets, *more, *folder]
        test = self.test_arguments(file)
        if self.name == "design":
            return ["design", *test, *more, *folder]
        mode = ["--mode", self.name] if self.name in all_modes() else []
        link_options = {"--address": self.address, "--key": self.key}
        link = [word for option, value in link_options.items() if value for word in (option, value)]
        return ["run", *test, *mode, *link, *more, *folder]

    def test_arguments(self, file: Path | None = None) -> list[str]:
        """Return the arguments that give the test to a command."""
        assert self.document is not None
        settings = self.document.settings()
        if settings is None:
            return [str(file if file is not None else self.document.name)]
        return [self.document.name, *(word for setting in settings for word in ("--set", setting))]

    def command_line(self, out: Path, file: Path | None = None) -> str:
        """Return the complete command line for a shell."""
        return shlex.join(["dovetail", *self.arguments(out, file)])
