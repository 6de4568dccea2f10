"""What was run: the folders of runs, designs and campaigns, in a line each, and their traces to be overlaid."""

from __future__ import annotations

import contextlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.app.explore_result import Trace
from dovetail.core import signals

SIGNALS = ("displacement", "achieved_displacement", "measured_force")
HEAD = 20_000  # characters in which a file says its title


@dataclass(frozen=True)
class Past:
    """A folder that was written."""

    folder: Path
    what: str  # run, design, campaign
    title: str
    mode: str
    outcome: str  # a sentence
    when: float  # seconds since 1970
    report: Path | None  # a page on it, if there is one


def recent(runs: str | Path = "runs", most: int = 200) -> list[Past]:
    """Runs, designs and campaigns in a folder, the newest first; what is damaged, or of somebody else, is left out."""
    found = []
    with contextlib.suppress(OSError):
        for folder in Path(runs).iterdir():
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                past = _past(folder) if folder.is_dir() else None
                found += [past] if past is not None else []
    return sorted(found, key=lambda past: -past.when)[:most]


def traces(folder: str | Path) -> dict[str, Trace]:
    """A few signals of a recorded run, thinned to what can be seen. Raises `OutputError` where there is none."""
    from dovetail.testing.saved_run import RESULT, recording

    data = recording(Path(folder) / RESULT)
    times = data["time"].values
    return {name: _trace(name, times, data[name].values) for name in SIGNALS if name in data}


def live_traces(folder: str | Path, seconds: float = 10.0) -> dict[str, Trace]:
    """The newest seconds of a run that goes on; nothing where there is none, or it has not moved yet."""
    from dovetail.links.live_run import watched

    run = watched(folder)
    window = run.opened() if run is not None else None
    if window is None:
        return {}
    rows = window.latest(max(1, round(seconds / window.dt)))
    times = rows["time"]
    return {name: _trace(name, times, rows[name]) for name in SIGNALS if name in rows and len(times)}


def _trace(name: str, times: Any, values: Any) -> Trace:
    known = signals.signal(name)
    return Trace.of(known.label, known.unit, times, values)


def _past(folder: Path) -> Past | None:
    report = folder / "report.html"
    page = report if report.is_file() else None
    if (folder / "outcome.json").is_file():
        told = json.loads((folder / "outcome.json").read_text("utf-8"))
        when = (folder / "outcome.json").stat().st_mtime
        return Past(
            folder, "run", _title(folder), str(told.get("mode", "")), str(told["sentence"]), when, page
        )
    if (folder / "plan.json").is_file():
        told = json.loads((folder / "plan.json").read_text("utf-8"))
        when = (folder / "plan.json").stat().st_mtime
        return Past(folder, "design", str(told["title"]), "design", str(told["verdict"]), when, page)
    if (folder / "campaign.toml").is_file():
        when = max((file.stat().st_mtime for file in (folder / "done").glob("*.json")), default=0.0)
        when = max(when, (folder / "campaign.toml").stat().st_mtime)
        chunks = sum(1 for _ in (folder / "done").glob("*.json"))
        outcome = f"{chunks} chunk{'s' if chunks != 1 else ''} computed"
        return Past(folder, "campaign", _title(folder, "campaign.toml"), "campaign", outcome, when, page)
    if (folder / "result.nc").is_file() and (folder / "test.toml").is_file():  # a map
        when = (folder / "result.nc").stat().st_mtime
        return Past(folder, "map", _title(folder), "map", "", when, page)
    return None


def _title(folder: Path, name: str = "test.toml") -> str:
    """The title in the head of a file, which may be long below; the folder's name where there is none."""
    with contextlib.suppress(OSError, ValueError), (folder / name).open(encoding="utf-8") as file:
        lines = [line for line in file.read(HEAD).splitlines() if line.startswith("title = ")]
        return str(tomllib.loads(lines[0])["title"]) if lines else folder.name
    return folder.name
