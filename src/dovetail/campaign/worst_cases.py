"""Single points out of many: the worst ones, and the command that runs one alone."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dovetail.campaign.measures import WORSE
from dovetail.campaign.plan import Campaign
from dovetail.core.errors import UnknownNameError


class Case(NamedTuple):
    """One point: its place, what the measure is there, how to run it alone."""

    place: int
    value: float
    point: dict[str, Any]
    command: str


def worst(campaign: Campaign, table: Mapping[str, np.ndarray], measure: str, number: int = 3) -> list[Case]:
    """The points with the largest size of a measure; `table` has a row for each point (and seed).

    Of stability the worst are the fastest growth, the smallest margin and the shortest critical delay.
    """
    if measure not in table:
        raise UnknownNameError("measure", measure, table, renamed="measures")
    values = np.asarray(table[measure], float)
    size = WORSE[measure] * values if measure in WORSE else np.abs(values)
    order = np.argsort(np.where(np.isfinite(size), -size, np.inf), kind="stable")
    found = []
    for row in order[:number]:
        if not np.isfinite(size[row]):
            break
        point = {axis.name: _plain(table[axis.name][row]) for axis in campaign.axes}
        seed = int(table["seed"][row]) if "seed" in table else None
        found.append(
            Case(int(table["point"][row]), float(table[measure][row]), point, command(campaign, point, seed))
        )
    return found


def command(campaign: Campaign, point: Mapping[str, Any], seed: int | None = None) -> str:
    """What to type to run one point alone."""
    given = {path: point[axis.name] for axis in campaign.axes for path in axis.paths}
    if campaign.subject == "test":
        values = {**campaign.fixed, **given, **({} if seed is None else {"seed": seed})}
        told = [f"--set {shlex.quote(f'{path}={_toml(value)}')}" for path, value in values.items()]
        return " ".join(["dovetail run", shlex.quote(campaign.of), *told])
    module, _, name = campaign.of.partition(":")
    values = {**campaign.table, **given}
    if campaign.subject == "evaluate":
        call = f"{name}([{values!r}])"
    else:
        call = f"{name}({', '.join(f'{key}={value!r}' for key, value in values.items())})"
    code = f"from {module} import {name}; print({call})"
    plain = not set(code) & set('"$`\\\\!')
    return f'python -c "{code}"' if plain else f"python -c {shlex.quote(code)}"


def _toml(value: Any) -> str:
    return repr(value) if not isinstance(value, str) else f'"{value}"'


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
