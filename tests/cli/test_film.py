"""`dovetail film`."""

import pytest
from PIL import Image

import dovetail as dv
from dovetail.cli.film import film
from dovetail.core.errors import ParameterError
from dovetail.studies.registry import find_test


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    test = dv.load(find_test("substructuring/cs1"), {"duration": 0.5})
    return test.rehearse().save(tmp_path_factory.mktemp("runs") / "run")


def test_a_run_is_filmed_alone_and_beside_its_reference(recorded, tmp_path, capsys):
    for ideal in (False, True):
        out = tmp_path / f"{ideal}.gif"
        assert film([recorded, out], "overview", 0.25, "128x64", 5.0, ideal) == 0
        with Image.open(out) as image:
            assert image.size == (128, 64)
    assert "video" in capsys.readouterr().out


def test_two_runs_stand_side_by_side(recorded, tmp_path):
    out = tmp_path / "two.gif"
    assert film([recorded, recorded, out], "follow", 0.5, "160x64", 4.0, False) == 0


@pytest.mark.parametrize(
    ("given", "size", "found"),
    [
        (["run.mp4"], None, "Expected run folders"),
        (["RUN", "a.gif"], "big", "width x height in pixels"),
    ],
)
def test_a_run_that_cannot_be_filmed_is_rejected(recorded, tmp_path, given, size, found):
    paths = [recorded if name == "RUN" else tmp_path / name for name in given]
    with pytest.raises(ParameterError, match=found):
        film(paths, "overview", None, size, 30.0, False)
