"""Files that the page shows: the studies' pictures, and the reports in the folders of runs."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from nicegui import app

from dovetail.studio.workspace import Desk

PAGE = "report.html"
ASKS = "screen and (prefers-color-scheme: dark)"  # of a report's rules, before its dark colours
QUIET = {
    "content-security-policy": "sandbox allow-popups; frame-ancestors 'self'",
    "cache-control": "no-store",
}


def shown_files(desk: Desk) -> None:
    """Make them known to the server."""
    app.add_static_files("/pictures", Path(__file__).with_name("pictures"))

    @app.get("/report")
    def report(folder: str, shade: str = "") -> Response:
        file = report_in(desk.runs, Path(folder))
        if file is None:
            return PlainTextResponse(f"there is no report in {folder}\n", 404)
        return HTMLResponse(shaded(file.read_text("utf-8"), shade), headers=QUIET)


def report_in(runs: Path, folder: Path) -> Path | None:
    """The report in a folder of the runs; None where there is none, or the folder lies elsewhere."""
    file = folder.resolve() / PAGE
    return file if file.is_relative_to(runs.resolve()) and file.is_file() else None


def shaded(page: str, shade: str) -> str:
    """A report that is light or dark as the page around it, whatever the system prefers."""
    return page.replace(ASKS, {"dark": "screen", "light": "not all"}.get(shade, ASKS), 1)


def address(folder: Path, shade: str = "") -> str:
    """Where the report of a folder is shown, and how."""
    return f"/report?folder={quote(str(folder))}" + (f"&shade={shade}" if shade else "")
