"""The moving picture of a drogue: frames, and where things are drawn in them."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from matplotlib.figure import Figure
from PIL import Image

from dovetail.report.drogue_animation import FRAMES, Scene, animate
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
            "force": (("time", "axis"), force),
            "hose_position": (("time", "a", "n"), hose),
        },
        coords={"time": t},
    )
    return SimpleNamespace(data=data, test=SimpleNamespace(rig=SimpleNamespace(specimen=Funnel())))


def test_it_is_a_gif_that_runs_from_before_contact_to_the_end(run, tmp_path):
    with Image.open(animate([run, run], ["one", "two"], tmp_path / "a.gif")) as picture:
        assert picture.format == "GIF"
        assert 10 < picture.n_frames <= FRAMES  # frames that are the same are one
        picture.seek(0)
        first = np.asarray(picture.convert("RGB"))
        picture.seek(picture.n_frames - 1)
        assert np.any(first != np.asarray(picture.convert("RGB")))


def test_the_funnel_opens_aft_of_the_ball_joint_and_the_nozzle_is_where_it_was_recorded(run):
    scene = Scene(run, "one", Figure().subplots())
    scene.show(0.1)
    x, y = scene.upper.get_data()
    assert (x[0], x[-1]) == pytest.approx((-0.12, -0.70))
    assert (y[0], y[-1]) == pytest.approx((0.006, 0.27))
    px, py = scene.probe.get_data()
    assert (px[0], py[0]) == pytest.approx((-0.75 + 0.15, 0.05))
    assert scene.contact == pytest.approx(0.12)
    assert scene.clock.get_text() == "-20 ms"
    scene.show(9.0)
    assert "ended" in scene.clock.get_text()
