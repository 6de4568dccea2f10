"""A cell as a file: read, written back, and a cell made of it."""

import numpy as np
import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.studies.registry import find_test
from dovetail.testing import MoveRequest
from dovetail.testing.pseudodynamic.cell_file import CellFile

TABLE = {
    "kind": "cell",
    "home_pose": [0.1, 0.0],
    "safety": {"force": "50 N"},
    "motion_profile": {"profile": "cubic"},
    "rig": {"actuator": {"kind": "delay", "delay": "20 ms"}, "specimen": {"kind": "spring", "k": 100.0}},
}


def test_a_cell_is_built_from_a_table():
    cell = testing.parse(TABLE).cell()
    cell.begin("a")
    reply = cell.move(MoveRequest(1, np.array([0.2, 0.0]), 0.2, 0.1))
    assert reply.force == pytest.approx([-20.0, 0.0], abs=1e-9)
    assert cell.motion_profile.profile == "cubic"
    assert float(cell.safety.force) == 50.0


def test_it_is_written_back_as_it_was_read():
    file = testing.parse(TABLE)
    again = testing.parse(testing.dump(file))
    assert isinstance(again, CellFile)
    assert testing.dump(again) == testing.dump(file)


def test_a_fault_is_reported_with_its_path():
    with pytest.raises(TestFileError, match=r"safety\.torqe.*torque"):
        testing.parse({**TABLE, "safety": {"torqe": 1.0}})
    with pytest.raises(TestFileError, match="rig"):
        testing.parse(
            {**TABLE, "rig": {**TABLE["rig"], "actuator": {"kind": "delay", "delay": [0.1, 0.1, 0.1]}}}
        )


def test_the_refuelling_cell_is_one():
    file = testing.load(find_test("refuelling/cell"))
    assert isinstance(file, CellFile)
    assert float(file.safety.torque) == 400.0
    assert file.cell().axes == 6
