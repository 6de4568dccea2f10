"""Pictures of a rope in motion."""

import matplotlib.pyplot as plt
import numpy as np
from PIL import Image

from dovetail import testing
from dovetail.report.rope import save_animation, snapshots


def nodes():
    turn = np.linspace(0, 1, 30)[:, None] * np.ones(5)
    reach = np.linspace(0, 10, 5)
    return np.stack([-reach * np.cos(turn), 0.1 * reach + 0 * turn, -reach * np.sin(turn)], axis=1)


def test_snapshots_cover_the_motion_and_are_upright():
    figure = plt.figure()
    axes = figure.add_subplot(projection="3d")
    places = snapshots(axes, nodes(), number=5)
    assert places[0] == 0
    assert places[-1] == 29
    lines = axes.lines
    assert len(lines) == 6  # five ropes and the path of the tip
    np.testing.assert_allclose(lines[4].get_data_3d()[2], nodes()[-1, 2])
    plt.close(figure)


def test_a_run_is_saved_as_a_moving_picture(tmp_path):
    table = {
        "title": "a rope that falls",
        "rate": "20 Hz",
        "axes": ["x", "y", "z"],
        "duration": "0.5 s",
        "numerical": {
            "kind": "towed-rope",
            "airflow": "off",
            "chain": {"kind": "link-chain", "n": 3, "length": "3 m", "mass": "1 kg"},
        },
    }
    path = save_animation(testing.parse(table).simulate(), tmp_path / "rope.gif", frames=4)
    with Image.open(path) as picture:
        assert picture.format == "GIF"
        assert picture.n_frames == 4
