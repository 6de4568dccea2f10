import pytest

from dovetail.studies.registry import all_tests
from dovetail.studies.reproduction import judge, targets

OURS = {t.id: t for t in targets("shipboard") if t.compute.startswith("reproduce:")}
STATIC = ("RT-03", "RT-04", "RT-06", "RT-12", "RT-13", "RT-41", "RT-42")


@pytest.mark.parametrize("name", STATIC)
def test_quick_targets_are_met(name):
    result = judge(OURS[name])
    assert result.status == "met", f"{name}: got {result.got}, expected {OURS[name].expected}"


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(OURS) - set(STATIC)))
def test_the_other_targets_are_met(name):
    result = judge(OURS[name])
    assert result.status == "met", f"{name}: got {result.got}, expected {OURS[name].expected}"


def test_every_published_case_has_a_file():
    names = {name for name in all_tests() if name.startswith("shipboard/")}
    assert {f"shipboard/case-{i}" for i in range(1, 9)} <= names
    assert {"shipboard/recovery", "shipboard/spatial-drop"} <= names
