"""`dovetail campaign` on the command line."""

import pytest

from dovetail.campaign import open_results

FILE = """
title = "Frequencies"
model = "campaigning_model:frequency"
chunk = 3
batch = 3
[[axis]]
path = "mass"
values = [-1, 1, 4]
[[axis]]
path = "stiffness"
values = [100, 400]
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "campaigning_model.py").write_text(
        "def frequency(mass, stiffness):\n    return {'frequency': (stiffness / mass) ** 0.5}\n"
    )
    path = tmp_path / "frequencies.toml"
    path.write_text(FILE)
    return path


def test_it_computes_tells_and_resumes(dovetail, file, tmp_path):
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out")
    assert code == 1  # two points failed
    assert "6 of 6 points are there" in out
    assert "frequency" in out
    assert "2 points failed" in out
    assert "frequency is not finite" in out
    assert float(open_results(tmp_path / "out").frequency.sel(mass=4, stiffness=400)) == 10
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out", "--resume")
    assert "0 computed now" in out


def test_settings_change_the_campaign(dovetail, file, tmp_path):
    code, out, _ = dovetail("campaign", file, "--out", tmp_path / "out", "--set", "axis.0.values=[1, 2]")
    assert code == 0
    assert "4 of 4 points" in out


def test_what_is_wrong_is_told_without_a_traceback(dovetail, file, tmp_path):
    dovetail("campaign", file, "--out", tmp_path / "out")
    code, _, err = dovetail("campaign", file, "--out", tmp_path / "out")
    assert code == 2
    assert "--resume" in err
    code, _, err = dovetail("campaign", file, "--resume")
    assert code == 2
    assert "--resume needs --out" in err
    code, _, err = dovetail("campaign", "docking/nothing")
    assert code == 2
    assert "no campaign" in err
