"""The refuelling study: every file is read, every quick target met; the others, which take minutes, are slow."""

from pathlib import Path

import pytest

import dovetail.studies.refuelling as refuelling
from dovetail.studies.reproduction import targets
from dovetail.testing import file

FOLDER = Path(refuelling.__file__).parent
TARGETS = [target.id for target in targets("refuelling")]
QUICK = ("RT-01", "RT-02", "RT-03", "RT-04", "RT-05", "RT-06", "RT-35", "DV-13", "MAP")


@pytest.mark.parametrize(
    "name", ["drop", "reel-in"]
)  # those in flight: see test_parameters, which has them read
def test_files_are_read_without_faults_and_name_their_source(name):
    test = file.load(FOLDER / "tests" / f"{name}.toml")
    assert test.title
    assert "bolien2018" in test.source


@pytest.mark.parametrize("name", QUICK)
def test_quick_targets_are_met(name, meets):
    meets("refuelling", name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in TARGETS if n not in QUICK])
def test_the_other_targets_are_met(name, meets):
    meets("refuelling", name)
