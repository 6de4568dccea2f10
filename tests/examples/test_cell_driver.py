"""The example driver passes all protocol checks."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from dovetail.links import check_cell
from dovetail.testing import MoveRequest
from dovetail.transfer.robot import TripCode

FILE = Path(__file__).resolve().parents[2] / "examples" / "cell_driver" / "driver.py"


@pytest.fixture
def cell():
    spec = importlib.util.spec_from_file_location("driver", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.LabCell()


def test_the_driver_passes_the_protocol_check(cell):
    findings = check_cell(cell, allow_motion=True, settling_time=0.0)
    assert [str(f) for f in findings if not f.passed] == []


def test_the_driver_stays_within_its_workspace(cell):
    cell.begin("a")
    reply = cell.move(MoveRequest(1, np.array([2.0, 0, 0, 0, 0, 0]), 1.0, 0.0))
    assert (reply.trip, reply.value) == (TripCode.WORKSPACE, 2.0)
    assert not np.any(cell.robot.pose)
