"""What a real-time test would need: read from made-up contacts whose stiffness, mass and damping are known."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.assess.rig_requirements import (
    contact_mass,
    is_contact,
    measured_stiffness,
    rig_requirements,
    rig_requirements_of_run,
)
from dovetail.core.errors import AnalysisError
from dovetail.core.recording import Recording


def recording(k=5e4, c=300.0, m=17.91, depth=5e-3):
    """A mass that meets a spring and damper for half an oscillation."""
    w = np.sqrt(k / m)
    t = np.linspace(0.0, np.pi / w, 400)
    x, v = depth * np.sin(w * t), depth * w * np.cos(w * t)
    z, f = np.zeros((400, 6)), np.zeros((400, 6))
    z[:, 0], f[:, 0] = x, k * x + c * v
    f[:, 4] = 0.3 * f[:, 0]
    return xr.Dataset(
        {"displacement": (("time", "axis"), z), "feedback_force": (("time", "axis"), f)}, {"time": t}
    )


def test_stiffness_damping_and_delay_are_found():
    need = rig_requirements(recording(c=0.0), mass=17.91, damping=300.0)
    assert need.stiffness == pytest.approx(5e4, rel=0.02)
    assert need.any_delay == pytest.approx(0.0140, rel=0.02)
    assert need.own_delay == pytest.approx(300.0 / 5e4, rel=0.1)
    assert need.frequency == pytest.approx(8.41, rel=0.02)


def test_loop_damping_equals_the_viscous_damper_of_equal_dissipation():
    assert rig_requirements(recording(), mass=17.91).damping == pytest.approx(300.0, rel=0.05)


def test_robots_are_reported_as_too_slow_for_a_coupling():
    need = rig_requirements(recording(), mass=17.91)
    assert not any(need.able().values())
    assert "too slow" in str(need)
    assert need.force == pytest.approx(np.abs(recording().feedback_force.values).max(), rel=1e-9)


def test_a_run_without_contact_is_rejected():
    data = recording()
    data["feedback_force"] = 0 * data.feedback_force
    with pytest.raises(AnalysisError, match="no contact"):
        rig_requirements(data, mass=1.0)


def test_contact_continuous_specimen_and_free_motion_are_told_apart():
    t = np.linspace(0.0, 4.0, 2001)
    z = np.zeros((2001, 3))
    z[:, 0] = 0.02 * np.sin(2 * np.pi * t) * (t > 0.5)  # at rest first, without force
    velocity = np.gradient(z, t, axis=0)
    forces = {
        "spring": -2e3 * z,
        "damper": -300.0 * velocity * (1 + 5 * np.abs(velocity)),
        "friction": -50.0 * np.tanh(velocity / 1e-3),
        "stop": -5e4 * np.maximum(z - 0.015, 0.0),
        "gap": -5e4 * np.sign(z) * np.maximum(np.abs(z) - 0.015, 0.0),
    }
    found = {name: is_contact(t, z, force) for name, force in forces.items()}
    assert found == {"spring": False, "damper": False, "friction": False, "stop": True, "gap": True}
    data = recording()
    assert is_contact(data.time.values, data.displacement.values[:, :3], data.feedback_force.values[:, :3])
    damper = xr.Dataset(
        {"displacement": (("time", "axis"), z), "feedback_force": (("time", "axis"), forces["damper"])},
        {"time": t},
    )
    with pytest.raises(AnalysisError, match="continuous specimen"):
        rig_requirements(damper, mass=300.0)
    with pytest.raises(AnalysisError, match="free motion"):
        rig_requirements(damper.assign(feedback_force=0 * damper.feedback_force), mass=300.0)


def test_a_contact_that_does_not_move_has_no_stiffness():
    with pytest.raises(AnalysisError, match="too little"):
        measured_stiffness(np.zeros((10, 3)), np.ones((10, 3)))


def test_one_axis_is_enough():
    data = recording().isel(axis=0)
    assert rig_requirements(data, mass=17.91).stiffness == pytest.approx(
        rig_requirements(recording(), mass=17.91).stiffness, rel=1e-9
    )


@pytest.fixture(scope="module")
def plate():
    """A plate of 6.5 kg that falls on a ball: its mass is what meets the contact."""
    from dovetail.mechanics import DropMass

    return dv.Test(
        numerical=DropMass(),
        rig=dv.Rig(dv.transfer.Series(()), dv.specimens.TennisBall()),
        rate=5e3,
        duration=0.3,
    )


def test_the_mass_that_meets_a_contact_is_the_model_s(plate):
    assert contact_mass(plate, np.array([1.0])) == pytest.approx(6.5)


def test_the_mass_comes_from_the_run_or_from_an_option(plate):
    run = SimpleNamespace(test=plate, recording=Recording.from_dataset(recording().isel(axis=0)))
    assert rig_requirements_of_run(run).mass == pytest.approx(6.5)
    assert rig_requirements_of_run(run, mass=1.0).mass == 1.0
    with pytest.raises(AnalysisError, match="no contact"):
        rig_requirements_of_run(
            SimpleNamespace(test=plate, recording=Recording.from_dataset(0 * recording().isel(axis=0)))
        )


def test_the_rows_state_the_requirements():
    rows = dict(rig_requirements(recording(c=0.0), mass=17.91, damping=300.0).rows())
    assert rows["mass that meets the contact"].startswith("17.91 kg (8.41 Hz")
    assert rows["required loop delay"].endswith("ms")
    assert rows["bandwidth of the actuator"].endswith("Hz")


def test_an_unresolved_contact_edge_is_reported():
    data = recording(c=0.0)
    smooth = rig_requirements(data, mass=17.91)
    assert not [name for name, _ in smooth.rows() if name == "largest change of force"]
    f = data.feedback_force.values.copy()
    f[300:, 0] += 2000.0
    edged = rig_requirements(data.assign(feedback_force=(("time", "axis"), f)), mass=17.91)
    assert edged.jump == pytest.approx(2000.0, rel=0.01)
    assert "an edge" in dict(edged.rows())["largest change of force"]
