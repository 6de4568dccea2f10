"""The page on a contact's real-time need: it says which transfer systems are quick enough, and draws why."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from dovetail.assess.rig_requirements import rig_requirements
from dovetail.core.recording import Recording
from dovetail.report.rig_requirements import write_rig_requirements


@pytest.fixture
def recorded():
    t = np.linspace(0.0, 0.05, 200)
    z, f = np.zeros((200, 6)), np.zeros((200, 6))
    z[:, 0] = 5e-3 * np.sin(np.pi * t / 0.05)
    f[:, 0] = 2e3 * z[:, 0]
    data = xr.Dataset(
        {"displacement": (("time", "axis"), z), "feedback_force": (("time", "axis"), f)}, {"time": t}
    )
    return SimpleNamespace(recording=Recording.from_dataset(data), title="a soft contact")


def test_a_slow_contact_can_be_tested_in_real_time_and_a_stiff_one_not(recorded, tmp_path):
    """2 kN/m against a tonne with ample damping bears 0.2 s; against a kilogram nothing is quick enough."""
    slow = rig_requirements(recorded.recording, mass=1000.0, damping=400.0)
    page = write_rig_requirements(slow, recorded, tmp_path / "slow.html").read_text()
    assert "<strong>Possible" in page or "Possible" in page
    assert "sufficient" in page
    fast = rig_requirements(recorded.recording, mass=1.0, damping=1.0)
    page = write_rig_requirements(fast, recorded, tmp_path / "fast.html").read_text()
    assert "Not possible in real time" in page
    assert page.count(">too slow<") == 4
    assert page.count('<svg class="plot wide"') == 2
