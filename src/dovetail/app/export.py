"""What was done, to be taken along: as a command line, and as ten lines of Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dovetail.app.actions import Deed, deeds
from dovetail.cli.run import parse_settings
from dovetail.testing.limit_monitor import MODES

OWN = Path("my-test.toml")  # what a text that only a file can hold is saved as


def command_line(deed: Deed, out: Path | None = None, file: Path = OWN) -> str:
    """The deed as it is typed into a shell; `file` is where the test is saved, if only its text says it."""
    return deed.command_line(out or Path("runs") / f"{deed.stem}-001", file)


def python(deed: Deed, out: Path | None = None, file: Path = OWN) -> str:
    """The deed as a few lines of Python that give the same numbers."""
    folder = (out or Path("runs") / f"{deed.stem}-001").as_posix()
    if deed.what == "campaign":
        of_study = not str(deed.campaign).endswith(".toml")
        place = f"find_campaign({deed.campaign!r})" if of_study else repr(deed.campaign)
        return _lines(
            "from dovetail import campaign",
            *(["from dovetail.studies.registry import find_campaign"] if of_study else []),
            "",
            f"plan = campaign.load({place}{_changes(list(deed.settings))})",
            f"done = campaign.run(plan, {folder!r})",
            "print(done)",
            f"print(campaign.open_results({folder!r}))",
        )
    assert deed.document is not None
    settings = deed.document.settings()
    name = deed.document.name if settings is not None else str(file)
    first = [
        "import dovetail as dv",
        "",
        f"test = dv.load({name!r}{_changes(settings or [])})",
    ]
    if deed.what == "design":
        return _lines(
            "from dovetail import design",
            *first,
            f"made = design.design(test{_wishes(deed.options)})",
            "print(made)",
            f"design.write(made, {folder!r})",
        )
    mode = deed.what if deed.what in MODES else deeds(deed.document.test)[0]
    if mode == "map":
        return _lines(
            *first,
            "data = test.chart.compute()",
            "print(test.chart.summary(data))",
            f"data.to_netcdf({Path(folder).name + '.nc'!r})",
        )
    key = f", key=links.read_key({deed.key!r})" if deed.key else ""
    call = {"run": f"run({deed.rig!r}{key})", "creep": "creep()"}.get(mode, f"{mode}()")
    if mode == "creep" and deed.rig:
        axes = deed.document.test.shape[0] if deed.document.test.shape else 1
        call = f"creep(links.RemoteCell({deed.rig!r}, {axes}{key}))"
    if "links." in call:
        first.insert(1, "from dovetail import links")
    judged = ["print(test.stability())"] if mode == "rehearse" else []
    return _lines(
        *first,
        *judged,
        f"run = test.{call}",
        "print(run)",
        f"run.save({folder!r})",
        f"run.report({folder + '/report.html'!r})",
    )


def _changes(settings: list[str]) -> str:
    """Settings as the second argument of a reader."""
    if not settings:
        return ""
    changes: dict[str, Any] = parse_settings(settings)
    return ", {" + ", ".join(f"{json.dumps(path)}: {value!r}" for path, value in changes.items()) + "}"


def _wishes(options: dict[str, str]) -> str:
    """What was decided of a design beforehand, as its second argument."""
    names = {option: option.removeprefix("--").replace("-", "_") for option in options}
    said = parse_settings([f"{name}={options[option]}" for option, name in names.items()])
    wishes = ", ".join(f"{name}={value!r}" for name, value in said.items())
    return f", design.Wishes({wishes})" if said else ""


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"
