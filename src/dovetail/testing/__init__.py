"""The test, the loop, its modes, the supervisor, the recorder, the outcome.

Depends on: core, mechanics, transfer, specimens, compensation, stability; a run asks links, report
and view for what they do with it.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.testing import excitation
    from dovetail.testing.acceptance import Accept
    from dovetail.testing.assessment import Stability, stability
    from dovetail.testing.continuous import Accuracy
    from dovetail.testing.coupled import Coupled
    from dovetail.testing.hybrid_loop import simulate
    from dovetail.testing.laboratory_recording import read_recording
    from dovetail.testing.limit_monitor import Limits
    from dovetail.testing.map_file import ChartFile
    from dovetail.testing.operator import Dial, Operator, Press
    from dovetail.testing.outcome import Outcome, Trip
    from dovetail.testing.pseudodynamic import Cell, Move, Reply, Stepping, VirtualCell
    from dovetail.testing.pseudodynamic.cell_file import CellFile
    from dovetail.testing.pseudodynamic.estimate import estimate
    from dovetail.testing.reference import emulate
    from dovetail.testing.rehearse import rehearse
    from dovetail.testing.replay import RecordedRig, replay
    from dovetail.testing.rig import AbstractRig, Rig
    from dovetail.testing.run import Run
    from dovetail.testing.run_folder import read, save
    from dovetail.testing.runnable import Runnable
    from dovetail.testing.schedule import Profile, Ramp, Switch
    from dovetail.testing.simulation import Simulation
    from dovetail.testing.test import Test
    from dovetail.testing.test_file import dump, load, parse

lazily(__name__)


__all__ = [
    "AbstractRig",
    "Accept",
    "Accuracy",
    "Cell",
    "CellFile",
    "ChartFile",
    "Coupled",
    "Dial",
    "Limits",
    "Move",
    "Operator",
    "Outcome",
    "Press",
    "Profile",
    "Ramp",
    "RecordedRig",
    "Reply",
    "Rig",
    "Run",
    "Runnable",
    "Simulation",
    "Stability",
    "Stepping",
    "Switch",
    "Test",
    "Trip",
    "VirtualCell",
    "dump",
    "emulate",
    "estimate",
    "excitation",
    "load",
    "parse",
    "read",
    "read_recording",
    "rehearse",
    "replay",
    "save",
    "simulate",
    "stability",
]
