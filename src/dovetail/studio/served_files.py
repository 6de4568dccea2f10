"""Files served to the page: pictures of the studies, and reports in run folders."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from fastapi.responses import HTMLResponse, PlainTextResponse, Response
from nicegui import app

from dovetail.studio.workspace import Workspace

PAGE = "report.html"
DARK_MEDIA_QUERY = (
    "screen and (prefers-color-scheme: dark)"  # media query before the dark colours of a report
)
HEADERS = {
    "content-security-policy": "sandbox allow-popups; frame-ancestors 'self'",
    "cache-control": "no-store",
}


def register_file_routes(workspace: Workspace) -> None:
    """Register the routes for pictures and reports."""
    app.add_static_files("/pictures", Path(__file__).with_name("pictures"))

    @app.get("/report")
    def report(folder: str, theme: str = "") -> Response:
        file = report_in(workspace.runs, Path(folder))
        if file is None:
            return PlainTextResponse(f"no report in {folder}; write it with: dovetail report {folder}\n", 404)
        return HTMLResponse(with_theme(file.read_text("utf-8"), theme), headers=HEADERS)


def report_in(runs: Path, folder: Path) -> Path | None:
    """Return the report in a run folder; None if there is none or the folder is outside the runs folder."""
    file = folder.resolve() / PAGE
    return file if file.is_relative_to(runs.resolve()) and file.is_file() else None


def with_theme(page: str, theme: str) -> str:
    """Return a report with fixed light or dark colours, independent of the system setting."""
    return page.replace(
        DARK_MEDIA_QUERY, {"dark": "screen", "light": "not all"}.get(theme, DARK_MEDIA_QUERY), 1
    )


def address(folder: Path, theme: str = "") -> str:
    """Return the address of a report, with light or dark colours."""
    return f"/report?folder={quote(str(folder))}" + (f"&theme={theme}" if theme else "")
