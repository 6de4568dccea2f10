"""Test or simulation as the subject of a campaign: variants of one test, simulated in batches.

Numbers are set inside the compiled program, so that no test is built per point. Parameters that determine array shapes
(a rate, a kind, a number of links) form groups, each with its own program (`batch`). The buffer of a varied delay is
sized for its largest value.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.batch import Group
from dovetail.campaign.measures import read_measure
from dovetail.campaign.parameter_paths import parse_cached
from dovetail.campaign.subject_base import MEMORY, ChunkResult, Subject, Values, common_columns, groups
from dovetail.core.errors import DovetailError, Fault, ParameterError, TestFileError, UnknownNameError
from dovetail.testing import Reference, Rehearse, Test
from dovetail.testing.paths import get
from dovetail.testing.test_table import change

if TYPE_CHECKING:
    from dovetail.campaign.plan import Campaign

CPU_LANES = 256  # runs computed together on a processor; more give no gain
GPU_LANES = 65_536


class TestSubject(Subject):
    """Test file with any of its parameters varied."""

    __test__ = False  # not a pytest class

    def __init__(self, campaign: Campaign):
        self.campaign = campaign
        self.test = parse_cached(campaign.table, campaign.subject_name)
        if not isinstance(self.test, Test):
            kind = type(self.test).__name__
            raise ParameterError(f"{campaign.subject_name}: is a {kind}; a campaign varies a test")
        self.modes = campaign.modes
        self.measures = [read_measure(text) for text in campaign.measures]
        faults = [
            Fault("modes", f"{mode}: {campaign.subject_name} {reason}")
            for mode in self.modes
            if (reason := self.test.mode_faults(mode))
        ]
        for measure in self.measures:
            if measure.needs_reference and not {Reference.name, Rehearse.name} <= set(self.modes):
                text = f'{measure.name}: needs the reference solution; set modes = ["reference", "rehearse"]'
                faults.append(Fault("measures", text))
        if any(measure.of_test for measure in self.measures) and self.test.rig is None:
            faults.append(Fault("measures", "a test without a rig has no stability measures; remove them"))
        self.static: list[VariedParameter] = []
        self.varied: list[VariedParameter] = []
        for parameter in campaign.parameters:
            faults += self._add_parameter(parameter)
        if faults:
            raise TestFileError(campaign.subject_name, faults)
        self.seeds = campaign.seeds or (self.test.seed,)
        self._group = lru_cache(maxsize=64)(self._build_group)

    def _add_parameter(self, parameter: VariedParameter) -> list[Fault]:
        """Add a parameter to the traced numbers or to those that determine shapes; return its faults."""
        place = f"parameter {parameter.name}"
        kinds = set()
        for path in parameter.paths:
            try:
                old = get(self.test, path)
            except DovetailError as error:
                if parameter.numeric:
                    hint = str(error).partition("; ")[2] if isinstance(error, UnknownNameError) else error
                    return [Fault(place, f'"{path}" is not a parameter of the test; {hint}')]
                old = None
            numeric = isinstance(old, jax.Array)
            if numeric and not parameter.numeric:
                return [Fault(place, f'"{path}" is a number; got texts as values')]
            kinds.add(numeric)
        if len(kinds) > 1:
            return [Fault(place, "its paths name numbers and texts; use one [[parameter]] for each sort")]
        if kinds == {True}:
            self.varied.append(parameter)
            return []
        self.static.append(parameter)
        for value in parameter.bounds():
            try:
                self._with_changes({path: value for path in parameter.paths})
            except TestFileError as error:
                return [Fault(place, f"{value}: {f.path} {f.text}") for f in error.faults]
        return []

    def names(self) -> list[str] | None:
        measures = ["outcome", "end_time", *(measure.name for measure in self.measures)]
        by_mode = [f"{name}_{mode}" for name in measures for mode in self.modes]
        return [*common_columns(self.campaign), *measures, *by_mode]

    def default(self, parameter: VariedParameter) -> Any:
        try:
            value = get(self.test, parameter.paths[0])
        except DovetailError:
            return None
        return float(np.mean(value)) if isinstance(value, jax.Array | int | float) else None

    def sizes(self, total):
        group = self._group(tuple(parameter.bounds()[0] for parameter in self.static))
        lanes = 1 if isinstance(group, str) else max(1, self._memory() // max(group.bytes_per_lane(), 1))
        max_lanes = CPU_LANES if jax.default_backend() == "cpu" else GPU_LANES
        lane_count = 2 ** int(math.log2(min(lanes, max_lanes)))
        batch = max(1, min(lane_count // len(self.seeds), total))
        chunk = batch if self.stores_signals() else batch * max(1, min(4, total // (4 * batch)))
        return chunk, batch

    def stores_signals(self):
        """Return whether the signals of each run leave the compiled program."""
        return bool(self.campaign.signals) or not all(m.is_compiled or m.of_test for m in self.measures)

    def _memory(self) -> int:
        try:
            about = jax.devices()[0].memory_stats() or {}
        except (RuntimeError, NotImplementedError):
            about = {}
        return int(about.get("bytes_limit", 4 * MEMORY)) // 4

    def evaluate(self, columns):
        size = len(next(iter(columns.values())))
        table: dict[str, Values] = {}
        reasons: dict[int, str] = {}
        for key, indices in groups(columns, [p.name for p in self.static]):
            group = self._group(key)
            if isinstance(group, str):
                reasons |= {int(i): group for i in indices}
                continue
            varied = {p.name: np.asarray(columns[p.name][indices], float) for p in self.varied}
            results, failed = group.evaluate(varied, len(indices), size)
            reasons |= {int(indices[i]): reason for i, reason in failed.items()}
            for name, values in results.items():
                empty = np.full((size, *values.array.shape[1:]), np.nan)
                column = table.setdefault(name, Values(values.dims, empty, values.attrs))
                if column.array.shape[1:] != values.array.shape[1:]:
                    text = (
                        f"incompatible shapes: {name} has {values.array.shape[1:]} here, "
                        f"{column.array.shape[1:]} elsewhere; store no signals with this parameter"
                    )
                    reasons |= {int(i): text for i in indices}
                    continue
                column.array[indices] = values.array
        for values in table.values():
            values.array[list(reasons)] = np.nan
        return ChunkResult(table, reasons)

    def _build_group(self, key: tuple) -> Group | str:
        """Return the group of points with these static values, or the reason why it cannot be built."""
        pairs = zip(self.static, key, strict=True)
        changes = {path: value for parameter, value in pairs for path in parameter.paths}
        try:
            return Group(self, self._with_changes(changes))
        except (DovetailError, ValueError) as error:
            return f"{type(error).__name__}: {error}"

    def _with_changes(self, changes: dict[str, Any]) -> Any:
        """Return the test with other values at paths, checked."""
        return parse_cached(change(self.campaign.table, changes), self.campaign.subject_name)
