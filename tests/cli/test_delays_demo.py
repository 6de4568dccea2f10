"""Demonstration with three delays: three verdicts, one report."""

from pathlib import Path

import pytest

from dovetail.testing import run_folder


@pytest.mark.slow
def test_the_demo_shows_a_stable_a_marginal_and_an_unstable_test(dovetail):
    code, out, _ = dovetail("demo", "--study", "substructuring", "--out", "here")
    assert code == 0
    assert "critical delay 6.77 ms at 7.12 Hz" in out
    lines = {
        line.split("  ")[1].strip(): line for line in out.splitlines() if " ms " in line and "1/s" in line
    }
    assert "stable; Finished" in lines["large margin"]
    assert "stable; Finished" in lines["near the critical delay"]
    assert "unstable; stopped: measured force" in lines["above the critical delay"]
    page = Path("here/report.html").read_text()
    assert page.count("<svg") >= 10
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert run_folder.read_run(Path("here/large-margin")).outcome.completed
