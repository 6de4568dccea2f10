"""Options of a run on the command line, and the run with them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.cli.progress import COMPILING, progress
from dovetail.core.errors import OutputError, ParameterError
from dovetail.core.renamed import new_name, remark
from dovetail.testing import begin_run
from dovetail.testing.modes import Mode, all_modes, mode_named

if TYPE_CHECKING:
    from dovetail.core.advance import Progress
    from dovetail.links.live_run import Live
    from dovetail.testing import Run

CONNECTING = "connecting and compiling"
REQUIRED = {  # message for a missing option
    "recording": "--recording with the folder of a recorded run",
    "address": "--address udp://HOST:PORT; serve a simulated rig with: dovetail rig serve TEST",
}
TAKEN_AS = {"address": ("address", "cell"), "recording": ("recording",)}  # arguments that an option gives
UNUSED = {  # message for an option that the mode does not use
    "address": "add --mode realtime for a rig, or --mode pseudodynamic for a robot cell",
    "recording": "add --mode replay",
}


@dataclass(frozen=True)
class RunOptions:
    """Options of a run, as given on the command line."""

    recording: Path | None = None  # folder of the recorded run
    address: str | None = None  # of a rig or a robot cell
    key: Path | None = None  # file with the shared key
    folder: Path | None = None  # run folder
    resume: Path | None = None  # run folder to continue
    live: bool = False  # whether the run can be watched and operated

    def check_required(self, name: str | None) -> None:
        """Raise `ParameterError` for an unknown mode, and for options that the mode requires or excludes."""
        if name is not None and name not in all_modes():
            raise ParameterError(
                f'--mode: got "{name}"; {remark(new_name("modes", name)) or "one of " + ", ".join(all_modes())}'
            )
        if self.resume is not None and not mode_named(name).resumable:
            modes = " or ".join(f"--mode {each}" for each, mode in all_modes().items() if mode.resumable)
            raise ParameterError(f"--resume: requires {modes}")
        if self.resume is not None and not self.resume.is_dir():
            raise OutputError(
                f"--resume: {self.resume} is not a directory; give the folder of a pseudo-dynamic test"
            )
        for option in mode_named(name).needs:
            if getattr(self, option) is None:
                raise ParameterError(f"--mode {name}: requires {REQUIRED[option]}")

    def check_unused(self, name: str) -> None:
        """Raise `ParameterError` for an option that the mode does not use: a rehearsal must not pass for a rig test."""
        mode = all_modes()[name]
        for option, arguments in TAKEN_AS.items():
            if getattr(self, option) is not None and not {*arguments} & {*mode.needs, *mode.takes}:
                raise ParameterError(f"--{option}: not used by {name}; {UNUSED[option]}")
        if self.key is not None and self.address is None:
            raise ParameterError("--key: requires --address of the rig or robot cell")


def run_with_progress(
    test: Any, name: str, options: RunOptions | None = None, task: str | None = None
) -> Run:
    """Run a test in a mode, with a progress bar."""
    mode = all_modes()[name]
    with (
        ExitStack() as stack,
        progress(task or mode.task, CONNECTING if mode.live else COMPILING) as report,
    ):
        return getattr(test, mode.method)(**_arguments(test, mode, options or RunOptions(), stack, report))


def _arguments(
    test: Any, mode: type[Mode], options: RunOptions, stack: ExitStack, report: Progress
) -> dict[str, Any]:
    """Return the arguments of the method that runs a test in a mode; the stack closes a cell and a live run."""

    @cache
    def live() -> Live:
        from dovetail.links.live_run import Live

        assert options.folder is not None
        rows = {"rows": test.record_count} if "window" in mode.takes else {}
        return stack.enter_context(Live(test, options.folder, mode.name, **rows))

    def cell() -> Any:
        if options.address is None:
            return None
        from dovetail.links import RemoteCell

        axes = test.shape[0] if test.shape else 1
        return stack.enter_context(RemoteCell(options.address, axes, key()))

    def key() -> bytes | None:
        from dovetail.links import read_key

        return read_key(options.key)

    def recording() -> Any:
        from dovetail.testing.run_folder import readings

        return None if options.recording is None else readings(options.recording)

    values: dict[str, Callable[[], Any]] = {
        "progress": lambda: report,
        "keep": lambda: True,
        "recording": recording,
        "address": lambda: options.address,
        "key": key,
        "cell": cell,
        "folder": lambda: options.folder,
        "resume": lambda: options.resume is not None,
    }
    if options.folder is not None:
        run_folder = options.folder
        values["store"] = lambda: begin_run(test, mode.name, run_folder, sync=mode.live)
    if options.live:
        values |= {
            "operator": lambda: live().operator,
            "window": lambda: live().window,
            "show": lambda: live().show(),
        }
    return {name: values[name]() for name in (*mode.needs, *mode.takes) if name in values}
