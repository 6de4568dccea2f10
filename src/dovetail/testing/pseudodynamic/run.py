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
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import Fault, OutputError, ParameterError, TestFileError
from dovetail.core.random import assign_keys
from dovetail.testing import limit_monitor
from dovetail.testing.operator import Operator
from dovetail.testing.pseudodynamic import journal as journals
from dovetail.testing.pseudodynamic.cell import Cell
from dovetail.testing.pseudodynamic.session import Loop
from dovetail.testing.pseudodynamic.settings import PseudodynamicSettings
from dovetail.testing.pseudodynamic.stepwise import start
from dovetail.testing.pseudodynamic.virtual_cell import VirtualCell, rig_at_rest
from dovetail.testing.rig import Rig
from dovetail.testing.run import Progress, Run
from dovetail.transfer.robot.safety import SafetyLimits

if TYPE_CHECKING:
    from dovetail.testing.test import Test

STATE_FILE = "cell.npy"


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
    test = with_settings(test)
    shape = test.shape
    prepared = _validated(test, shape)
    journal = _open_journal(test, folder, resume)
    if cell is None:
        state_file = Path(folder) / STATE_FILE if folder is not None else None
        cell = virtual_cell(test, state_file=state_file, pace=pace, shape=shape)
        home_pose = None
    else:
        assert test.pseudodynamic is not None
        home_pose = test.pseudodynamic.home_pose
    return Loop(test, prepared, shape, cell, journal, progress, home_pose, operator, show).run()


def with_settings(test: Test) -> Test:
    """Return the test with pseudo-dynamic settings; default: steps of one tick."""
    if test.pseudodynamic is not None:
        return test
    settings = PseudodynamicSettings(contact_step=test.dt, free_step=test.dt)
    return dataclasses.replace(test, pseudodynamic=settings)


def virtual_cell(
    test: Test,
    state_file: Path | None = None,
    pace: float = 0.0,
    home_pose: Any = None,
    safety: SafetyLimits | None = None,
    shape: tuple[int, ...] | None = None,
) -> VirtualCell:
    """Return a simulated cell around the rig of a test, at rest at the start of the test."""
    test = with_settings(test)
    settings = test.pseudodynamic
    assert settings is not None
    if not isinstance(test.rig, Rig):
        raise ParameterError(
            "pseudodynamic: the test has no simulated rig; give it a cell, or --address tcp://HOST:PORT"
        )
    shape = test.shape if shape is None else shape
    prepared = _with_keys(test, shape)
    if home_pose is None:
        home_pose = np.asarray(settings.command(start(prepared)["motion"]["displacement"]))
    assert isinstance(prepared.rig, Rig)
    sized = prepared.rig.with_sample_time(float(settings.control_period), shape)
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
        name=f"simulated cell of {test.title or 'an untitled test'}",
    )


def faults(test: Test) -> list[Fault]:
    """Return why a test cannot be run pseudo-dynamically; its rate and the delay of its rig do not matter."""
    settings, shape = test.pseudodynamic, test.shape
    number, rotary_axes = int(np.prod(shape, dtype=int)), limit_monitor.rotary_axes(test)
    faults = limit_monitor.faults(test.limits, test.axes, rotary_axes, number, "pseudodynamic")
    if effect := test.rig.specimen.dynamic_effect if isinstance(test.rig, Rig) else "":
        text = f"{effect} acts during motion only, but a pseudo-dynamic test measures the force at rest"
        faults.append(Fault("rig.specimen", text))
    if test.record_every > 1:
        text = (
            "a pseudo-dynamic test records all steps, because each is a move of the cell; remove it or set 1"
        )
        faults.append(Fault("record_every", text))
    faults += test.end_faults()
    if settings is not None and settings.scheme == "continuous":
        profile = settings.motion_profile.profile
        if profile != "linear":
            text = f'got "{profile}"; the continuous scheme moves without a stop and needs "linear"'
            faults.append(Fault("pseudodynamic.motion_profile.profile", text))
    return faults


def _validated(test: Test, shape: tuple[int, ...]) -> Test:
    """Return the test with shapes and random keys; raise `TestFileError` with all faults."""
    if test_faults := faults(test):
        raise TestFileError(test.title or "test", test_faults)
    return _with_keys(test, shape)


def _with_keys(test: Test, shape: tuple[int, ...]) -> Test:
    """Return the test for the loop and the initial state of the cell: with shapes and keys, without title.

    Without title and source one compiled program serves tests that differ in these only.
    """
    settings = test.pseudodynamic
    assert settings is not None
    numerical = test.numerical.with_sample_time(float(settings.contact_step), shape)
    limited = limit_monitor.with_frozen_sensor_limit(test, "pseudodynamic")
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
