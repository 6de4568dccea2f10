"""Docking in six degrees of freedom on paper: every target of `reproduce_six_dof` comes out as its row says."""

import pytest

from dovetail.studies.targets import load_targets

TARGETS = [t for t in load_targets("docking") if t.compute.startswith("reproduce_six_dof:")]
QUICK = {"RT-22", "RT-24", "RT-25", "RT-26", "RT-26b", "RT-28"}  # the others compile whole dockings


@pytest.mark.parametrize(
    "target",
    [pytest.param(t, id=t.id, marks=[] if t.id in QUICK else [pytest.mark.slow]) for t in TARGETS],
)
def test_target_has_the_status_of_its_row(target, as_said):
    as_said(target)


def test_every_published_row_of_these_chapters_is_listed():
    listed = {t.id for t in TARGETS}
    wanted = {f"RT-{n}" for n in (22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 41, 42)}
    assert wanted <= listed
