"""Demonstration with a robot cell: two processes, three offsets, three outcomes, one report."""

from pathlib import Path

import pytest

from dovetail.cli.refuelling_demo import served_cell
from dovetail.core.errors import LinkError
from dovetail.testing import Outcome, run_folder


@pytest.mark.slow
def test_the_demo_strikes_the_drogue_at_three_offsets(dovetail):
    code, out, err = dovetail("demo", "--out", "here")
    assert code == 0, err
    lines = [line for line in out.splitlines() if line.lstrip().startswith(("50 mm", "100 mm", "200 mm"))]
    assert "latched" in lines[0]
    assert "contact torque" in lines[2]  # stopped where the ribs end, before it could couple
    page = Path("here/report.html").read_text()
    for word in ("Animation", "Trajectory", "Interface", "data:image/gif"):
        assert word in page
    assert run_folder.read_run(Path("here/50-mm")).outcome is Outcome.LATCHED
    stopped = run_folder.read_run(Path("here/200-mm"))
    assert stopped.outcome is Outcome.RIG_STOPPED
    assert stopped.trip.limit == 400.0


@pytest.mark.slow
@pytest.mark.parametrize("offset", [100, 200])
def test_its_variants_are_the_tests_of_the_study(offset):
    from dovetail import testing
    from dovetail.cli.refuelling_demo import TEST, with_offset
    from dovetail.studies.registry import find_test

    variant = with_offset(testing.load(find_test(TEST)), 1e-3 * offset)
    assert testing.dump(variant) == testing.dump(testing.load(find_test(f"{TEST}-{offset}")))


def test_an_unknown_demonstration_lists_the_known(dovetail):
    code, _, err = dovetail("demo", "--study", "flying")
    assert code == 2
    assert "refuelling, substructuring" in err


def test_a_cell_that_does_not_start_is_reported_and_leaves_no_files(monkeypatch):
    monkeypatch.setattr("dovetail.cli.refuelling_demo.CELL", "nothing/there")
    with pytest.raises(LinkError, match="did not start"), served_cell() as waiting:
        waiting()
