"""A test, or a simulation, at many points: variants of one tree, simulated side by side.

Numbers are put into the test inside the compiled program, so that nothing is built for each point. What fixes a
shape (a rate, a kind, a number of links) makes a group of its own, with a program of its own (`group`). A delay that
varies gets a buffer for the longest.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import jax
import numpy as np

from dovetail.campaign import measures as kept_of
from dovetail.campaign.axes import Axis
from dovetail.campaign.batch import Group
from dovetail.campaign.parameter_paths import parsed
from dovetail.campaign.plan import Campaign
from dovetail.campaign.subjects import MEMORY, ChunkResult, Subject, Values, groups, own_columns
from dovetail.core.errors import DovetailError, Fault, ParameterError, TestFileError, UnknownNameError
from dovetail.testing import Runnable
from dovetail.testing.paths import get
from dovetail.testing.test_table import change

LANES = 256  # side by side on a processor at most: beyond, nothing is gained
MANY_LANES = 65_536  # on a GPU


class TestSubject(Subject):
    """A test file with axes over any of its parameters."""

    __test__ = False  # not a pytest class

    def __init__(self, campaign: Campaign):
        self.campaign = campaign
        self.test = parsed(campaign.table, campaign.of)
        if not isinstance(self.test, Runnable):
            raise ParameterError(f"{campaign.of}: is a {type(self.test).__name__}; a campaign varies tests")
        self.modes = campaign.modes
        self.measures = [kept_of.read_measure(text) for text in campaign.measures]
        faults = [
            Fault("modes", f"{mode}: {campaign.of} {why}")
            for mode in self.modes
            if (why := self.test.why_not(mode))
        ]
        for measure in self.measures:
            if measure.needs_ideal and not {"emulate", "rehearse"} <= set(self.modes):
                faults.append(
                    Fault(
                        "measures",
                        f'{measure.name}: compares with the ideal; needs modes = ["emulate", "rehearse"]',
                    )
                )
        if any(measure.of_test for measure in self.measures) and self.test.rig is None:
            faults.append(
                Fault("measures", "stability is of a hybrid test, and this has no rig; leave it out")
            )
        self.static: list[Axis] = []
        self.varied: list[Axis] = []
        for axis in campaign.axes:
            faults += self._sort(axis)
        if faults:
            raise TestFileError(campaign.of, faults)
        self.seeds = campaign.seeds or (self.test.seed,)
        self._group = lru_cache(maxsize=64)(self._built)

    def _sort(self, axis: Axis) -> list[Fault]:
        """Put an axis where it belongs: traced numbers, or what fixes a shape; or say what is wrong with it."""
        kinds = set()
        for path in axis.paths:
            try:
                old = get(self.test, path)
            except DovetailError as error:
                if axis.numeric:
                    told = str(error).partition("; ")[2] if isinstance(error, UnknownNameError) else error
                    return [Fault(f"axis {axis.name}", f'"{path}" names no parameter of the test; {told}')]
                old = None
            numeric = isinstance(old, jax.Array)
            if numeric and not axis.numeric:
                return [Fault(f"axis {axis.name}", f'"{path}" is a number; its values are words')]
            kinds.add(numeric)
        if len(kinds) > 1:
            return [
                Fault(f"axis {axis.name}", "its paths are of different sorts; give each an axis of its own")
            ]
        if kinds == {True}:
            self.varied.append(axis)
            return []
        self.static.append(axis)
        for value in axis.ends():
            try:
                self._changed({path: value for path in axis.paths})
            except TestFileError as error:
                return [Fault(f"axis {axis.name}", f"{value}: {f.place} {f.text}") for f in error.faults]
        return []

    def names(self) -> list[str] | None:
        measures = ["outcome", "end_time", *(measure.name for measure in self.measures)]
        by_mode = [f"{name}_{mode}" for name in measures for mode in self.modes]
        return [*own_columns(self.campaign), *measures, *by_mode]

    def default(self, axis: Axis) -> Any:
        try:
            value = get(self.test, axis.paths[0])
        except DovetailError:
            return None
        return float(np.mean(value)) if isinstance(value, jax.Array | int | float) else None

    # how many at once

    def sizes(self, total):
        group = self._group(tuple(axis.ends()[0] for axis in self.static))
        lanes = 1 if isinstance(group, str) else max(1, self._memory() // max(group.bytes_per_lane(), 1))
        most = LANES if jax.default_backend() == "cpu" else MANY_LANES
        at_once = 2 ** int(math.log2(min(lanes, most)))
        batch = max(1, min(at_once // len(self.seeds), total))
        chunk = batch if self._keeps_traces() else batch * max(1, min(4, total // (4 * batch)))
        return chunk, batch

    def _keeps_traces(self):
        return bool(self.campaign.traces) or not all(m.compiled or m.of_test for m in self.measures)

    def _memory(self) -> int:
        try:
            about = jax.devices()[0].memory_stats() or {}
        except (RuntimeError, NotImplementedError):
            about = {}
        return int(about.get("bytes_limit", 4 * MEMORY)) // 4

    # evaluation

    def evaluate(self, columns):
        size = len(next(iter(columns.values())))
        table: dict[str, Values] = {}
        reasons: dict[int, str] = {}
        for key, places in groups(columns, [axis.name for axis in self.static]):
            group = self._group(key)
            if isinstance(group, str):
                reasons |= {int(i): group for i in places}
                continue
            own = {axis.name: np.asarray(columns[axis.name][places], float) for axis in self.varied}
            found, failed = group.evaluate(own, len(places), size)
            reasons |= {int(places[i]): reason for i, reason in failed.items()}
            for name, values in found.items():
                empty = np.full((size, *values.array.shape[1:]), np.nan)
                whole = table.setdefault(name, Values(values.dims, empty, values.attrs))
                if whole.array.shape[1:] != values.array.shape[1:]:
                    text = f"{name} has the shape {values.array.shape[1:]} here, {whole.array.shape[1:]} elsewhere"
                    reasons |= {
                        int(i): f"incompatible shapes: {text}; keep no traces over such an axis"
                        for i in places
                    }
                    continue
                whole.array[places] = values.array
        for values in table.values():
            values.array[list(reasons)] = np.nan
        return ChunkResult(table, reasons)

    def _built(self, key: tuple) -> Group | str:
        """The group of points with these static values, or why there is none."""
        changes = {path: value for axis, value in zip(self.static, key, strict=True) for path in axis.paths}
        try:
            return Group(self, self._changed(changes))
        except (DovetailError, ValueError) as error:
            return f"{type(error).__name__}: {error}"

    def _changed(self, changes: dict[str, Any]) -> Any:
        """The test with other values at paths, checked."""
        return parsed(change(self.campaign.table, changes), self.campaign.of)
