"""Recent runs: folders of runs, designs and campaigns, and their signals for an overlay."""

from __future__ import annotations

import contextlib
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dovetail.app.explore_result import Trace
from dovetail.core import plain_file, signals

SIGNALS = ("displacement", "achieved_displacement", "measured_force")
HEAD = 20_000  # characters at the start of a file that are searched for the title


@dataclass(frozen=True)
class RunEntry:
    """Folder of a run, design, campaign or map."""

    folder: Path
    content: str  # run, design, campaign
    title: str
    mode: str
    outcome: str  # sentence of the outcome
    when: float  # seconds since 1970
    report: Path | None  # report, if it exists


def recent_runs(runs: str | Path = "runs", max_count: int = 200) -> list[RunEntry]:
    """Return runs, designs and campaigns in a folder, newest first; damaged or other folders are skipped."""
    entries = []
    with contextlib.suppress(OSError):
        for folder in Path(runs).iterdir():
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                entry = _run_entry(folder) if folder.is_dir() else None
                entries += [entry] if entry is not None else []
    return sorted(entries, key=lambda entry: -entry.when)[:max_count]


def traces(folder: str | Path) -> dict[str, Trace]:
    """Return decimated signals of a recorded run.

    Raises
    ------
    OutputError
        If the folder contains no recording.
    """
    from dovetail.testing.saved_run import RESULT, recording

    data = recording(Path(folder) / RESULT)
    times = data["time"].values
    return {name: _trace(name, times, data[name].values) for name in SIGNALS if name in data}


def _trace(name: str, times: Any, values: Any) -> Trace:
    signal_info = signals.signal(name)
    return Trace.from_signal(signal_info.label, signal_info.unit, times, values)


def _run_entry(folder: Path) -> RunEntry | None:
    report = folder / "report.html"
    page = report if report.is_file() else None
    if (folder / "outcome.json").is_file():
        content = json.loads(plain_file.read(folder / "outcome.json"))
        when = (folder / "outcome.json").stat().st_mtime
        return RunEntry(
            folder, "run", _title(folder), str(content.get("mode", "")), str(content["sentence"]), when, page
        )
    if (folder / "plan.json").is_file():
        content = json.loads(plain_file.read(folder / "plan.json"))
        when = (folder / "plan.json").stat().st_mtime
        return RunEntry(
            folder, "design", str(content["title"]), "design", str(content["verdict"]), when, page
        )
    if (folder / "campaign.toml").is_file():
        when = max((file.stat().st_mtime for file in (folder / "done").glob("*.json")), default=0.0)
        when = max(when, (folder / "campaign.toml").stat().st_mtime)
        chunks = sum(1 for _ in (folder / "done").glob("*.json"))
        outcome = f"{chunks} chunk{'s' if chunks != 1 else ''} computed"
        return RunEntry(folder, "campaign", _title(folder, "campaign.toml"), "campaign", outcome, when, page)
    if (folder / "result.nc").is_file() and (folder / "test.toml").is_file():  # a map
        when = (folder / "result.nc").stat().st_mtime
        return RunEntry(folder, "map", _title(folder), "map", "", when, page)
    return None


def _title(folder: Path, name: str = "test.toml") -> str:
    """Return the title from the start of a file, which may be long; the name of the folder if there is none."""
    with contextlib.suppress(OSError, ValueError), plain_file.open_plain(folder / name) as file:
        text = file.read(HEAD).decode("utf-8", "ignore")
        lines = [line for line in text.splitlines() if line.startswith("title = ")]
        return str(tomllib.loads(lines[0])["title"]) if lines else folder.name
    return folder.name
