"""Compiled batches of points of a test that differ in traced numbers only.

Parts that cannot be built from traced numbers are built point by point; those with the same shape are stacked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.campaign.lane import reference_lane, simulate_lane
from dovetail.campaign.measures import Measure, select_samples
from dovetail.campaign.parameter_paths import size_delay_buffers
from dovetail.campaign.subject_base import Values
from dovetail.core.energy_balance import energy_names, energy_tolerance, residual_and_largest_energy
from dovetail.core.errors import DovetailError
from dovetail.testing import Outcome
from dovetail.testing.memory_estimate import require_memory
from dovetail.testing.modes import Reference, Rehearse, all_modes
from dovetail.testing.paths import declared_at, get, replace_all
from dovetail.testing.run import recording_of

if TYPE_CHECKING:
    from dovetail.campaign.variants import TestSubject


class Group:
    """Points that differ in traced numbers only, with one compiled program."""

    def __init__(self, subject: TestSubject, test: Any):
        self.subject, self.original = subject, test
        self.test = test = size_delay_buffers(test, subject.varied, subject.campaign.points())
        require_memory(test.validate(), all_modes()[test.default_mode]())
        self.shape = test.shape
        self.traced = True
        try:
            jax.eval_shape(self._lane, self._example_values(), jnp.asarray(0))
        except Exception:  # some part is built from concrete numbers only
            self.traced = False
        self._program = eqx.filter_jit(self._run_batch)

    def _example_values(self):
        return {p.name: jnp.asarray(np.max(get(self.test, p.paths[0])), float) for p in self.subject.varied}

    def bytes_per_lane(self) -> int:
        """Return the memory for the records of one run before they are reduced [B]."""
        shapes = jax.eval_shape(lambda: simulate_lane(self.test.with_shapes(self.shape))[0])
        return len(self.subject.modes) * sum(s.size * s.dtype.itemsize for s in jax.tree.leaves(shapes))

    def variant(self, values: Mapping[str, Any]) -> Any:
        """Return the test with the numbers of a point, traced or not."""
        return self._with_values(self.test, values)

    def _with_values(self, test: Any, values: Mapping[str, Any]) -> Any:
        for parameter in self.subject.varied:
            test = replace_all(test, dict.fromkeys(parameter.paths, values[parameter.name]))
        return test

    def prepare(self, values, seed) -> tuple[Any, Any]:
        """Return the variant for the reference solution and for the loop."""
        variant = self.variant(values)
        return variant, variant.with_shapes(self.shape, seed)

    def _lane(self, values, seed):
        return self._run(*self.prepare(values, seed))

    def _run(self, variant, prepared):
        """Return measures, signals and outcomes of one run of each mode."""
        modes, subject = self.subject.modes, self.subject
        results: dict[str, Any] = {}
        runs: dict[str, Any] = {}
        if Reference.name in modes:
            runs[Reference.name] = reference_lane(variant)
        if variant.default_mode in modes:
            runs[variant.default_mode], code, tick = simulate_lane(prepared)
            results["outcome"], results["end_time"] = code.astype(float), tick * variant.dt
            results |= self._energy(runs[variant.default_mode])
        reference = runs.get(Reference.name)
        for measure in subject.measures:
            if not measure.is_compiled:
                continue
            if measure.needs_reference:
                results[measure.name] = measure.compute(runs[Rehearse.name], reference, variant.dt)
            else:
                by_mode = [measure.compute(runs[mode], reference, variant.dt) for mode in modes]
                results[measure.name] = jnp.stack(by_mode) if len(by_mode) > 1 else by_mode[0]
        if subject.stores_signals():
            results["runs"] = runs
        return results

    def _energy(self, records: dict[str, jax.Array]) -> dict[str, jax.Array]:
        """Return the largest energy residual of a run, relative, and the time at which it leaves its tolerance."""
        if "energy_residual" not in records or not energy_names(records):
            return {}
        residual, largest = residual_and_largest_energy(records, records["valid"], jnp)
        beyond = jnp.any(residual > energy_tolerance(self.test.method) * largest, axis=1)
        opened = (jnp.argmax(beyond) + 1) * self.test.dt
        return {"energy_share": jnp.max(residual) / largest[-1, 0], "energy_opened": opened}

    def _run_batch(self, values, seeds, batch: int):
        return jax.lax.map(lambda lane: self._lane(*lane), (values, seeds), batch_size=batch)

    @eqx.filter_jit
    def _run_stacked(self, variants, prepared):
        return eqx.filter_vmap(self._run)(variants, prepared)

    def evaluate(self, columns: dict[str, np.ndarray], count: int, size: int):
        """Return the measures of `count` points in a chunk of `size`, and the reasons of failed points."""
        seeds = np.array(self.subject.seeds)
        bad = self._out_of_range(columns)
        good = np.array([i for i in range(count) if i not in bad])
        if not len(good):
            return {}, bad
        padded_size = (
            next(n for n in (2**e for e in range(64)) if n >= len(good)) if len(good) < size else size
        )
        indices = np.concatenate([good, np.repeat(good[-1], padded_size - len(good))])
        lanes = {name: np.repeat(column[indices], len(seeds)) for name, column in columns.items()}
        seed_lanes = np.tile(seeds, padded_size)
        if self.traced:
            max_batch = self.subject.campaign.batch or self.subject.sizes(size)[1]
            results = self._program(
                {name: jnp.asarray(column) for name, column in lanes.items()},
                jnp.asarray(seed_lanes),
                min(max_batch, padded_size) * len(seeds),
            )
        else:
            results, broken = self._run_one_by_one(lanes, seed_lanes)
            bad |= {int(indices[i // len(seeds)]): reason for i, reason in broken.items()}
        results = jax.tree.map(
            lambda a: np.asarray(a).reshape(padded_size, len(seeds), *a.shape[1:]), results
        )
        table, bad = self._values(results, good, count, bad)
        return table | self._stability_values(columns, good, count, bad), bad

    def _stability_values(self, columns, good, count, bad) -> dict[str, Values]:
        """Return the measures of the stability of each test, computed one after another."""
        measures = [measure for measure in self.subject.measures if measure.of_test]
        values = {m.name: Values((), np.full(count, np.nan), attributes(m)) for m in measures}
        cache: dict[tuple[float, ...], Any] = {}  # a chunk is padded with its last point
        quick = all(
            measure.name != "stability_margin" for measure in measures
        )  # the others are those at rest
        for i in good if measures else ():
            point = {name: float(column[i]) for name, column in columns.items()}
            try:
                key = tuple(point.values())
                test = self._with_values(self.original, point)
                stability = cache[key] = cache.get(key) or test.stability(quick=quick)
            except DovetailError as error:
                bad.setdefault(int(i), f"stability: {error}")
                continue
            for measure in measures:
                values[measure.name].array[i] = value = measure.compute(stability)
                if np.isnan(value):  # infinity is a result, NaN is not
                    remarks = "; ".join(stability.remarks) or "no remark"
                    bad.setdefault(int(i), f"{measure.name} is not determined: {remarks}")
        return values

    def _out_of_range(self, columns: dict[str, np.ndarray]) -> dict[int, str]:
        reasons: dict[int, str] = {}
        for parameter in self.subject.varied:
            about = declared_at(self.test, parameter.paths[0])
            if about is None:
                continue
            for i, value in enumerate(columns[parameter.name]):
                fault = about.fault(value)
                if fault:
                    reasons.setdefault(i, f"{parameter.paths[0]}: {fault}")
        return reasons

    def _run_one_by_one(self, lanes, seeds):
        """Run variants built from concrete numbers, stacked by shape; also return the reasons of those that failed."""
        built: dict[Any, list[tuple[int, Any, Any]]] = {}
        broken: dict[int, str] = {}
        for i, seed in enumerate(seeds):
            try:
                variant, prepared = self.prepare(
                    {name: column[i] for name, column in lanes.items()}, int(seed)
                )
            except Exception as error:
                broken[i] = f"{type(error).__name__}: {error}"
                continue
            leaves, structure = jax.tree_util.tree_flatten((variant, prepared))
            key = (structure, tuple(jnp.shape(leaf) for leaf in leaves))
            built.setdefault(key, []).append((i, variant, prepared))
        results: Any = None
        for group in built.values():
            variants, tests = (_stack([entry[j] for entry in group]) for j in (1, 2))
            part = jax.tree.map(np.asarray, self._run_stacked(variants, tests))
            if results is None:
                results = jax.tree.map(lambda a: np.full((len(seeds), *a.shape[1:]), np.nan), part)
            for array, values in zip(jax.tree.leaves(results), jax.tree.leaves(part), strict=True):
                array[[entry[0] for entry in group]] = values
        return results or {}, broken

    def _values(self, results, good, count, bad):
        """Return arrays over the points with their dimensions, user measures included; mark non-finite points."""
        subject, modes, seeds = self.subject, self.subject.modes, self.subject.seeds
        runs = results.pop("runs", None)
        share, opened = (results.pop(name, None) for name in ("energy_share", "energy_opened"))
        if opened is not None:
            seed = np.argmax(share[: len(good)], axis=1)[:, None]
            share, opened = (np.take_along_axis(a[: len(good)], seed, axis=1)[:, 0] for a in (share, opened))
            tolerance = energy_tolerance(self.test.method)
            for i in np.flatnonzero(share > tolerance):
                bad.setdefault(
                    int(good[i]),
                    f"energy does not close: numerical, from {opened[i]:.4g} s on, {100 * share[i]:.3g} % of the "
                    f"largest energy or work (tolerance {100 * tolerance:.3g} %)",
                )
        measures = {m.name: m for m in subject.measures}
        for measure in subject.measures:
            if not measure.is_compiled and not measure.of_test:
                results[measure.name] = self._compute_on_host(measure, runs, len(good), bad, good)
        if runs is not None:
            for name in subject.campaign.signals:
                results |= {f"{name}_{mode}" if len(modes) > 1 else name: runs[mode][name] for mode in modes}
        table: dict[str, Values] = {}
        for name, array in results.items():
            array = np.asarray(array[: len(good)], float)
            dims: tuple[str, ...] = ("seed",)
            is_signal = array.ndim > 2 and name not in measures and name not in ("outcome", "end_time")
            if is_signal:
                dims += ("time", *(f"{name}_{i}" for i in range(array.ndim - 3)))
            elif array.ndim > 2:
                dims += ("mode",)
            if len(seeds) == 1:
                array, dims = array[:, 0], dims[1:]
            column = np.full((count, *array.shape[1:]), np.nan)
            column[good] = array
            if not is_signal:
                for i in good[~np.isfinite(array.reshape(len(good), -1)).all(axis=1)]:
                    bad.setdefault(int(i), f"{name} is not finite")
            attrs = attributes(measures[name]) if name in measures else {}
            if name == "end_time":
                attrs = {"units": "s", "long_name": "end of the run"}
            if name == "outcome":
                attrs = {"units": "1", "meanings": [o.name for o in Outcome]}
            table[name] = Values(dims, column, attrs)
        return table, bad

    def _compute_on_host(self, measure, runs, count, bad, good) -> np.ndarray:
        """Return a measure of recorded datasets, run by run: (points, seeds) or (points, seeds, modes)."""
        modes, seeds = self.subject.modes, self.subject.seeds
        per_mode = not measure.needs_reference and len(modes) > 1
        values = np.full((count, len(seeds), len(modes)) if per_mode else (count, len(seeds)), np.nan)
        for i, j in np.ndindex(count, len(seeds)):
            data = {}
            for mode in modes:
                records = {name: array[i, j] for name, array in runs[mode].items() if name != "valid"}
                valid = runs[mode]["valid"][i, j]
                times = (np.arange(len(valid)) + 1)[valid] * self.test.dt
                recorded = select_samples(records, valid)
                data[mode] = recording_of(self.test, times, recorded, {"mode": mode}).to_dataset()
            reference = data.get(Reference.name)
            try:
                if per_mode:
                    values[i, j] = [measure.compute(data[mode], reference) for mode in modes]
                else:
                    values[i, j] = measure.compute(data[modes[-1]], reference)
            except Exception as error:
                bad.setdefault(int(good[i]), f"{measure.name}: {type(error).__name__}: {error}")
        return values


def attributes(measure: Measure) -> dict[str, str]:
    """Return the attributes of a measure in the store."""
    return {"units": measure.unit, "long_name": measure.about}


def _stack(trees: list[Any]) -> Any:
    """Stack trees of one structure along a new first axis."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)
