"""The picture on the first screen of a page."""

import io
from dataclasses import replace

import numpy as np
from PIL import Image

from dovetail.core.recording import Recording
from dovetail.report.keyframe import LETTERS, NARROW, SIZE, key_frame, moment
from dovetail.scene import shapes
from dovetail.scene.scene import Arrow, Scene, Solid


def test_the_key_frame_is_at_the_largest_force(late):
    still = key_frame(late)
    assert Image.open(io.BytesIO(still.jpeg)).size == SIZE == still.size
    strongest = float(late.data.time[int(np.argmax(np.abs(late.data.measured_force.values)))])
    assert f"At {strongest:.4g} s" in still.caption
    assert Image.open(io.BytesIO(still.narrow)).size == NARROW
    phone = 372  # [px] that a page has for a picture on a screen of 420
    assert LETTERS * phone / NARROW[0] >= 11


def test_without_forces_the_key_frame_is_at_the_largest_displacement():
    way = np.sin(np.linspace(0, np.pi, 11))
    body = Solid("s", shapes.box((1, 1, 1)), lambda k: (np.eye(3), np.array([way[k], 0, 0])))
    assert moment(Scene("t", np.arange(11.0), solids=[body])) == 5
    none = Arrow("f", lambda k: np.zeros(3), lambda k: np.zeros(3), 1.0)
    assert moment(Scene("t", np.arange(11.0), solids=[body], arrows=[none])) == 5


def test_a_recording_without_geometry_has_no_key_frame(late, make):

    data = late.data[["feedback_force"]]
    assert key_frame(replace(late, recording=Recording.from_dataset(data))) is None
