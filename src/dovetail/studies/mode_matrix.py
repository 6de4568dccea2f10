"""Supported modes of all hybrid tests of the studies, with the reason if a mode is not supported.

The entries come from `Test.modes`. The page on modes prints the matrix, and tests check every cell.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterator
from functools import cache

import jax
import numpy as np

from dovetail import testing
from dovetail.studies.registry import all_tests, find_test
from dovetail.testing.modes import all_modes

OF_TESTS = tuple(name for name, mode in all_modes().items() if mode.has_rig)


def hybrid_tests() -> list[str]:
    """Return the names of the tests that have a rig; maps, cells and simulations have none."""
    tables = {name: tomllib.loads(entry.path.read_text("utf-8")) for name, entry in all_tests().items()}
    return [name for name, table in tables.items() if table.get("kind", "test") == "test" and "rig" in table]


@cache
def mode_matrix() -> dict[str, dict[str, str]]:
    """Return the reason why a mode is not supported, by test and mode; empty if it is supported."""
    return {name: testing.load(find_test(name)).modes() for name in hybrid_tests()}


def mode_table() -> Iterator[tuple[str, ...]]:
    """Yield the matrix as rows of text; tests of a study with equal entries share a row."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for name, modes in mode_matrix().items():
        study, _, test = name.partition("/")
        cells = (f"no: {modes[mode]}" if modes[mode] else "yes" for mode in OF_TESTS)
        rows.setdefault((study, *cells), []).append(test)
    yield "study", "tests", *OF_TESTS
    for (study, *answers), tests in rows.items():
        yield study, ", ".join(tests), *answers


def shortened(test: testing.Test, ticks: int = 40) -> testing.Test:
    """Return the test shortened to `ticks` ticks, or to 1.2 times its longest delay.

    The approach to the start and the return to rest take as long.
    """
    delays = [leaf for path, leaf in jax.tree_util.tree_leaves_with_path(test) if str(path[-1]) == ".delay"]
    longest = max((float(np.max(delay)) for delay in delays), default=0.0)
    ticks = max(ticks, int(np.ceil(1.2 * longest * test.rate)))
    limits = dataclasses.replace(test.limits, approach_time=ticks / test.rate, return_time=ticks / test.rate)
    return dataclasses.replace(test, duration=ticks / test.rate, limits=limits)
