"""The creep mode: the test's time stands still while the cell moves, rests and is read.

In every step the simulation says where the specimen is to be; if contact is near and the pose has changed by
more than the robot could repeat, the cell goes there in a straight line, rests, and its reading is the force of
the next step. The robot's delay plays no part: the force is taken at rest. What remains is the
stability of the explicit step. Source: [Bolien 2018, sec. 3.2, fig. 3.2].
"""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import Fault, OutputError, ParameterError, TestFileError
from dovetail.core.random import seeded
from dovetail.testing import limit_monitor
from dovetail.testing.operator import Operator
from dovetail.testing.pseudodynamic import journal as journals
from dovetail.testing.pseudodynamic.cell import Cell
from dovetail.testing.pseudodynamic.session import Loop
from dovetail.testing.pseudodynamic.settings import Stepping
from dovetail.testing.pseudodynamic.stepwise import start
from dovetail.testing.pseudodynamic.virtual_cell import VirtualCell, at_rest
from dovetail.testing.rig import Rig
from dovetail.testing.run import Progress, Run
from dovetail.transfer.robot.safety import SafetyLimits

if TYPE_CHECKING:
    from dovetail.testing.test import Test

STATE_FILE = "cell.npy"


def creep(
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
    """Run a test pseudo-dynamically.

    Parameters
    ----------
    cell
        The robot cell; without one, the test's virtual rig moved slowly.
    folder
        Where to keep the journal; without one the run cannot be resumed.
    resume
        Go on with the run whose journal is in `folder`.
    progress
        Is told the share done and what is going on.
    pace
        For the virtual rig: wall-clock seconds for a second of the cell's.
    operator
        May hold the test between two moves, stop it there, or turn its dials.
    show
        Is given the newest row after every move, for others to watch.
    """
    test = with_stepping(test)
    shape = test.shape
    prepared = _prepared(test, shape)
    log = _journal(test, folder, resume)
    if cell is None:
        keep = Path(folder) / STATE_FILE if folder is not None else None
        cell = virtual_cell(test, keep=keep, pace=pace, shape=shape)
        home = None
    else:
        assert test.stepping is not None
        home = test.stepping.home
    return Loop(test, prepared, shape, cell, log, progress, home, operator, show).run()


def with_stepping(test: Test) -> Test:
    """The test with its steps said: where it has none, those of its ticks."""
    if test.stepping is not None:
        return test
    return dataclasses.replace(test, stepping=Stepping(contact_step=test.dt, free_step=test.dt))


def virtual_cell(
    test: Test,
    keep: Path | None = None,
    pace: float = 0.0,
    home: Any = None,
    safety: SafetyLimits | None = None,
    shape: tuple[int, ...] | None = None,
) -> VirtualCell:
    """A cell around the virtual rig of a test, at rest where the test begins."""
    test = with_stepping(test)
    stepping = test.stepping
    assert stepping is not None
    if not isinstance(test.rig, Rig):
        raise ParameterError("creep: the test has no virtual rig; give it a cell, or --rig tcp://HOST:PORT")
    shape = test.shape if shape is None else shape
    prepared = _seeded(test, shape)
    if home is None:
        home = np.asarray(stepping.command(start(prepared)["motion"]["displacement"]))
    assert isinstance(prepared.rig, Rig)
    sized = prepared.rig.sampled_at(float(stepping.period), shape)
    rig, state = at_rest(sized, jnp.asarray(home))
    return VirtualCell(
        rig,
        state,
        home,
        period=float(stepping.period),
        course=stepping.course,
        averaging=float(stepping.averaging_time),
        settled=float(stepping.settled),
        safety=safety,
        pace=pace,
        keep=keep,
        name=f"virtual cell of {test.title or 'a test'}",
    )


def faults(test: Test) -> list[Fault]:
    """What keeps a test from creeping. Its ticks do not matter here, and its rig's delay may be as long as it likes."""
    stepping, shape = test.stepping, test.shape
    number, turns = int(np.prod(shape, dtype=int)), limit_monitor.turning(test)
    faults = limit_monitor.faults(test.limits, test.axes, turns, number, "creep")
    if missing := test.rig.specimen.in_motion if isinstance(test.rig, Rig) else "":
        text = f"{missing} shows in motion only, and the force of a creep test is taken at rest"
        faults.append(Fault("rig.specimen", text))
    if test.record_every > 1:
        text = (
            "a creep test records all of its steps: each is a move of the cell. Leave it out, or set it to 1"
        )
        faults.append(Fault("record_every", text))
    faults += test.end_faults()
    if stepping is not None and stepping.scheme == "continuous" and stepping.course.form != "line":
        faults.append(Fault("stepping.course.form", 'continuous motion does not stop: needs "line"'))
    return faults


def _prepared(test: Test, shape: tuple[int, ...]) -> Test:
    """The test checked and seeded."""
    if found := faults(test):
        raise TestFileError(test.title or "test", found)
    return _seeded(test, shape)


def _seeded(test: Test, shape: tuple[int, ...]) -> Test:
    """What the loop, and the start of a cell's motion, are computed from: one program for both, whatever its name."""
    stepping = test.stepping
    assert stepping is not None
    numerical = test.numerical.sampled_at(float(stepping.contact_step), shape)
    ready = dataclasses.replace(
        limit_monitor.with_stale(test, "creep"), numerical=numerical, title="", source=""
    )
    return seeded(ready, jax.random.key(test.seed))


def _journal(test: Test, folder: str | Path | None, resume: bool) -> journals.Journal | None:
    from dovetail.testing.test_file import dump

    if folder is None:
        if resume:
            raise ParameterError("creep: resume needs the folder of the run that is to go on")
        return None
    path = Path(folder) / journals.NAME
    mark = journals.fingerprint(dump(test))
    if resume:
        return journals.Journal.open(path, mark)
    if path.exists():
        raise OutputError(f"{path}: is already there; resume that run, or choose another folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    return journals.Journal.create(path, secrets.token_hex(8), mark)
