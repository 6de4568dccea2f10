"""Files that the page shows: the studies' pictures, and the reports in the folders of runs."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from fastapi.responses import FileResponse, PlainTextResponse, Response
from nicegui import app

from dovetail.studio.page.desk import Desk

PAGES = ("report.html", "plan.html", "comparison.html")
QUIET = {
    "content-security-policy": "sandbox allow-popups; frame-ancestors 'self'",
    "cache-control": "no-store",
}


def shown_files(desk: Desk) -> None:
    """Make them known to the server."""
    app.add_static_files("/pictures", Path(__file__).with_name("pictures"))

    @app.get("/report")
    def report(folder: str) -> Response:
        file = report_in(desk.runs, Path(folder))
        if file is None:
            return PlainTextResponse(f"there is no report in {folder}\n", 404)
        return FileResponse(file, media_type="text/html", headers=QUIET)


def report_in(runs: Path, folder: Path) -> Path | None:
    """The report in a folder of the runs; None where there is none, or the folder lies elsewhere."""
    inside = folder.resolve()
    if not inside.is_relative_to(runs.resolve()):
        return None
    return next((inside / name for name in PAGES if (inside / name).is_file()), None)


def address(folder: Path) -> str:
    """Where the report of a folder is shown."""
    return f"/report?folder={quote(str(folder))}"
