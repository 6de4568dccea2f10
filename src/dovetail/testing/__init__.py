"""Hybrid tests: test files, the loop and its modes, limit monitor, recorder and outcome.

Depends on: core, mechanics, transfer, specimens, compensation, stability. Real-time runs, figures, reports and views
come from packages above it, through `core.extensions` and `modes`.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.testing import excitation
    from dovetail.testing.acceptance import Accept
    from dovetail.testing.assessment import Assessment, assess
    from dovetail.testing.continuous import ReferenceSettings
    from dovetail.testing.coupled import Coupled
    from dovetail.testing.laboratory_recording import read_recording
    from dovetail.testing.limits import Limits
    from dovetail.testing.map_file import MapFile
    from dovetail.testing.modes import Mode, Reference, Rehearse, Simulate, all_modes, simulate
    from dovetail.testing.operator import Operator, OperatorEvent, Tunable
    from dovetail.testing.outcome import Outcome, Trip
    from dovetail.testing.pseudodynamic import (
        Cell,
        MoveReply,
        MoveRequest,
        PseudodynamicSettings,
        VirtualCell,
    )
    from dovetail.testing.pseudodynamic.cell_file import CellFile
    from dovetail.testing.pseudodynamic.estimate import estimate_duration
    from dovetail.testing.replay import RecordedRig, Replay
    from dovetail.testing.rig import AbstractRig, Rig
    from dovetail.testing.run import Run
    from dovetail.testing.run_folder import begin_run, save_run
    from dovetail.testing.saved_run import read_run
    from dovetail.testing.schedule import Profile, Ramp, Switch
    from dovetail.testing.stability_at_rest import Stability
    from dovetail.testing.test import Test
    from dovetail.testing.test_file import dump, load, parse

lazily(__name__)


__all__ = [
    "AbstractRig",
    "Accept",
    "Assessment",
    "Cell",
    "CellFile",
    "Coupled",
    "Limits",
    "MapFile",
    "Mode",
    "MoveReply",
    "MoveRequest",
    "Operator",
    "OperatorEvent",
    "Outcome",
    "Profile",
    "PseudodynamicSettings",
    "Ramp",
    "RecordedRig",
    "Reference",
    "ReferenceSettings",
    "Rehearse",
    "Replay",
    "Rig",
    "Run",
    "Simulate",
    "Stability",
    "Switch",
    "Test",
    "Trip",
    "Tunable",
    "VirtualCell",
    "all_modes",
    "assess",
    "begin_run",
    "dump",
    "estimate_duration",
    "excitation",
    "load",
    "parse",
    "read_recording",
    "read_run",
    "save_run",
    "simulate",
]
