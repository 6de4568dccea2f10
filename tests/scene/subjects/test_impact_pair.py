"""Scene of an impact of two bodies."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

import dovetail as dv
from dovetail.core.recording import Recording
from dovetail.scene import build_scene
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def drawn():
    """An approach over a gap of 4 mm, a contact of 1 mm, and a rebound."""
    z = np.array([0.0, 2e-3, 4e-3, 5e-3, 3e-3])
    measured = z - 1e-4
    depth = np.maximum(measured - 4e-3, 0.0)
    columns = {
        "displacement": z,
        "measured_displacement": measured,
        "penetration": depth,
        "measured_force": -1e5 * depth,
    }
    data = xr.Dataset({n: ("time", v) for n, v in columns.items()}, {"time": np.arange(5.0)})
    run = SimpleNamespace(
        test=dv.load(find_test("docking/hil-1dof")), recording=Recording.from_dataset(data), title="impact"
    )
    return run, build_scene(run)


def test_the_probe_touches_the_target_when_it_did(drawn):
    run, scene = drawn
    solids = {solid.name: solid for solid in scene.solids}
    depth, measured = (
        run.recording["penetration"].values,
        run.recording["measured_displacement"].values,
    )
    touched = int(np.argmax(depth > 0))
    assert depth[touched] > 0
    tip, plate = solids["rig/probe"], solids["rig/plate"]
    ahead = tip.mesh.vertices[:, 0].max()
    gap = [plate.pose(k)[1][0] - tip.pose(k)[1][0] - ahead for k in (0, touched)]
    assert gap[0] > 0.1  # they start apart
    assert gap[1] == pytest.approx(-scene.enlarged * depth[touched], abs=1e-9)
    moved = tip.pose(touched)[1][0] - tip.pose(0)[1][0]
    assert moved == pytest.approx(scene.enlarged * (measured[touched] - measured[0]))


def test_the_heavier_body_is_drawn_larger_and_without_a_spring(drawn):
    _, scene = drawn
    solids = {solid.name: solid for solid in scene.solids}
    sizes = [np.ptp(solids[name].mesh.vertices[:, 2]) for name in ("chaser/body", "target/body")]
    assert sizes[1] / sizes[0] == pytest.approx((75 / 30) ** (1 / 3), rel=1e-2)
    assert not any("spring" in name for name in solids)
    assert solids["target/body"].mesh.vertices[:, 0].min() == pytest.approx(
        0.0, abs=1e-9
    )  # its face, before it
