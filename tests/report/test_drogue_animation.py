"""The moving picture of a drogue: frames, and where things are drawn in them."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from PIL import Image

from dovetail.report.drogue_animation import FRAMES, animate, first_contact, scene
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
    hose, coupling, funnel, probe = (found := scene(run, "one", np.array([0.1, 9.0]))).bodies
    upper, lower = funnel.at(0)
    np.testing.assert_allclose(upper[[0, -1]], [[-0.12, 0, 0.006], [-0.70, 0, 0.27]], atol=1e-12)
    np.testing.assert_allclose(lower, upper * [1, 1, -1], atol=1e-12)
    np.testing.assert_allclose(probe.at(0)[0][0], [-0.75 + 0.15, 0.0, 0.05], atol=1e-12)
    np.testing.assert_allclose(hose.at(0)[0], [[1.0, 0.0, 0.1], [0.0, 0.0, 0.0]], atol=1e-12)
    assert coupling.at(0)[0][0].tolist() == [0.0, 0.0, 0.0]
    assert first_contact(run) == pytest.approx(0.12)
    assert list(found.notes) == ["-20 ms", "+180 ms  (ended)"]


def test_a_drogue_that_tips_up_lifts_its_open_end_less_its_coupling(run):
    """The centre of mass 0.1 m above the line aft of the ball joint: the funnel's axis leads up as it goes aft."""
    lifted = run.data.assign(drogue_position=run.data.drogue_position + np.array([0.0, 0.0, -0.1]))
    tipped = SimpleNamespace(data=lifted, test=run.test)
    upper, lower = scene(tipped, "one", np.array([0.0])).bodies[2].at(0)
    middle = 0.5 * (upper + lower)
    np.testing.assert_allclose(middle[:, 2] / middle[:, 0], -1 / 3, rtol=1e-9)
