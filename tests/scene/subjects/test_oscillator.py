"""Scene of masses on springs, in the simulation and on the rig."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def run():
    return dv.load(find_test("substructuring/cs1"), {"duration": 1.0}).rehearse()


def test_an_oscillator_has_its_recorded_position_times_the_scale(run):
    scene = build_scene(run, run.test.reference())
    shown = {solid.name: solid for solid in scene.solids}
    z = run.recording["displacement"].values
    factor = 0.5 / np.abs(z).max()
    for t in (0.0, 0.35, 1.0):
        k = scene.at(t)
        assert scene.times[k] == pytest.approx(t)
        assert shown["simulation/mass"].pose(k)[1][0] == pytest.approx(factor * z[k], abs=1e-12)
        end = shown["simulation/spring"].pose(k)[1][0] + shown["simulation/spring"].stretch(k)
        assert end == pytest.approx(factor * z[k] - 0.15, abs=1e-12)  # the spring ends at its mass
        there = shown["rig/rod"].pose(k)[1][0] + shown["rig/rod"].stretch(k)
        assert there > shown["rig/actuator"].pose(k)[1][0]  # the rod ends inside its cylinder
    assert shown["reference"].opacity < 0.5
    assert {plot.title.split(" [")[0] for plot in scene.plots} >= {"displacement", "measured force"}


def test_the_demand_is_transparent_and_the_force_labelled_with_its_limit(run):
    scene = build_scene(run)
    shown = {solid.name: solid for solid in scene.solids}
    k = int(np.argmax(np.abs(run.recording["measured_force"].values)))
    mass, ghost = (shown[name].pose(k)[1] for name in ("simulation/mass", "rig/demand"))
    assert ghost[0] == pytest.approx(mass[0])
    assert ghost[1] == shown["rig/plate"].pose(k)[1][1]
    used = 100 * abs(run.recording["measured_force"].values[k]) / float(run.test.limits.force)
    assert scene.arrows[0].label_text(k).endswith(f", {used:.3g} % of the limit")
    exact = run.recording.to_dataset().assign(measured_displacement=run.recording.to_dataset().displacement)
    still = build_scene(
        SimpleNamespace(test=run.test, recording=Recording.from_dataset(exact), title="exact")
    )
    assert "rig/demand" not in {solid.name for solid in still.solids}
