"""Signals: one table that gives each its name, symbol, unit, frame and label.

Datasets, plots and the view read it, so a signal is described once. Every room says what its own parts show in a
`signals.toml`; this one has those of the loop. A user's part declares its own signals with `declare`.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType

from dovetail.core.errors import ParameterError, UnknownNameError


@dataclasses.dataclass(frozen=True)
class Signal:
    """A quantity that can be recorded or connected."""

    name: str
    symbol: str
    unit: str  # SI, as pint reads it; "1" for none
    label: str
    frame: str = ""  # the frame it is expressed in; empty where none applies

    @property
    def axis_label(self) -> str:
        """Text for a plot's axis."""
        return f"{self.label} [{self.unit}]" if self.unit != "1" else self.label


_declared: dict[str, Signal] = {}


@cache
def _built_in() -> Mapping[str, Signal]:
    here = resources.files("dovetail")
    rooms = sorted(room.name for room in here.iterdir() if room.joinpath("signals.toml").is_file())
    found: dict[str, Signal] = {}
    for room in rooms:
        for name, row in tomllib.loads(here.joinpath(room, "signals.toml").read_text("utf-8")).items():
            if name in found:
                raise ParameterError(
                    f'signal "{name}" stands in the tables of two rooms, the second is {room}'
                )
            found[name] = Signal(name=name, **row)
    return MappingProxyType(found)


def known() -> dict[str, Signal]:
    """All signals, built in and declared, by name."""
    return {**_built_in(), **_declared}


def signal(name: str) -> Signal:
    """The signal called `name`; an unknown name lists the known ones."""
    table = known()
    if name not in table:
        raise UnknownNameError("signal", name, table, renamed="signals")
    return table[name]


def declare(name: str, *, symbol: str, unit: str, label: str, frame: str = "") -> Signal:
    """Add a signal of your own to the table; saying the same again is allowed, contradicting is not."""
    new = Signal(name=name, symbol=symbol, unit=unit, label=label, frame=frame)
    old = known().get(name)
    if old is not None and old != new:
        raise ParameterError(f'signal "{name}" is already declared as {old}; choose another name')
    _declared[name] = new
    return new
