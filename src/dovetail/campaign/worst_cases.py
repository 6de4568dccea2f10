"""Worst points of a campaign, each with the command that runs it individually."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from dovetail.campaign.measures import WORST_SIGN
from dovetail.campaign.plan import Campaign
from dovetail.core.errors import UnknownNameError


class Case(NamedTuple):
    """Point of a campaign: its index, the measure there, and the command that runs it individually."""

    point_index: int
    value: float
    point: dict[str, Any]
    command: str


def worst_cases(
    campaign: Campaign, table: Mapping[str, np.ndarray], measure: str, count: int = 3
) -> list[Case]:
    """Return the points with the largest magnitude of a measure; `table` has one row per point (and seed).

    For stability these are the fastest growth, the smallest margin and the shortest critical delay.
    """
    if measure not in table:
        raise UnknownNameError("measure", measure, table, renamed="measures")
    values = np.asarray(table[measure], float)
    size = WORST_SIGN[measure] * values if measure in WORST_SIGN else np.abs(values)
    order = np.argsort(np.where(np.isfinite(size), -size, np.inf), kind="stable")
    cases = []
    for row in order[:count]:
        if not np.isfinite(size[row]):
            break
        point = {p.name: _python_value(table[p.name][row]) for p in campaign.parameters}
        seed = int(table["seed"][row]) if "seed" in table else None
        point_index, value = int(table["point"][row]), float(table[measure][row])
        cases.append(Case(point_index, value, point, command(campaign, point, seed)))
    return cases


def command(campaign: Campaign, point: Mapping[str, Any], seed: int | None = None) -> str:
    """Return the command that runs one point individually."""
    varied = {path: point[p.name] for p in campaign.parameters for path in p.paths}
    if campaign.subject == "test":
        values = {**campaign.fixed, **varied, **({} if seed is None else {"seed": seed})}
        settings = [f"--set {shlex.quote(f'{path}={_toml(value)}')}" for path, value in values.items()]
        return " ".join(["dovetail run", shlex.quote(campaign.subject_name), *settings])
    module, _, name = campaign.subject_name.partition(":")
    values = {**campaign.table, **varied}
    if campaign.subject == "evaluate":
        call = f"{name}([{values!r}])"
    else:
        call = f"{name}({', '.join(f'{key}={value!r}' for key, value in values.items())})"
    code = f"from {module} import {name}; print({call})"
    needs_no_quoting = not set(code) & set('"$`\\\\!')
    return f'python -c "{code}"' if needs_no_quoting else f"python -c {shlex.quote(code)}"


def _toml(value: Any) -> str:
    return repr(value) if not isinstance(value, str) else f'"{value}"'


def _python_value(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
