"""Signals: one table with name, symbol, unit, frame and label of each.

Recordings, plots and the view use this table. Each package declares the signals of its parts in its `signals.toml`;
the file of `core` declares those of the loop. A user part declares its signals with `declare`.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from dovetail.core.errors import ParameterError, UnknownNameError

MOTION = ("displacement", "velocity", "acceleration")  # of the interface
READING = ("measured_displacement", "measured_force")  # of every rig


@dataclasses.dataclass(frozen=True)
class Signal:
    """Quantity that can be recorded or connected."""

    name: str
    symbol: str
    unit: str  # SI, as pint reads it; "1" for none
    label: str
    frame: str = ""  # frame in which it is expressed; empty if not applicable

    @property
    def axis_label(self) -> str:
        """Label of a plot axis."""
        return f"{self.label} [{self.unit}]" if self.unit != "1" else self.label


_declared: dict[str, Signal] = {}


@cache
def _built_in() -> Mapping[str, Signal]:
    root = resources.files("dovetail")
    packages = sorted(entry.name for entry in root.iterdir() if entry.joinpath("signals.toml").is_file())
    table: dict[str, Signal] = {}
    for package in packages:
        for name, row in tomllib.loads(root.joinpath(package, "signals.toml").read_text("utf-8")).items():
            if name in table:
                raise ParameterError(
                    f'{package}/signals.toml: "{name}" is already declared by another package'
                )
            table[name] = Signal(name=name, **row)
    return MappingProxyType(table)


def all_signals() -> dict[str, Signal]:
    """Return all signals, built in and declared, by name."""
    return {**_built_in(), **_declared}


def signal(name: str) -> Signal:
    """Return the signal `name`; the error for an unknown name lists the known ones."""
    table = all_signals()
    if name not in table:
        raise UnknownNameError("signal", name, table, renamed="signals")
    return table[name]


def declare(name: str, *, symbol: str, unit: str, label: str, frame: str = "") -> Signal:
    """Declare a signal of a user part; a second declaration must be identical."""
    new = Signal(name=name, symbol=symbol, unit=unit, label=label, frame=frame)
    old = all_signals().get(name)
    if old is not None and old != new:
        raise ParameterError(f'signal "{name}" is already declared as {old}; choose another name')
    _declared[name] = new
    return new
