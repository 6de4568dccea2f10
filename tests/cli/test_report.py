"""`dovetail report` and `dovetail compare`."""

import shutil

import pytest
from typer.testing import CliRunner

from dovetail.cli import report
from dovetail.cli.main import app
from dovetail.core.errors import DovetailError, OutputError

SHORT = ["--set", "duration=1 s", "--no-report"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    base = tmp_path_factory.mktemp("runs")
    for name, delay in (("early", "2 ms"), ("late", "5 ms")):
        change = ["--set", f"rig.actuator.delay={delay}", "--out", str(base / name)]
        said = CliRunner().invoke(app, ["run", "substructuring/cs1", *SHORT, *change])
        assert said.exit_code == 0, said.output
    return base


def test_a_report_contains_the_error_contributions(runs, tmp_path):
    page = tmp_path / "page.html"
    said = CliRunner().invoke(app, ["report", str(runs / "early"), "--out", str(page)])
    assert said.exit_code == 0, said.output
    text = page.read_text("utf-8")
    assert "Error contributions" in text
    assert "sampling only, ideal rig" in text
    assert "actuator: delay" in text


def test_two_runs_on_one_page(runs, tmp_path):
    page = tmp_path / "both.html"
    said = CliRunner().invoke(app, ["compare", str(runs / "early"), str(runs / "late"), "--out", str(page)])
    assert said.exit_code == 0, said.output
    text = page.read_text("utf-8")
    assert "Differences between the runs" in text
    assert "rig.actuator.delay" in text
    assert "late" in text
    assert "Response error" in said.output


def test_a_comparison_needs_two_runs(runs):
    with pytest.raises(DovetailError, match="Expected two or more"):
        CliRunner().invoke(app, ["compare", str(runs / "early")], catch_exceptions=False)


def test_a_folder_without_a_run_is_reported(tmp_path):
    with pytest.raises(OutputError, match="contains no result.nc"):
        CliRunner().invoke(app, ["report", str(tmp_path)], catch_exceptions=False)


def test_a_missing_browser_is_reported_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "BROWSERS", ("no-such-browser",))
    page = tmp_path / "page.html"
    page.write_text("<p>page</p>", "utf-8")
    with pytest.raises(OutputError, match="install chromium, or open .*page.html"):
        report.print_pdf(page)


@pytest.mark.skipif(not any(map(shutil.which, report.BROWSERS)), reason="no browser to print with")
def test_a_page_is_printed(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p>page</p>", "utf-8")
    assert report.print_pdf(page).read_bytes().startswith(b"%PDF")
