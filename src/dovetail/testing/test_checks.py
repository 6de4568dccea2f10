"""Checks of a test as a whole, beyond those of each part."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import jax
import numpy as np

from dovetail.core import Part, roles
from dovetail.core.errors import DovetailError, Fault, collect_faults
from dovetail.core.kinds import names
from dovetail.core.shapes import shapes
from dovetail.core.system import Signals, System
from dovetail.mechanics import Substructure
from dovetail.testing import coupled, limits, modes, operator, paths, recorder, tick_grid, user_part_checks
from dovetail.testing.limits import TENSION
from dovetail.testing.step_checks import step_faults

if TYPE_CHECKING:
    from dovetail.testing.test import Test

AFTER_END = 'shorten the run or extend the excitation (for a ground record, set after_end = "zero")'


def faults(test: Test) -> list[Fault]:
    """Return all faults of a test."""
    return _simulation_faults(test) if test.rig is None else _hybrid_faults(test)


def end_faults(test: Test) -> list[Fault]:
    """Return a fault if the excitation ends before the run."""
    end = float(test.excitation.valid_until)
    if end >= test.duration * (1 - 1e-12):
        return []
    text = f"ends at {end:g} s, before the end of the run at {test.duration:g} s; "
    return [Fault("excitation", text + AFTER_END)]


def _length_faults(test: Test) -> list[Fault]:
    """Return a fault if the duration is not a whole number of ticks or of records, or takes too long to compute."""
    parts = vars(test).values()
    substeps = max(
        [test.substeps, *(vars(part).get("substeps", 1) for part in parts if isinstance(part, Part))]
    )
    return (
        tick_grid.length_faults(test.duration, test.rate)
        or tick_grid.computing_faults(test.tick_count, substeps)
        or recorder.faults(test.tick_count, test.record_every)
    )


# hybrid test


def _hybrid_faults(test: Test) -> list[Fault]:
    if not isinstance(test.numerical, Substructure):
        name = type(test.numerical).__name__
        known = ", ".join(names(Substructure))
        text = f"{name} has no interface to a rig; give one of {known}, or remove [rig] for a simulation"
        return [Fault("numerical", text)]
    checks = {
        "duration": lambda: _length_faults(test),
        "rig": lambda: _delay_faults(test),
        "excitation": lambda: end_faults(test),
        "schedule": lambda: _schedule_faults(test),
        "limits": lambda: _limit_faults(test),
        "tunable": lambda: operator.faults(test),
        "sampling": lambda: coupled.faults(test) if test.sampling == "none" else [],
    }
    faults = [fault for path, check in checks.items() for fault in collect_faults(path, check)]
    misfits = collect_faults("numerical", lambda: _shape_faults(test))
    return faults + (misfits or collect_faults("rate", lambda: step_faults(test)))


def _limit_faults(test: Test) -> list[Fault]:
    """Return limits that cannot be monitored."""
    number, turns = int(np.prod(test.shape, dtype=int)), limits.rotary_axes(test)
    return limits.faults(test.limits, test.axes, turns, number, modes.Rehearse)


def _schedule_faults(test: Test) -> list[Fault]:
    """Return scheduled parameters that do not exist or cannot change during a run."""
    faults = []
    for path in test.schedule:
        try:
            if not isinstance(paths.get(test, path), jax.Array):
                faults.append(
                    Fault(f"schedule.{path}", "is not a numeric parameter and cannot change during a run")
                )
        except DovetailError as error:
            faults.append(Fault(f"schedule.{path}", str(error)))
    return faults


def _shape_faults(test: Test) -> list[Fault]:
    """Return parts that do not fit the shape of the interface."""
    shape = test.shape
    faults = tick_grid.axis_faults(test.axes, shape)
    if math.prod(shape) > tick_grid.MAX_AXES:
        return faults
    home = None if test.pseudodynamic is None else test.pseudodynamic.home_pose
    if home is not None and np.size(home) != (axes := int(np.prod(shape))):
        text = f"has {np.size(home)} values; give {axes}, one for each axis"
        faults.append(Fault("pseudodynamic.home_pose", text))
    for field in ("numerical", "excitation", "compensator", "rig", "feedback", "limits"):
        faults += collect_faults(field, partial(_fits, getattr(test, field), test.dt, shape))
    return faults or user_part_checks.faults(test)


def _fits(part: Part, dt: float, shape: tuple[int, ...]) -> list[Fault]:
    """Return no fault if a part accepts the shape of the interface; otherwise it raises."""
    part.with_sample_time(dt, shape)
    return []


def _delay_faults(test: Test) -> list[Fault]:
    """Return delays that are longer than the test."""
    faults = []
    for path, leaf in jax.tree_util.tree_leaves_with_path(test):
        name = "".join(str(p) for p in path).lstrip(".")
        if name.split(".")[-1] == "delay" and (delay := np.asarray(leaf).max()) > test.duration:
            faults.append(
                Fault(name, f"{delay:g} s is longer than the duration of the test, {test.duration:g} s")
            )
    return faults


# simulation


def _simulation_faults(test: Test) -> list[Fault]:
    faults = _length_faults(test) + tick_grid.axis_faults(test.axes, test.shape) + _loop_faults(test)
    faults += limits.faults(test.limits, test.axes, (), len(test.axes), modes.Simulate)
    faults += collect_faults("excitation", lambda: end_faults(test))
    system = test.numerical
    if isinstance(system, roles.Checked):
        faults += collect_faults("numerical", lambda: system.faults(test.method, test.dt / test.substeps))
    if isinstance(system, roles.Prescribed):
        faults += collect_faults("numerical", lambda: system.time_faults(test.duration))
    return faults or collect_faults("limits", lambda: _output_faults(test))


def _loop_faults(test: Test) -> list[Fault]:
    """Return settings of the hybrid loop, which a simulation does not have."""
    plain = type(test)(test.numerical)
    return [
        Fault(name, "needs a rig: add [rig], or remove it")
        for name in test.unused_fields
        if getattr(test, name) != getattr(plain, name)
    ]


def _output_faults(test: Test) -> list[Fault]:
    """Return limits on signals that the system does not output."""
    signals = {name: name for name in ("displacement", "velocity", "acceleration")} | {"force": TENSION}
    limited = [name for name in signals if np.any(np.isfinite(getattr(test.limits, name)))]
    outputs = shapes(_first_output, modes.Simulate().system(test.with_shapes())) if limited else {}
    return [
        Fault(f"limits.{name}", f"cannot be monitored: the system does not output {signals[name]}; remove it")
        for name in limited
        if signals[name] not in outputs
    ]


def _first_output(system: System) -> Signals:
    return system.start()[1]
