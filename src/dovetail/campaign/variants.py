"""A test, or a simulation, at many points: variants of one tree, simulated side by side.

Numbers are put into the test inside the compiled program, so that nothing is built for each point. What fixes a
shape (a rate, a kind, a number of links) makes a group of its own, with a program of its own. A delay that varies
gets a buffer for the longest. Parts that cannot be built from traced numbers are built point by point instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.campaign import measures as kept_of
from dovetail.campaign.axes import Axis
from dovetail.campaign.places import longest_buffers
from dovetail.campaign.plan import Campaign
from dovetail.campaign.subjects import MEMORY, Result, Subject, Values, groups, own_columns
from dovetail.core.errors import DovetailError, Fault, ParameterError, TestFileError, UnknownNameError
from dovetail.core.randomness import seeded
from dovetail.testing import Outcome, Test, simulate
from dovetail.testing import simulation as simulations
from dovetail.testing.continuous import Accuracy, integrate
from dovetail.testing.coupled import ideal_system
from dovetail.testing.file import parse
from dovetail.testing.path import declared_at, get, spread
from dovetail.testing.room import require_room
from dovetail.testing.run import dataset
from dovetail.testing.steps import RESOLVED, fewest_steps
from dovetail.testing.supervisor import Watch
from dovetail.testing.table import change

LANES = 256  # side by side on a processor at most: beyond, nothing is gained
MANY_LANES = 65_536  # on a GPU


class TestSubject(Subject):
    """A test file with axes over any of its parameters."""

    __test__ = False  # not a pytest class

    def __init__(self, campaign: Campaign):
        self.campaign = campaign
        self.test = parse(campaign.table, campaign.of)
        if not isinstance(self.test, Test | simulations.Simulation):
            raise ParameterError(f"{campaign.of}: is a {type(self.test).__name__}; a campaign varies tests")
        self.simulated = isinstance(self.test, simulations.Simulation)
        self.modes = ("simulate",) if self.simulated else campaign.modes
        if "simulate" in campaign.modes and not self.simulated:
            raise ParameterError("modes: a test is emulated or rehearsed; simulate is for files of that kind")
        self.measures = [kept_of.read_measure(text) for text in campaign.measures]
        faults = []
        for measure in self.measures:
            if measure.needs_ideal and not {"emulate", "rehearse"} <= set(self.modes):
                faults.append(
                    Fault(
                        "measures",
                        f'{measure.name}: compares with the ideal; needs modes = ["emulate", "rehearse"]',
                    )
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
        for value in axis.values or (axis.low, axis.high):
            try:
                parse(change(self.campaign.table, {path: value for path in axis.paths}), self.campaign.of)
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
        group = self._group(tuple((axis.values or (axis.low,))[0] for axis in self.static))
        lanes = 1 if isinstance(group, str) else max(1, self._memory() // max(group.bytes_per_lane(), 1))
        most = LANES if jax.default_backend() == "cpu" else MANY_LANES
        at_once = 2 ** int(math.log2(min(lanes, most)))
        batch = max(1, min(at_once // len(self.seeds), total))
        chunk = batch if self._keeps_traces() else batch * max(1, min(4, total // (4 * batch)))
        return chunk, batch

    def _keeps_traces(self):
        return bool(self.campaign.traces) or not all(m.compiled for m in self.measures)

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
        return Result(table, reasons)

    def _built(self, key: tuple) -> Group | str:
        """The group of points with these static values, or why there is none."""
        changes = {path: value for axis, value in zip(self.static, key, strict=True) for path in axis.paths}
        try:
            test = parse(change(self.campaign.table, changes), self.campaign.of)
            return Group(self, longest_buffers(test, self.varied))
        except (DovetailError, ValueError) as error:
            return f"{type(error).__name__}: {error}"


class Group:
    """Points that differ in traced numbers only: one program."""

    def __init__(self, subject: TestSubject, test: Any):
        self.subject, self.test = subject, test
        require_room(test)
        test.prepared()  # for its checks
        self.shape = test.shape
        self.traced = True
        try:
            jax.eval_shape(self._lane, self._example(), jnp.asarray(0))
        except Exception:  # some part is built from concrete numbers only
            self.traced = False
        self._program = eqx.filter_jit(self._many)

    def _example(self):
        return {a.name: jnp.asarray(np.max(get(self.test, a.paths[0])), float) for a in self.subject.varied}

    def bytes_per_lane(self) -> int:
        """What one run records before it is reduced [B]."""

        def records(test):
            prepared = seeded(test.sampled_at(test.dt, self.shape), jax.random.key(0))
            return _simulated(prepared)[0]

        shapes = jax.eval_shape(lambda: records(self.test))
        return len(self.subject.modes) * sum(s.size * s.dtype.itemsize for s in jax.tree.leaves(shapes))

    def variant(self, values: Mapping[str, Any]) -> Any:
        """The test with the numbers of a point, traced or not."""
        test = self.test
        for axis in self.subject.varied:
            for path in axis.paths:
                test = spread(test, path, values[axis.name])
        return test

    def prepared(self, values, seed) -> tuple[Any, Any]:
        """The variant as the ideal takes it and as the loop does."""
        variant = self.variant(values)
        return variant, seeded(variant.sampled_at(variant.dt, self.shape), jax.random.key(seed))

    def _lane(self, values, seed):
        return self._run(*self.prepared(values, seed))

    def _run(self, variant, prepared):
        """Measures, traces and outcomes of one run of each mode."""
        modes, subject = self.subject.modes, self.subject
        shown: dict[str, Any] = {}
        runs: dict[str, Any] = {}
        if "emulate" in modes:
            runs["emulate"] = _emulated(variant)
        if {"rehearse", "simulate"} & set(modes):
            records, code, tick = _simulated(prepared)
            runs["simulate" if subject.simulated else "rehearse"] = records
            shown["outcome"], shown["end_time"] = code.astype(float), tick * variant.dt
        ideal = runs.get("emulate")
        for measure in subject.measures:
            if not measure.compiled:
                continue
            if measure.needs_ideal:
                shown[measure.name] = measure.compute(runs["rehearse"], ideal, variant.dt)
            else:
                each = [measure.compute(runs[mode], ideal, variant.dt) for mode in modes]
                shown[measure.name] = jnp.stack(each) if len(each) > 1 else each[0]
        if subject._keeps_traces():
            shown["runs"] = runs
        return shown

    def _many(self, values, seeds, batch: int):
        return jax.lax.map(lambda lane: self._lane(*lane), (values, seeds), batch_size=batch)

    @eqx.filter_jit
    def _stacked(self, variants, prepared):
        return eqx.filter_vmap(self._run)(variants, prepared)

    def evaluate(self, own: dict[str, np.ndarray], number: int, size: int):
        """Measures of the group's points in a chunk, and reasons of those that failed."""
        seeds = np.array(self.subject.seeds)
        bad = self._out_of_range(own)
        good = np.array([i for i in range(number) if i not in bad])
        if not len(good):
            return {}, bad
        filled = next(n for n in (2**e for e in range(64)) if n >= len(good)) if len(good) < size else size
        places = np.concatenate([good, np.repeat(good[-1], filled - len(good))])
        lanes = {name: np.repeat(column[places], len(seeds)) for name, column in own.items()}
        seed_lanes = np.tile(seeds, filled)
        if self.traced:
            most = self.subject.campaign.batch or self.subject.sizes(size)[1]
            found = self._program(
                {name: jnp.asarray(column) for name, column in lanes.items()},
                jnp.asarray(seed_lanes),
                min(most, filled) * len(seeds),
            )
        else:
            found, broken = self._one_by_one(lanes, seed_lanes)
            bad |= {int(places[i // len(seeds)]): reason for i, reason in broken.items()}
        found = jax.tree.map(lambda a: np.asarray(a).reshape(filled, len(seeds), *a.shape[1:]), found)
        return self._labelled(found, good, number, bad)

    def _out_of_range(self, own: dict[str, np.ndarray]) -> dict[int, str]:
        found: dict[int, str] = {}
        for axis in self.subject.varied:
            about = declared_at(self.test, axis.paths[0])
            if about is None:
                continue
            for i, value in enumerate(own[axis.name]):
                fault = about.fault(value)
                if fault:
                    found.setdefault(i, f"{axis.paths[0]}: {fault}")
        return found

    def _one_by_one(self, lanes, seeds):
        """Variants built with concrete numbers, joined by their shapes; and reasons of those that cannot be."""
        built: dict[Any, list[tuple[int, Any, Any]]] = {}
        broken: dict[int, str] = {}
        for i, seed in enumerate(seeds):
            try:
                variant, prepared = self.prepared(
                    {name: column[i] for name, column in lanes.items()}, int(seed)
                )
            except Exception as error:
                broken[i] = f"{type(error).__name__}: {error}"
                continue
            leaves, structure = jax.tree_util.tree_flatten((variant, prepared))
            key = (structure, tuple(jnp.shape(leaf) for leaf in leaves))
            built.setdefault(key, []).append((i, variant, prepared))
        found: Any = None
        for same in built.values():
            variants, tests = (_joined([entry[j] for entry in same]) for j in (1, 2))
            part = jax.tree.map(np.asarray, self._stacked(variants, tests))
            if found is None:
                found = jax.tree.map(lambda a: np.full((len(seeds), *a.shape[1:]), np.nan), part)
            for whole, values in zip(jax.tree.leaves(found), jax.tree.leaves(part), strict=True):
                whole[[entry[0] for entry in same]] = values
        return found or {}, broken

    def _labelled(self, found, good, number, bad):
        """Arrays over the group's points with their dimensions; user's measures; what was not finite."""
        subject, modes, seeds = self.subject, self.subject.modes, self.subject.seeds
        runs = found.pop("runs", None)
        about = {m.name: m for m in subject.measures}
        for measure in subject.measures:
            if not measure.compiled:
                found[measure.name] = self._on_host(measure, runs, len(good), bad, good)
        if runs is not None:
            for name in subject.campaign.traces:
                found |= {f"{name}_{mode}" if len(modes) > 1 else name: runs[mode][name] for mode in modes}
        table: dict[str, Values] = {}
        for name, array in found.items():
            array = np.asarray(array[: len(good)], float)
            dims: tuple[str, ...] = ("seed",)
            trace = array.ndim > 2 and name not in about and name not in ("outcome", "end_time")
            if trace:
                dims += ("time", *(f"{name}_{i}" for i in range(array.ndim - 3)))
            elif array.ndim > 2:
                dims += ("mode",)
            if len(seeds) == 1:
                array, dims = array[:, 0], dims[1:]
            whole = np.full((number, *array.shape[1:]), np.nan)
            whole[good] = array
            if not trace:
                for i in good[~np.isfinite(array.reshape(len(good), -1)).all(axis=1)]:
                    bad.setdefault(int(i), f"{name} is not finite")
            attrs = {"units": about[name].unit, "long_name": about[name].about} if name in about else {}
            if name == "end_time":
                attrs = {"units": "s", "long_name": "end of the run"}
            if name == "outcome":
                attrs = {"units": "1", "meanings": [o.name for o in Outcome]}
            table[name] = Values(dims, whole, attrs)
        return table, bad

    def _on_host(self, measure, runs, count, bad, good) -> np.ndarray:
        """A function of recorded datasets, one run after another; (points, seeds) or (points, seeds, modes)."""
        modes, seeds = self.subject.modes, self.subject.seeds
        alone = not measure.needs_ideal and len(modes) > 1
        values = np.full((count, len(seeds), len(modes)) if alone else (count, len(seeds)), np.nan)
        for i, j in np.ndindex(count, len(seeds)):
            data = {}
            for mode in modes:
                records = {name: array[i, j] for name, array in runs[mode].items() if name != "kept"}
                kept = runs[mode]["kept"][i, j]
                times = (np.arange(len(kept)) + 1)[kept] * self.test.dt
                data[mode] = dataset(self.test, times, kept_of.cut(records, kept), {"mode": mode})
            try:
                if alone:
                    values[i, j] = [measure.compute(data[mode], data.get("emulate")) for mode in modes]
                else:
                    values[i, j] = measure.compute(data[modes[-1]], data.get("emulate"))
            except Exception as error:
                bad.setdefault(int(good[i]), f"{measure.name}: {type(error).__name__}: {error}")
        return values


def _simulated(prepared: Any) -> tuple[dict[str, jax.Array], jax.Array, jax.Array]:
    """Records with what of them counts, code of the outcome, and the tick of the end."""
    if isinstance(prepared, Test):
        state, records = simulate(prepared)
        return _cut(state["watch"], records, prepared.tick_count)
    state, _ = simulations.start(prepared)
    state, records = simulations.advance(prepared, state, jnp.zeros((), dtype=int), prepared.tick_count)
    return _cut(state[-1], records, prepared.tick_count)


def _cut(
    seen: dict[str, jax.Array], records: dict[str, jax.Array], ticks: int
) -> tuple[Any, jax.Array, jax.Array]:
    """Records with what of them counts after the supervisor's word, the code of that, and the tick of the end."""
    code = seen["code"]
    last = jnp.where(code > 0, seen["tick"], ticks)
    lost = code == Outcome.NOT_FINITE.code
    return {**records, "kept": jnp.arange(1, ticks + 1) <= last - lost}, code, last


def _emulated(test: Test) -> dict[str, jax.Array]:
    """Records of the ideal at the ticks after the first."""
    accuracy = Accuracy(**getattr(test.numerical, "ideal", {}))
    coupled = ideal_system(test, test.rig.specimen)  # type: ignore[attr-defined]
    watch = Watch.of(test, "emulate")
    seen, records = integrate(coupled, watch, accuracy.method, test.dt, accuracy.substeps, test.tick_count)
    if "contact_time" in records:  # an ideal that does not resolve its contacts is none
        steps = fewest_steps(records["contact_time"], test.dt / accuracy.substeps)
        records = {name: jnp.where(steps < RESOLVED, jnp.nan, values) for name, values in records.items()}
    shown = {name: values[1:] for name, values in records.items()}
    return _cut(seen, shown, test.tick_count)[0]


def _joined(trees: list[Any]) -> Any:
    """Trees of one structure as one, a new first axis running over them."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)
