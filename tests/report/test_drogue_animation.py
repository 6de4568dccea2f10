"""The moving picture of a drogue: frames, and where things are drawn in them."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from PIL import Image

from dovetail.core.recording import Recording
from dovetail.report.drogue_animation import FRAMES, SIZE, animate, first_contact, scene_from
from dovetail.specimens import Funnel


@pytest.fixture
def run():
    t = np.linspace(0.0, 0.3, 31)
    joint = np.array([-47.5, 0.0, 6.0]) + np.zeros((31, 3))
    cog = joint - [0.3, 0.0, 0.0]
    nozzle = joint + np.stack([-0.75 + 1.5 * t, 0 * t, -0.05 + 0 * t], axis=1)
    force = np.zeros((31, 6))
    force[12:, 0] = 5.0
    hose = np.stack([joint + np.array([1.0, 0, -0.1]), joint, cog], axis=2)
    data = xr.Dataset(
        {
            "ball_joint_position": (("time", "a"), joint),
            "drogue_position": (("time", "a"), cog),
            "nozzle_position": (("time", "a"), nozzle),
            "feedback_force": (("time", "axis"), force),
            "hose_position": (("time", "a", "n"), hose),
        },
        coords={"time": t},
    )
    return SimpleNamespace(
        recording=Recording.from_dataset(data), test=SimpleNamespace(rig=None, numerical=Funnel())
    )


def test_it_is_a_gif_of_both_that_runs_from_before_contact_to_the_end(run, tmp_path):
    with Image.open(animate([run, run], ["one", "two"], tmp_path / "a.gif")) as picture:
        assert picture.format == "GIF"
        assert picture.size == (2 * SIZE[0], SIZE[1])
        assert 10 < picture.n_frames <= 2 * FRAMES
        picture.seek(0)
        first = np.asarray(picture.convert("RGB"))
        picture.seek(picture.n_frames - 1)
        assert np.any(first != np.asarray(picture.convert("RGB")))


def test_the_animation_starts_before_contact_with_the_recorded_probe_pose(run):
    assert first_contact(run) == pytest.approx(0.12)
    shown = scene_from(run, 0.07)
    assert shown.times[0] == pytest.approx(0.07)
    probe = next(solid for solid in shown.solids if solid.name == "probe")
    np.testing.assert_allclose(probe.pose(0)[1], run.recording["nozzle_position"].values[7])
