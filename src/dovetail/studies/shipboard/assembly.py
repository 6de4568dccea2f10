"""Aircraft and runs of the study: test files with changed values, for the targets."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dovetail.mechanics.airframe import DeckAircraft
from dovetail.mechanics.airframe.statics import equilibrium, foot_loads, node_places
from dovetail.studies.registry import find_test
from dovetail.studies.target_values import recorded_run
from dovetail.testing import test_file

Changes = tuple[tuple[str, Any], ...]


def loaded(name: str, changes: Changes = ()) -> Any:
    """Return a test of the study with values changed at dotted paths."""
    return test_file.load(find_test(f"shipboard/{name}"), {key: _plain(value) for key, value in changes})


def _plain(value):
    return [_plain(v) for v in value] if isinstance(value, tuple) else value


def run(name: str, changes: Changes = ()) -> Any:
    """Return the data of a run, which is computed once."""
    return recorded_run(f"shipboard/{name}", dict(changes)).data


def aircraft(name: str, changes: Changes = ()) -> DeckAircraft:
    """Return the aircraft of a test, with changed values."""
    return loaded(name, changes).numerical


@cache
def at_rest(name: str, changes: Changes = ()) -> dict[str, np.ndarray]:
    """Return the equilibrium of an aircraft: position, roll, nodes, foot loads, weights."""
    craft = aircraft(name, changes)
    x = equilibrium(craft)
    return {
        "position": np.asarray(x["position"]),
        "roll": np.asarray(x["attitude"]),
        "nodes": node_places(craft, x),
        "loads": foot_loads(craft, x),
        "airframe": np.asarray(craft.airframe.mass) * np.asarray(craft.gravity),
        "gear": craft.model.mass * np.asarray(craft.gravity),
    }


def with_offset(x: float, formulation: str, height: float = 0.55) -> Changes:
    """Return the changes that place the centre of gravity at x [m] and the aircraft above the deck."""
    return (
        ("numerical.formulation", formulation),
        ("numerical.airframe.centre", (0.0, x, 0.0)),
        ("numerical.initial_pose", (x, height, 0.0)),
    )
