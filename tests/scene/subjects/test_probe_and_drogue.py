"""Scene of a probe in a drogue."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from dovetail.core.recording import Recording
from dovetail.mechanics.contact import Flores
from dovetail.mechanics.friction import Tustin
from dovetail.mechanics.geometry import Drogue
from dovetail.scene import build_scene
from dovetail.scene.subjects.probe_and_drogue import outline
from dovetail.specimens import ProbeInDrogue


def test_a_cavity_is_a_cylinder_and_a_cone():
    cavity = Drogue(cylinder_radius=0.03, cylinder_length=0.05, cone_length=0.2, half_angle=np.pi / 4)
    assert outline(cavity) == [(0.0, 0.03), (0.05, 0.03), (0.25, pytest.approx(0.23))]


def test_the_probe_tip_and_its_force_equal_the_recording():
    tip = np.array([[0.2, 0.0, 0.0], [0.1, 0.01, 0.0]])
    data = xr.Dataset(
        {
            "probe_position": (("time", "side"), tip),
            "measured_force": (
                ("time", "axis"),
                np.array([[0.0] * 6, [3.0, 4.0, 0, 0, 0, 0]]),
                {"units": "N"},
            ),
        },
        {"time": [0.0, 0.1], "axis": ["x", "y", "z", "roll", "pitch", "yaw"]},
    )
    rig = SimpleNamespace(specimen=SimpleNamespace(cavity=None, radius=0.01))
    scene = build_scene(
        SimpleNamespace(
            test=SimpleNamespace(rig=rig), recording=Recording.from_dataset(data), title="docking"
        )
    )
    probe = next(solid for solid in scene.solids if solid.name == "probe")
    np.testing.assert_array_equal(probe.pose(1)[1], tip[1])
    assert np.linalg.norm(scene.arrows[0].vector(1)) == pytest.approx(5.0)
    assert scene.setting == "space"
    halves = [solid for solid in scene.solids if solid.name.startswith("drogue")]
    assert sorted(solid.opacity for solid in halves) == [0.25, 1.0]


def test_the_probe_has_its_recorded_attitude():
    """A nose that is up by 0.1 rad, and then yaws by 0.2 rad: the rod behind it runs down, and then aside."""
    drogue = Drogue(32.5e-3, 50e-3, 195e-3, np.radians(27))
    home = (0.245, 0.0, 0.02), (0.0, -0.1, np.pi)
    specimen = ProbeInDrogue(drogue, Flores(9e8, restitution=0.8), Tustin(), 0.025, *home)
    moved = np.zeros((2, 6))
    moved[1, 5] = 0.2
    data = xr.Dataset(
        {
            "probe_position": (("time", "side"), np.zeros((2, 3))),
            "displacement": (("time", "axis"), moved),
        },
        {"time": [0.0, 0.1], "axis": ["x", "y", "z", "roll", "pitch", "yaw"]},
    )
    rig = SimpleNamespace(specimen=specimen)
    scene = build_scene(
        SimpleNamespace(
            test=SimpleNamespace(rig=rig), recording=Recording.from_dataset(data), title="docking"
        )
    )
    at = {solid.name: solid.pose for solid in scene.solids}
    back = [at["probe"](k)[0][:, 0] for k in (0, 1)]  # the rod runs along its x
    np.testing.assert_allclose(back[0], [np.cos(0.1), 0.0, -np.sin(0.1)], atol=1e-12)
    assert back[1] @ back[0] == pytest.approx(np.cos(0.2))
    for k in (0, 1):
        away = at["chaser"](k)[1] - at["probe"](k)[1]
        np.testing.assert_allclose(away / np.linalg.norm(away), back[k], atol=1e-12)


def test_the_probe_has_its_measured_pose_and_the_demand_is_transparent():
    drogue = Drogue(32.5e-3, 50e-3, 195e-3, np.radians(27))
    home = (0.2, 0.0, 0.03), (0.0, 0.0, np.pi)
    specimen = ProbeInDrogue(drogue, Flores(9e8, restitution=0.8), Tustin(), 0.025, *home)
    demanded, measured = np.zeros((2, 6)), np.zeros((2, 6))
    demanded[1, 2], measured[1, 2] = 0.06, 0.04
    data = xr.Dataset(
        {
            "probe_position": (("time", "side"), home[0] + demanded[:, :3]),
            "displacement": (("time", "axis"), demanded),
            "measured_displacement": (("time", "axis"), measured),
        },
        {"time": [0.0, 0.1], "axis": ["x", "y", "z", "roll", "pitch", "yaw"]},
    )
    rig = SimpleNamespace(specimen=specimen)
    run = SimpleNamespace(
        test=SimpleNamespace(rig=rig), recording=Recording.from_dataset(data), title="docking"
    )
    scene = build_scene(run)
    at = {solid.name: solid for solid in scene.solids}
    np.testing.assert_allclose(at["probe"].pose(1)[1], [0.2, 0.0, 0.07])
    np.testing.assert_allclose(at["demand"].pose(1)[1], [0.2, 0.0, 0.09])
    assert at["demand"].opacity < 0.5
    x, y, z = scene.arrows[0].contact(1)
    cone = 32.5e-3 + (x - 50e-3) * np.tan(np.radians(27))  # radius of the wall there
    assert (y, z) == (0.0, pytest.approx(cone))
    run.recording = Recording.from_dataset(data.drop_vars("measured_displacement"))
    assert "demand" not in {solid.name for solid in build_scene(run).solids}
