import numpy as np
import pytest
from PIL import Image

from dovetail.core.errors import OutputError, ParameterError
from dovetail.report.animation import AnimatedScene, Bending, Body, animate, box, surface_outline, write_gif

TURN = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # a quarter about z


@pytest.fixture(scope="module")
def film():
    R, p = np.stack([np.eye(3), TURN]), np.array([[0.0, 0, 0], [1.0, 0, 0]])
    moving = Body(box((0.4, 0.2, 0.2)), "#d55e00", R=R, p=p)
    still = Body(surface_outline([0.1, 0.5], [0.0, 1.0]))
    reach = ((-1, 2), (-1, 1), (-1, 1))
    scenes = [
        AnimatedScene("one", [still, moving], trail=p, notes=["a", "b"]),
        AnimatedScene("other", [moving]),
    ]
    return animate(scenes, np.array([0.0, 0.5]), reach=reach)


def test_an_outline_follows_its_pose():
    R, p = np.stack([np.eye(3), TURN]), np.array([[0.0, 0, 0], [1.0, 2.0, 3.0]])
    body = Body([np.array([[0.0, 0, 0], [1.0, 0, 0]])], R=R, p=p)
    np.testing.assert_allclose(body.at(0)[0], [[0, 0, 0], [1, 0, 0]])
    np.testing.assert_allclose(body.at(1)[0], [[1, 2, 3], [1, 3, 3]], atol=1e-12)
    np.testing.assert_allclose(body.at(9)[0], body.at(1)[0])  # it stays where it ended


def test_a_surface_of_revolution_has_its_radii():
    lines = surface_outline([0.1, 0.5], [0.0, 1.0], sides=4)
    assert len(lines) == 2 + 4
    for line in lines:
        np.testing.assert_allclose(np.hypot(line[:, 1], line[:, 2]), 0.1 + 0.4 * line[:, 0])


def test_a_box_has_its_sides():
    points = np.concatenate(box((1.0, 2.0, 3.0), (5.0, 0.0, 0.0)))
    np.testing.assert_allclose(np.ptp(points, axis=0), [1, 2, 3])
    np.testing.assert_allclose(points.mean(axis=0)[0], 5.0)


def test_a_film_is_a_gif_with_a_picture_for_each_time(film, tmp_path):
    with Image.open(write_gif(film, tmp_path / "film.gif", dpi=40)) as gif:
        assert gif.n_frames == 2
        first = np.asarray(gif.convert("L"))
        gif.seek(1)
        assert np.any(np.asarray(gif.convert("L")) != first)


def test_a_missing_folder_is_reported(film, tmp_path):
    with pytest.raises(OutputError, match="does not exist"):
        write_gif(film, tmp_path / "nowhere" / "film.gif")


def test_an_animation_without_data_is_rejected():
    with pytest.raises(ParameterError, match="got 0 scenes"):
        animate([], np.zeros(2), reach=((0, 1),) * 3)


def test_a_line_that_bends_has_a_shape_for_each_frame():
    path = np.zeros((2, 3, 3))
    path[1, :, 2] = [0.0, 0.5, 0.0]
    line = Bending(path)
    assert line.at(0)[0][1, 2] == 0.0
    assert line.at(7)[0][1, 2] == 0.5


def test_from_the_side_x_is_to_the_right_and_z_up():
    path = np.array([[[0.0, 9.0, 0.0], [1.0, 9.0, 2.0]]])
    film = animate(
        [AnimatedScene("side", [Bending(path)])], np.zeros(1), reach=((0, 1), (0, 1), (0, 2)), view="side"
    )
    (line,) = film.panels[0].lines[0]
    np.testing.assert_allclose(line.get_data(), [[0.0, 1.0], [0.0, 2.0]])


def test_writing_does_not_change_the_figure(film, tmp_path):
    figure, canvas, dpi = film.figure, film.figure.canvas, film.figure.dpi
    write_gif(film, tmp_path / "film.gif", dpi=30, rest=2.0)
    assert figure.canvas is canvas
    assert figure.dpi == dpi
    assert not any(artist.get_animated() for artist in film.moving)
    with Image.open(tmp_path / "film.gif") as gif:
        gif.seek(1)
        assert gif.info["duration"] == 2000
