"""Export of an action: command line and Python script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dovetail.app.actions import Action, available_actions
from dovetail.app.loading import parse_settings
from dovetail.testing.modes import all_modes

OWN = Path("my-test.toml")  # file name used if `--set` cannot express the changes


def command_line(action: Action, out: Path | None = None, file: Path = OWN) -> str:
    """Return the command line of an action; `file` is used if `--set` cannot express the changes."""
    return action.command_line(out or Path("runs") / f"{action.stem}-001", file)


def python(action: Action, out: Path | None = None, file: Path = OWN) -> str:
    """Return a Python script that gives the same results as the action."""
    folder = (out or Path("runs") / f"{action.stem}-001").as_posix()
    if action.name == "campaign":
        of_study = not str(action.campaign).endswith(".toml")
        place = f"find_campaign({action.campaign!r})" if of_study else repr(action.campaign)
        return _lines(
            "from dovetail import campaign",
            *(["from dovetail.studies.registry import find_campaign"] if of_study else []),
            "",
            f"plan = campaign.load({place}{_changes(list(action.settings))})",
            f"result = campaign.run(plan, {folder!r})",
            "print(result)",
            f"print(campaign.open_results({folder!r}))",
        )
    assert action.document is not None
    settings = action.document.settings()
    name = action.document.name if settings is not None else str(file)
    first = [
        "import dovetail as dv",
        "",
        f"test = dv.load({name!r}{_changes(settings or [])})",
    ]
    if action.name == "design":
        return _lines(
            "from dovetail import assess",
            *first,
            f"plan = assess.design(test{_design_options(action.options)})",
            "print(plan)",
            f"assess.write(plan, {folder!r})",
        )
    chosen = action.name if action.name in all_modes() else available_actions(action.document.test)[0]
    if chosen not in all_modes():
        return _lines(
            *first,
            "data = test.map.compute()",
            "print(test.map.summary(data))",
            f"data.to_netcdf({Path(folder).name + '.nc'!r})",
        )
    key = f", key=links.read_key({action.key!r})" if action.key else ""
    mode, argument = all_modes()[chosen], ""
    if "address" in mode.needs:
        argument = f"{action.address!r}{key}"
    elif "cell" in mode.takes and action.address:
        axes = action.document.test.shape[0] if action.document.test.shape else 1
        argument = f"links.RemoteCell({action.address!r}, {axes}{key})"
    if "links." in argument:
        first.insert(1, "from dovetail import links")
    stability = ["print(test.stability())"] if mode.predicts else []
    return _lines(
        *first,
        *stability,
        f"run = test.{mode.method}({argument})",
        "print(run)",
        f"run.save({folder!r})",
        f"run.report({folder + '/report.html'!r})",
    )


def _changes(settings: list[str]) -> str:
    """Format settings as the second argument of `load`."""
    if not settings:
        return ""
    changes: dict[str, Any] = parse_settings(settings)
    return ", {" + ", ".join(f"{json.dumps(path)}: {value!r}" for path, value in changes.items()) + "}"


def _design_options(options: dict[str, str]) -> str:
    """Format design options as the second argument of `design`."""
    names = {option: option.removeprefix("--").replace("-", "_") for option in options}
    values = parse_settings([f"{name}={options[option]}" for option, name in names.items()])
    arguments = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return f", assess.DesignOptions({arguments})" if values else ""


def _lines(*lines: str) -> str:
    return "\n".join(lines) + "\n"
