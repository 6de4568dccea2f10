"""Reports in folders of runs, and nothing else of the machine."""

from pathlib import Path

from dovetail.studio.page.shown import address, report_in


def test_only_a_report_in_the_runs_is_shown(tmp_path):
    runs = tmp_path / "runs"
    (runs / "one").mkdir(parents=True)
    (runs / "one" / "report.html").write_text("<p>")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "report.html").write_text("<p>")
    assert report_in(runs, runs / "one") == runs / "one" / "report.html"
    for folder in (tmp_path / "other", runs / ".." / "other", Path("/"), runs / "none"):
        assert report_in(runs, folder) is None
    assert address(Path("runs/a b&c")) == "/report?folder=runs/a%20b%26c"
