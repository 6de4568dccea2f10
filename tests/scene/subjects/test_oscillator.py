"""Masses on springs, simulated and on the rig."""

from types import SimpleNamespace

import numpy as np
import pytest

import dovetail as dv
from dovetail.scene import stage_of
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def run():
    return dv.load(find_test("substructuring/cs1"), {"duration": 1.0}).rehearse()


def test_an_oscillator_is_drawn_where_it_was_magnified(run):
    stage = stage_of(run, run.test.emulate())
    shown = {solid.name: solid for solid in stage.solids}
    z = run.data.displacement.values
    factor = 0.5 / np.abs(z).max()
    for t in (0.0, 0.35, 1.0):
        k = stage.at(t)
        assert stage.times[k] == pytest.approx(t)
        assert shown["simulated/mass"].pose(k)[1][0] == pytest.approx(factor * z[k], abs=1e-12)
        end = shown["simulated/spring"].pose(k)[1][0] + shown["simulated/spring"].stretch(k)
        assert end == pytest.approx(factor * z[k] - 0.15, abs=1e-12)  # the spring ends at its mass
        there = shown["on the rig/rod"].pose(k)[1][0] + shown["on the rig/rod"].stretch(k)
        assert there > shown["on the rig/actuator"].pose(k)[1][0]  # the rod ends inside its cylinder
    assert shown["ideal"].opacity < 0.5
    assert {plot.title.split(" [")[0] for plot in stage.plots} >= {"displacement", "measured force"}


def test_the_demand_is_a_ghost_on_the_rig_and_the_force_is_told_beside_its_limit(run):
    stage = stage_of(run)
    shown = {solid.name: solid for solid in stage.solids}
    k = int(np.argmax(np.abs(run.data.measured_force.values)))
    mass, ghost = (shown[name].pose(k)[1] for name in ("simulated/mass", "on the rig/demanded"))
    assert ghost[0] == pytest.approx(mass[0])
    assert ghost[1] == shown["on the rig/plate"].pose(k)[1][1]
    used = 100 * abs(run.data.measured_force.values[k]) / float(run.test.limits.force)
    assert stage.arrows[0].words(k).endswith(f", {used:.2g} % of its limit")
    exact = run.data.assign(measured_displacement=run.data.displacement)
    still = stage_of(SimpleNamespace(test=run.test, data=exact, title="exact"))
    assert "on the rig/demanded" not in {solid.name for solid in still.solids}
