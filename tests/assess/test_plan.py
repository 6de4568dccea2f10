"""The plan: a page for people, a record for programs, and a test that runs."""

import json

import pytest
import xarray as xr

from dovetail import testing
from dovetail.assess import DesignOptions, design, to_dict, to_markdown, write
from dovetail.core.errors import OutputError


@pytest.fixture(scope="module")
def made(cs1):
    return design(cs1(), DesignOptions(compensator="forward-prediction", model_order=0))


def test_the_page_has_the_verdict_the_checks_and_the_procedure(made):
    page = to_markdown(made)
    assert page.startswith("# Plan of the test: CS1\n\n**GO: all checks passed.**")
    for heading in (
        "## 1. Identify",
        "## 2. Compensate",
        "## 3. Robustify",
        "## 4. Verify",
        "## In the laboratory",
    ):
        assert heading in page
    assert "| margin | " in page
    assert "1. Set the limits: displacement 0.05 m, force 100 N." in page
    assert "dovetail run test.toml" in page


def test_the_record_is_plain_and_complete(made):
    found = json.loads(json.dumps(to_dict(made)))
    assert found["go"] is True
    assert found["margin_s"] == pytest.approx(made.assessment.margin)
    assert found["identification"]["axes"][0]["delay_s"] == pytest.approx(9.4e-3, abs=1e-4)
    assert {c["name"] for c in found["candidates"]} >= {"none", "forward-prediction", "inverse"}
    assert set(found["decisions"]) == {"identify", "compensate", "robustify", "verify"}


def test_the_folder_holds_a_test_that_runs(made, tmp_path):
    folder = write(made, tmp_path / "plan")
    assert {p.name for p in folder.iterdir()} == {
        "plan.md",
        "plan.json",
        "test.toml",
        "actuator.toml",
        "identification.nc",
    }
    again = testing.load(folder / "test.toml")
    assert again.rehearse().outcome.completed
    with xr.open_dataset(folder / "identification.nc", engine="scipy") as swept:
        assert set(swept.data_vars) == {"command", "measured_displacement", "measured_force"}


def test_a_folder_that_is_not_empty_is_not_changed(made, tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(OutputError, match="not empty"):
        write(made, tmp_path)


def test_a_no_go_plan_starts_with_the_warning_not_to_run(lost):
    page = to_markdown(lost)
    assert "**NO-GO: " in page
    assert "1. Do not run this test yet." in page
    assert "**failed**" in page
