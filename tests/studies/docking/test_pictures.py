import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure

from dovetail.specimens.probe_in_drogue import ProbeInDrogue
from dovetail.studies.docking import pictures, six_dof
from dovetail.studies.docking.docking_record import DockingRecord

BALL = six_dof.ball()


@pytest.fixture
def record():
    """A made-up docking with one impact from 1.0 to 1.2 s."""
    t = np.linspace(0, 2, 201)
    touching = (t > 1.0) & (t < 1.2)
    depth = np.where(touching, 1e-4 * np.sin(np.pi * (t - 1) / 0.2), -1e-5)
    blank = np.zeros_like(t)
    position = np.stack([0.245 - 0.1 * np.minimum(t, 2 - t), blank, 0.05 + blank], -1)
    names = ("rate", "kinetic", "stored", "impact_heat", "friction_dissipation")
    traces = {"t": t, "penetration": depth, "zone": np.zeros(201, int), "position": position}
    traces |= dict.fromkeys(names, blank) | {"body_rate": 0.1 - 0.2 * (t > 1.1), "impact_speed": blank + 0.1}
    traces |= {"normal_force": 1e7 * np.maximum(depth, 0), "felt_force": 1e7 * np.maximum(depth, 0)}
    return DockingRecord(traces, 2)


def test_the_profile_runs_from_the_bottom_to_the_mouth():
    x, r = pictures.wall(BALL.cavity)
    np.testing.assert_allclose(x[[0, -1]], [0.0, 0.245])
    assert r[-1] == pytest.approx(32.5e-3 + 0.195 * np.tan(np.radians(27)))


def test_the_path_of_the_probe_is_drawn_with_its_impacts(record):
    axes = Figure().add_subplot()
    pictures.trajectory(axes, record, BALL.cavity, 0.025)
    way = next(line for line in axes.lines if len(line.get_xdata()) == 201)
    np.testing.assert_allclose(way.get_xdata()[0], 245)  # [mm]
    wall, contact = (np.array(line.get_data()) for line in axes.lines[:2])
    (along, start) = wall[:, 3] - wall[:, 2], wall[:, 2]  # the cone on one side
    for point in contact.T:  # centres of a probe of 25 mm that touches it
        distance = abs(along[0] * (point - start)[1] - along[1] * (point - start)[0]) / np.linalg.norm(along)
        assert distance == pytest.approx(25.0)
    assert [text.get_text() for text in axes.texts] == ["1"]


def test_the_first_impact_is_drawn_with_its_errors(record):
    axes = Figure().subplots(2, 3)
    louder = DockingRecord({**record.traces, "felt_force": 2 * record.traces["felt_force"]}, 2)
    pictures.first_impact(axes, record, louder)
    assert axes[1, 0].lines[0].get_ydata().max() == pytest.approx(1000, rel=0.01)  # [N] as much again
    np.testing.assert_allclose(axes[1, 1].lines[0].get_ydata(), 0, atol=1e-9)


def test_energies_are_drawn_with_their_sum(record):
    axes = Figure().add_subplot()
    pictures.energies(axes, record)
    assert axes.lines[-1].get_label() == "balance"


def test_poses_of_the_tip_are_those_of_the_run():
    specimen = ProbeInDrogue(
        cavity=BALL.cavity,
        law=BALL.law,
        friction=BALL.friction,
        radius=0.025,
        initial_position=(0.245, 0, 0.075),
        initial_angles=(0, 0, np.pi),
    )
    R, p = pictures.poses(specimen, np.array([[0.0, 0, 0, 0, 0, 0], [-0.1, 0.01, 0.02, 0, 0, np.pi / 2]]))
    np.testing.assert_allclose(p, [[0.245, 0, 0.075], [0.145, 0.01, 0.095]])
    np.testing.assert_allclose(R[0] @ [1, 0, 0], [-1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(R[1] @ [1, 0, 0], [0, -1, 0], atol=1e-12)


def test_a_run_is_sampled_and_its_impacts_are_listed():
    t = np.linspace(0, 1, 11)
    energy = {n: ("time", np.where(t > 0.5, 2.0, 1.0)) for n in ("kinetic_energy",)}
    energy |= {n: ("time", 0 * t) for n in ("contact_energy", "contact_dissipation", "friction_dissipation")}
    data = xr.Dataset(
        {
            "penetration": ("time", np.where((t > 0.35) & (t < 0.55), 1.0, -1.0)),
            **energy,
            "displacement": (("time", "axis"), np.outer(t, np.ones(6))),
        },
        {"time": t},
    )
    at = np.array([0.0, 0.6, 2.0])
    np.testing.assert_allclose(pictures.sampled(data, at)[:, 0], [0.0, 0.6, 1.0])
    assert pictures.impact_notes(data, at) == [
        "impact 0, energy 1.00 of initial",
        "impact 1, energy 2.00 of initial",
        "impact 1, energy 2.00 of initial, separated",
    ]
