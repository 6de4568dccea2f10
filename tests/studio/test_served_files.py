"""Reports in run folders are served, and no other file."""

from pathlib import Path

from dovetail.report.html import page_style
from dovetail.studio.served_files import address, report_in, with_theme


def test_only_reports_in_the_runs_folder_are_served(tmp_path):
    runs = tmp_path / "runs"
    (runs / "one").mkdir(parents=True)
    (runs / "one" / "report.html").write_text("<p>")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "report.html").write_text("<p>")
    assert report_in(runs, runs / "one") == runs / "one" / "report.html"
    for folder in (tmp_path / "other", runs / ".." / "other", Path("/"), runs / "none"):
        assert report_in(runs, folder) is None
    assert address(Path("runs/a b&c")) == "/report?folder=runs/a%20b%26c"
    assert address(Path("runs/a"), "dark") == "/report?folder=runs/a&theme=dark"


def test_a_report_is_light_or_dark_as_requested():
    style = page_style()
    assert style.count("prefers-color-scheme") == 1
    assert "prefers-color-scheme" not in with_theme(style, "dark") + with_theme(style, "light")
    assert "@media screen {" in with_theme(style, "dark")
    assert "@media not all {" in with_theme(style, "light")
    assert with_theme(style, "") == style
