"""The refuelling study: every file is read, every target comes out as its row says; most take minutes and are slow."""

import re
from pathlib import Path

import pytest

import dovetail.studies.refuelling as refuelling
from dovetail.studies.targets import load_targets
from dovetail.testing import test_file

FOLDER = Path(refuelling.__file__).parent
TARGETS = load_targets("refuelling")
QUICK = (
    "ISA",
    "LOOP",
    "DV-17",
    "RT-02",
    "RT-03",
    "RT-04",
    "RT-05",
    "RT-06",
    "RT-35",
    "DV-13",
    "DV-15",
    "MAP",
)


@pytest.mark.parametrize(
    "name", ["drop", "reel-in"]
)  # those in flight: see test_parameters, which has them read
def test_files_are_read_without_faults_and_name_their_source(name):
    test = test_file.load(FOLDER / "tests" / f"{name}.toml")
    assert test.title
    assert "bolien2018" in test.source


@pytest.mark.parametrize(
    "target",
    [pytest.param(t, id=t.id, marks=[] if t.id in QUICK else [pytest.mark.slow]) for t in TARGETS],
)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)


def test_every_published_result_and_every_verification_vector_has_a_row():
    """Rows stand for themselves or name the others that they judge; nothing is left out silently."""
    said = " ".join(f"{t.id} {t.description}" for t in TARGETS)
    for kind, count in (("RT", 50), ("DV", 22)):
        named = {int(n) for n in re.findall(rf"{kind}-(\d+)", said)}
        assert named == set(range(1, count + 1))
