"""The picture on the first screen of a page."""

import io
from dataclasses import replace

import numpy as np
from PIL import Image

from dovetail.report.keyframe import LETTERS, NARROW, SIZE, key_frame, moment
from dovetail.scene import shapes
from dovetail.scene.scene import Arrow, Scene, Solid


def test_a_run_is_shown_where_its_largest_force_acts(late):
    still = key_frame(late)
    assert Image.open(io.BytesIO(still.jpeg)).size == SIZE == still.size
    strongest = float(late.data.time[int(np.argmax(np.abs(late.data.measured_force.values)))])
    assert f"At {strongest:.4g} s" in still.caption
    assert Image.open(io.BytesIO(still.narrow)).size == NARROW
    phone = 372  # [px] that a page has for a picture on a screen of 420
    assert LETTERS * phone / NARROW[0] >= 11


def test_a_run_without_forces_is_shown_where_it_is_farthest():
    way = np.sin(np.linspace(0, np.pi, 11))
    body = Solid("s", shapes.box((1, 1, 1)), lambda k: (np.eye(3), np.array([way[k], 0, 0])))
    assert moment(Scene("t", np.arange(11.0), solids=[body])) == 5
    none = Arrow("f", lambda k: np.zeros(3), lambda k: np.zeros(3), 1.0)
    assert moment(Scene("t", np.arange(11.0), solids=[body], arrows=[none])) == 5


def test_a_recording_with_no_place_in_space_has_no_picture(late, make):

    data = late.data[["feedback_force"]]
    assert key_frame(replace(late, data=data)) is None
