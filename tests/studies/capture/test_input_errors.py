"""What is refused, and in which words: each fault in a file of the study, as a user would make it."""

import tomllib
from importlib import resources

import numpy as np
import pytest

from dovetail import testing
from dovetail.core.errors import TestFileError
from dovetail.testing import Outcome
from dovetail.testing.test_file import change

FOLDER = resources.files("dovetail.studies.capture") / "tests"


def table(name, **changes):
    return change(tomllib.loads((FOLDER / f"{name}.toml").read_text("utf-8")), changes)


@pytest.mark.parametrize(
    ("name", "place", "value", "words"),
    [
        ("settle", "numerical.chain.length", "0 m", "must be above 0 m"),
        ("settle", "numerical.chain.length", "-250 m", "must be above 0 m"),
        ("settle", "numerical.chain.mass", "0 kg", "must be above 0 kg"),
        ("settle", "numerical.chain.mass", "-80 kg", "must be above 0 kg"),
        ("settle", "numerical.device.mass", "-1 kg", "at least 0 kg"),
        ("settle", "numerical.drag", {"kind": "cable-drag", "diameter": "-24 mm"}, "must be above 0 m"),
        ("settle", "numerical.drag", {"kind": "cable-drag", "diameter": "0 mm"}, "must be above 0 m"),
        ("select", "numerical.diameter", ["0 mm"] * 7, "must be above 0 m"),
        ("select", "numerical.mass_per_length", [-0.1] * 7, "must be above 0 kg/m"),
        ("settle", "numerical.chain.n", 0, "at least 1"),
        ("settle", "numerical.device.mass", "60 t", "5.893e+05 N"),
        ("settle", "numerical.initial_tip", ["-200 m", "0 m", "-50 m"], "slack"),
        ("settle", "numerical.initial_tip", ["-300 m", "0 m", "-50 m"], "cannot reach it"),
        ("settle", "numerical.initial_angles", ["180 deg", "0 deg"], "slack"),
        ("settle", "numerical.chain.joint_damping", "82 kN m s", "RK4: a step of 0.01 s is unstable"),
        (
            "select",
            "numerical.diameter",
            ["16 mm", "24 mm"],
            "diameter has 2, mass_per_length has 7, length has 7, breaking_strength has 7, names has 7",
        ),
    ],
)
def test_a_fault_is_rejected_with_a_remedy(name, place, value, words):
    with pytest.raises(TestFileError) as caught:
        testing.parse(table(name, **{place: value}), f"{name}.toml")
    assert words in str(caught.value)


def test_a_wake_grid_that_does_not_cover_the_rope_is_rejected(tmp_path):
    file = tmp_path / "wake.npz"
    axis = np.array([0.0, 50.0])
    np.savez(file, x=axis, y=axis, z=np.array([-50.0, 50.0]), velocity=np.zeros((3, 2, 2, 2)))
    wake = {"kind": "gridded-wake", "file": str(file)}
    with pytest.raises(TestFileError, match=r"x covers 0 to 50 m.*-300 to 0 m"):
        testing.parse(table("wake", **{"numerical.wake": wake}))


@pytest.mark.slow
def test_a_motion_outside_the_validity_of_a_law_stops_with_the_reason():
    # a point device of ten thousand times the drag: stiff by its own mass, which the rope's law cannot know
    wild = table(
        "settle", **{"numerical.chain.n": 2, "numerical.device.drag_area": "8000 m^2", "duration": "5 s"}
    )
    run = testing.parse(change(wild, {"numerical.breaking_strength": "55 GN"})).simulate()
    assert run.outcome in (Outcome.VELOCITY, Outcome.NOT_FINITE)
    assert 0 < run.data.sizes["time"] < 500
    assert np.isfinite(run.data["displacement"].values).all()
