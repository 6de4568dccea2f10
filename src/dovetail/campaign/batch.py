"""Points of a test that differ in traced numbers only: one compiled program for all of them.

Parts that cannot be built from traced numbers are built point by point, and those of one shape joined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.campaign import measures as kept_of
from dovetail.campaign.lane import emulated, simulated
from dovetail.campaign.parameter_paths import longest_buffers
from dovetail.campaign.subjects import Values
from dovetail.core.errors import DovetailError
from dovetail.testing import Outcome
from dovetail.testing.memory_estimate import require_room
from dovetail.testing.paths import declared_at, get, spread
from dovetail.testing.run import dataset

if TYPE_CHECKING:
    from dovetail.campaign.variants import TestSubject


class Group:
    """Points that differ in traced numbers only: one program."""

    def __init__(self, subject: TestSubject, test: Any):
        self.subject, self.as_said = subject, test
        self.test = test = longest_buffers(test, subject.varied, subject.campaign.points())
        require_room(test.checked())
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
        shapes = jax.eval_shape(lambda: simulated(self.test.sized(self.shape))[0])
        return len(self.subject.modes) * sum(s.size * s.dtype.itemsize for s in jax.tree.leaves(shapes))

    def variant(self, values: Mapping[str, Any]) -> Any:
        """The test with the numbers of a point, traced or not."""
        return self._with(self.test, values)

    def _with(self, test: Any, values: Mapping[str, Any]) -> Any:
        for axis in self.subject.varied:
            for path in axis.paths:
                test = spread(test, path, values[axis.name])
        return test

    def prepared(self, values, seed) -> tuple[Any, Any]:
        """The variant as the ideal takes it and as the loop does."""
        variant = self.variant(values)
        return variant, variant.sized(self.shape, seed)

    def _lane(self, values, seed):
        return self._run(*self.prepared(values, seed))

    def _run(self, variant, prepared):
        """Measures, traces and outcomes of one run of each mode."""
        modes, subject = self.subject.modes, self.subject
        shown: dict[str, Any] = {}
        runs: dict[str, Any] = {}
        if "emulate" in modes:
            runs["emulate"] = emulated(variant)
        if variant.USUAL in modes:
            runs[variant.USUAL], code, tick = simulated(prepared)
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
        table, bad = self._labelled(found, good, number, bad)
        return table | self._of_tests(own, good, number, bad), bad

    def _of_tests(self, own, good, number, bad) -> dict[str, Values]:
        """What is asked of the tests themselves, one after another: their stability."""
        asked = [measure for measure in self.subject.measures if measure.of_test]
        found = {m.name: Values((), np.full(number, np.nan), attributes(m)) for m in asked}
        known: dict[tuple[float, ...], Any] = {}  # a chunk is filled up with its last point
        for i in good if asked else ():
            point = {name: float(column[i]) for name, column in own.items()}
            try:
                key = tuple(point.values())
                outlook = known[key] = known.get(key) or self._with(self.as_said, point).stability()
            except DovetailError as error:
                bad.setdefault(int(i), f"stability: {error}")
                continue
            for measure in asked:
                found[measure.name].array[i] = value = measure.compute(outlook)
                if np.isnan(value):  # infinite is an answer, not known is none
                    bad.setdefault(
                        int(i), f"{measure.name} is not known: {'; '.join(outlook.remarks) or 'no remark'}"
                    )
        return found

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
            if not measure.compiled and not measure.of_test:
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
            attrs = attributes(about[name]) if name in about else {}
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


def attributes(measure: kept_of.Measure) -> dict[str, str]:
    """What the store says of a measure."""
    return {"units": measure.unit, "long_name": measure.about}


def _joined(trees: list[Any]) -> Any:
    """Trees of one structure as one, a new first axis running over them."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)
