"""Pseudo-dynamic test: simulation time is paused while the cell moves, rests and measures.

In every step the simulation computes the pose of the specimen. If the contact gate is open and the pose has changed by
more than the repeatability of the robot, the cell moves there in a straight line and rests, and the measured force is
used in the next step. The delay of the robot has no effect, because the force is measured at rest; the explicit step
must be stable. Source: [Bolien 2018, sec. 3.2, fig. 3.2].
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.advance import Progress, advance, unoptimised_begin
from dovetail.core.clock import Clock, HostOnly
from dovetail.core.errors import Fault, LinkError, OutputError, ParameterError, TestFileError
from dovetail.core.keep import Keep
from dovetail.core.random import assign_keys
from dovetail.testing import limits
from dovetail.testing.limit_monitor import LimitChecks
from dovetail.testing.limits import FROZEN_MOVES, rotary_axes, with_frozen_sensor_limit
from dovetail.testing.modes import Mode
from dovetail.testing.operator import Operator
from dovetail.testing.outcome import Outcome
from dovetail.testing.pseudodynamic import journal as journals
from dovetail.testing.pseudodynamic.cell import Cell
from dovetail.testing.pseudodynamic.classical import ClassicalLoop, ClassicalMonitor, CorrectedRows
from dovetail.testing.pseudodynamic.estimate import estimate_duration
from dovetail.testing.pseudodynamic.session import CellSession, Stop
from dovetail.testing.pseudodynamic.settings import with_settings
from dovetail.testing.pseudodynamic.stepwise import (
    EPSILON,
    SteppedLoop,
    SteppedMonitor,
    SteppedRows,
    Stepwise,
)
from dovetail.testing.pseudodynamic.virtual_cell import VirtualCell, rig_at_rest
from dovetail.testing.rig import Rig
from dovetail.testing.run import Run
from dovetail.testing.test_checks import end_faults
from dovetail.transfer.robot.safety import SafetyLimits

if TYPE_CHECKING:
    from dovetail.testing.test import Test

STATE_FILE = "cell.npy"
ROWS = 32  # records in one compiled call; in contact nearly every step needs a force, so few are enough


class PseudoDynamic(Mode):
    """Pseudo-dynamic test: simulation time is paused while a robot cell moves; the force is measured at rest."""

    name: ClassVar[str] = "pseudodynamic"
    about: ClassVar[str] = (
        "Pseudo-dynamic test: simulation time is paused while a robot cell moves; the force is measured at rest."
    )
    title: ClassVar[str] = "Pseudo-dynamic test"
    task: ClassVar[str] = "running"
    method: ClassVar[str] = "run_pseudodynamic"
    takes: ClassVar[tuple[str, ...]] = ("cell", "folder", "resume", "progress", "operator", "show")
    report: ClassVar[str] = "pseudodynamic"
    not_monitored: ClassVar[Mapping[str, str]] = {
        "contact_energy_gain": "the force is measured at rest; see the energy audit of the run"
    }
    compares: ClassVar[bool] = False
    live: ClassVar[bool] = True
    resumable: ClassVar[bool] = True

    def reason_against(self, test: Any) -> str:
        return super().reason_against(test) or "; ".join(
            f"{fault.path}: {fault.text}" for fault in faults(test)
        )

    def forecast(self, test: Any) -> str:
        return str(estimate_duration(test))

    def default_frozen_ticks(self, test: Test) -> float:
        return FROZEN_MOVES

    def prepare(self, test: Any) -> Any:
        """Return the validated test with settings, shapes, random keys and default limits."""
        test = with_settings(test)
        if test_faults := faults(test):
            raise TestFileError(test.title or "test", test_faults)
        return _with_keys(test, test.shape)

    def system(self, test: Any) -> SteppedLoop | ClassicalLoop:
        test = with_settings(test)
        return (ClassicalLoop if _is_classical(test) else SteppedLoop).from_test(test)

    def monitor(self, test: Any) -> LimitChecks:
        monitor = ClassicalMonitor if _is_classical(with_settings(test)) else SteppedMonitor
        return monitor(test.limits, rotary_axes(test), frozenset(self.not_monitored))

    def keep(self, test: Any) -> Keep:
        """Return which rows of a prepared test are recorded."""
        if _is_classical(test):
            return CorrectedRows()
        return SteppedRows(test.pseudodynamic.free_record_every, test.duration)

    def stepwise(self, test: Any, session: CellSession) -> Stepwise:
        """Return the clock of a prepared test with a session."""
        step = float(test.pseudodynamic.contact_step)
        end = round(test.duration / step) * step if _is_classical(test) else test.duration
        return Stepwise(end, EPSILON * step, HostOnly(session))

    @staticmethod
    def run_test(test: Test, cell: Cell | None = None, **options: Any) -> Run:
        """Run a test; `options` are those of `run_pseudodynamic`."""
        return run_pseudodynamic(test, cell, **options)

    def clock(self, test: Any) -> Clock:
        raise ParameterError(f"{self.name}: the time of this mode waits for a cell; use `run_pseudodynamic`")


def _is_classical(test: Any) -> bool:
    return bool(test.pseudodynamic.scheme == "classical")


def run_pseudodynamic(
    test: Test,
    cell: Cell | None = None,
    *,
    folder: str | Path | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    pace: float = 0.0,
    operator: Operator | None = None,
    show: Callable[[Mapping[str, Any]], None] | None = None,
) -> Run:
    """Run a pseudo-dynamic test.

    Parameters
    ----------
    cell
        Robot cell; default: a simulated cell around the rig of the test.
    folder
        Folder of the journal; without a folder the run cannot be resumed.
    resume
        Continue the run whose journal is in `folder`.
    progress
        Function that receives the completed fraction and a text.
    pace
        Simulated cell: wall-clock seconds per second of cell time.
    operator
        Operator that can hold the test between two moves, stop it, or change its tunable parameters.
    show
        Function that receives the last row after every move, for viewers.
    """
    mode, test = PseudoDynamic(), with_settings(test)
    shape = test.shape
    prepared = mode.prepare(test)
    journal = _open_journal(test, folder, resume)
    home_pose = None
    if cell is None:
        state_file = Path(folder) / STATE_FILE if folder is not None else None
        cell = _cell_of(prepared, test.title, shape, state_file=state_file, pace=pace)
    else:
        assert test.pseudodynamic is not None
        home_pose = test.pseudodynamic.home_pose
    system, monitor, keep = mode.system(prepared), mode.monitor(prepared), mode.keep(prepared)
    session = CellSession(test, shape, cell, journal, progress, home_pose, operator, show)
    clock, recorder = mode.stepwise(prepared, session), session.recorder
    outcome, trip, text = Outcome.FINISHED, None, ""
    try:
        session.begin()
        now, code = advance(
            system, clock, monitor, keep, recorder, ROWS, session.report if progress else None
        )
        outcome = Outcome.from_code(code)
        if code:
            trip = session.trip(monitor, outcome, now)
        else:
            session.end(now)
    except Stop as stop:
        outcome, trip, text = stop.outcome, stop.trip, stop.text
    except LinkError as error:
        if not recorder.rows:
            raise
        outcome, text = Outcome.LINK_LOST, str(error)
    except KeyboardInterrupt:
        if not recorder.rows:
            raise
        outcome, text = Outcome.INTERRUPTED, "resume the run with its folder"
    data = recorder.recording({"mode": mode.name, **session.attributes(text)})
    return Run(test, mode.name, data, outcome, trip)


def virtual_cell(
    test: Test,
    state_file: Path | None = None,
    pace: float = 0.0,
    home_pose: Any = None,
    safety: SafetyLimits | None = None,
) -> VirtualCell:
    """Return a simulated cell around the rig of a test, at rest at the start of the test."""
    test = with_settings(test)
    shape = test.shape
    return _cell_of(_with_keys(test, shape), test.title, shape, home_pose, safety, state_file, pace)


def _cell_of(
    test: Test,
    title: str,
    shape: tuple[int, ...],
    home_pose: Any = None,
    safety: SafetyLimits | None = None,
    state_file: Path | None = None,
    pace: float = 0.0,
) -> VirtualCell:
    """Return a simulated cell around the rig of a prepared test."""
    settings = test.pseudodynamic
    assert settings is not None
    if not isinstance(test.rig, Rig):
        raise ParameterError(
            "pseudodynamic: the test has no simulated rig; give it a cell, or --address tcp://HOST:PORT"
        )
    if home_pose is None:
        mode = PseudoDynamic()
        first, _ = unoptimised_begin(mode.system(test), mode.monitor(test), mode.keep(test))
        home_pose = np.asarray(first.x.command)
    sized = test.rig.with_sample_time(float(settings.control_period), shape)
    rig, state = rig_at_rest(sized, jnp.asarray(home_pose))
    return VirtualCell(
        rig,
        state,
        home_pose,
        control_period=float(settings.control_period),
        motion_profile=settings.motion_profile,
        averaging_time=float(settings.averaging_time),
        position_tolerance=float(settings.position_tolerance),
        safety=safety,
        pace=pace,
        state_file=state_file,
        name=f"simulated cell of {title or 'an untitled test'}",
    )


def faults(test: Test) -> list[Fault]:
    """Return why a test cannot be run pseudo-dynamically; its rate and the delay of its rig do not matter."""
    settings, shape = test.pseudodynamic, test.shape
    number = int(np.prod(shape, dtype=int))
    faults = limits.faults(test.limits, test.axes, rotary_axes(test), number, PseudoDynamic)
    if effect := test.rig.specimen.dynamic_effect if isinstance(test.rig, Rig) else "":
        text = f"{effect} acts during motion only, but a pseudo-dynamic test measures the force at rest"
        faults.append(Fault("rig.specimen", text))
    if test.record_every > 1:
        text = (
            "a pseudo-dynamic test records all steps, because each is a move of the cell; remove it or set 1"
        )
        faults.append(Fault("record_every", text))
    faults += end_faults(test)
    if settings is not None and settings.scheme == "continuous":
        profile = settings.motion_profile.profile
        if profile != "linear":
            text = f'got "{profile}"; the continuous scheme moves without a stop and needs "linear"'
            faults.append(Fault("pseudodynamic.motion_profile.profile", text))
    return faults


def _with_keys(test: Test, shape: tuple[int, ...]) -> Test:
    """Return the test for the loop and the initial state of the cell: with shapes and keys, without title.

    Without title and source one compiled program serves tests that differ in these only.
    """
    settings = test.pseudodynamic
    assert settings is not None
    numerical = test.numerical.with_sample_time(float(settings.contact_step), shape)
    limited = with_frozen_sensor_limit(test, PseudoDynamic())
    nameless = dataclasses.replace(limited, numerical=numerical, title="", source="")
    return assign_keys(nameless, jax.random.key(test.seed))


def _open_journal(test: Test, folder: str | Path | None, resume: bool) -> journals.Journal | None:
    from dovetail.testing.test_file import dump

    if folder is None:
        if resume:
            raise ParameterError("pseudodynamic: resume needs the folder of the run to continue")
        return None
    path = Path(folder) / journals.NAME
    fingerprint = journals.fingerprint(dump(test))
    if resume:
        return journals.Journal.open(path, fingerprint)
    if path.exists():
        raise OutputError(f"{path}: exists; resume that run, or choose another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    return journals.Journal.create(path, secrets.token_hex(8), fingerprint)
