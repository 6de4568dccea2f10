"""Scene of three masses in line, of which the middle one is the specimen between two actuators."""

import numpy as np
import pytest

import dovetail as dv
from dovetail.scene import build_scene
from dovetail.studies.registry import find_test


@pytest.fixture(name="run", scope="module")
def _run():
    return dv.load(find_test("substructuring/cs2"), {"duration": 0.2}).rehearse()


def ends(solid, k):
    """Both ends of a spring or rod, along x."""
    x = solid.pose(k)[1][0]
    return x, x + solid.stretch(k)


def test_the_masses_stand_in_line_and_springs_connect_neighbours(run):
    scene = build_scene(run)
    shown = {solid.name: solid for solid in scene.solids}
    z, middle = run.recording["displacement"].values, run.recording["mass_displacement"].values
    for k in (0, 80, 200):
        first, centre, last = (
            shown[name].pose(k)[1]
            for name in ("TS1/simulation/mass", "machine/specimen/mass", "TS2/simulation/mass")
        )
        assert first[0] < centre[0] < last[0]
        assert first[1] == centre[1] == last[1]
        moved = np.array([first[0] + 1.1, centre[0], last[0] - 1.1])
        np.testing.assert_allclose(
            moved, scene.enlarged * np.array([z[k, 0], middle[k], z[k, 1]]), atol=1e-12
        )
        left, right = (ends(shown[f"machine/specimen/{side} spring"], k) for side in ("left", "right"))
        np.testing.assert_allclose(left, [first[0] + 0.15, centre[0] - 0.15], atol=1e-12)
        np.testing.assert_allclose(right, [centre[0] + 0.15, last[0] - 0.15], atol=1e-12)


def test_each_actuator_holds_one_end_of_the_specimen(run):
    scene = build_scene(run)
    shown = {solid.name: solid for solid in scene.solids}
    for k in (0, 120):
        for name, side in (("TS1", -1), ("TS2", 1)):
            plate = shown[f"{name}/rig/plate"].pose(k)[1][0]
            rod, cylinder = ends(shown[f"{name}/rig/rod"], k), shown[f"{name}/rig/actuator"].pose(k)[1][0]
            assert min(abs(end - plate) for end in rod) == pytest.approx(0.1, abs=0.05)
            assert any(cylinder <= end <= cylinder + 0.6 for end in rod)
            assert side * (cylinder - plate) > 0
    assert [arrow.name for arrow in scene.arrows] == ["TS1/force", "TS2/force"]
