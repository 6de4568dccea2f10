"""The library of cases: each has a file that runs by its name, and targets by which it passes or fails."""

import pytest

from dovetail.core.errors import ParameterError
from dovetail.studies.registry import all_tests
from dovetail.studies.shipboard.assembly import loaded
from dovetail.studies.targets import compute_target, load_targets

CASES = [f"case-{i}" for i in range(1, 9)]


@pytest.mark.parametrize("case", CASES)
def test_a_case_runs_by_its_name_and_has_targets(case):
    assert f"shipboard/{case}" in all_tests()
    assert not loaded(case).faults()
    judged = [t for t in load_targets(f"shipboard/{case}") if t.kind != "data"]
    assert judged
    assert all(t.case == case for t in judged)


def test_every_target_of_the_source_belongs_to_a_case():
    ours = [t for t in load_targets("shipboard") if t.id.startswith("RT-")]
    assert {t.case for t in ours} == set(CASES)


def test_a_case_passes_or_fails_by_its_numbers():
    mass = next(t for t in load_targets("shipboard/case-1") if t.id == "RT-06")
    assert compute_target(mass).status == "met"


def test_a_case_without_targets_is_reported():
    with pytest.raises(ParameterError, match="case-1, case-2"):
        load_targets("shipboard/case-9")


@pytest.mark.slow
def test_every_other_file_is_sound():
    names = [n.removeprefix("shipboard/") for n in all_tests() if n.startswith("shipboard/")]
    simulated = [n for n in names if not n.startswith(("hybrid", "envelope", "forms"))]
    for name in set(simulated) - set(CASES):
        assert not loaded(name).faults(), name
