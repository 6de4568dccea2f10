"""Subject of a campaign: a test, a model of one point, or a function of many points.

A *model* is a function of named numbers that JAX can trace; it is batched here. An *evaluation* is any function of a
list of points that returns arrays. A *test* is a file (see `variants`). Text values of a model are passed unchanged;
points with the same texts form one batch.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.measures import find_function
from dovetail.campaign.plan import Campaign
from dovetail.campaign.sweep import DeclaresMeasures, DeclaresParameters
from dovetail.core import user_parts
from dovetail.core.errors import AnalysisError, Fault, TestFileError, UnknownNameError

CPU_BATCH, GPU_BATCH = 500, 65_536  # points computed together: fits the cache of a processor; fills a GPU
MEMORY = 256 * 2**20  # [B] for a batch if the memory of the device is not known


@dataclass
class Values:
    """Values of one measure over points: dimensions after the first, the array, its attributes."""

    dims: tuple[str, ...]
    array: np.ndarray
    attrs: dict[str, Any] = field(default_factory=dict)


@dataclass
class ChunkResult:
    """Measures of a chunk by name, and failure reasons by index of the point in the chunk."""

    values: dict[str, Values]
    reasons: dict[int, str]


class Subject(ABC):
    """Evaluates points; the same chunk of points gives bit-identical results.

    A point in another chunk, or alone, agrees to rounding only: batches of other sizes round differently in the last
    digits.
    """

    @abstractmethod
    def default(self, parameter: VariedParameter) -> Any:
        """Return the value of a parameter that is not varied; None if it has none."""

    def names(self) -> list[str] | None:
        """Return parameters and measures, named as in `analysis_results.rows`; None if undetermined."""
        return None

    @abstractmethod
    def evaluate(self, columns: Mapping[str, np.ndarray]) -> ChunkResult:
        """Return the measures of points. A point that cannot be computed is NaN, with its reason."""

    def sizes(self, total: int) -> tuple[int, int]:
        """Return the default numbers of points stored together and computed together."""
        batch = min(CPU_BATCH if jax.default_backend() == "cpu" else GPU_BATCH, total)
        # writing a chunk costs about as much as computing one batch; eight chunks keep every core busy
        return max(1, min(8, total // (8 * batch))) * batch, batch


def subject_of(campaign: Campaign) -> Subject:
    """Return the subject of a campaign, whose user parts are loaded; nothing is compiled yet."""
    user_parts.load_user_parts(campaign.parts)
    if campaign.subject == "test":
        from dovetail.campaign.variants import TestSubject

        return TestSubject(campaign)
    return ModelSubject(campaign) if campaign.subject == "model" else EvaluationSubject(campaign)


class ModelSubject(Subject):
    """`model = "module:function"`: traced function of the numbers of one point that returns a dictionary of numbers."""

    def __init__(self, campaign: Campaign):
        self.campaign = campaign
        self.function = find_function(campaign.subject_name)
        self.arguments = inspect.signature(self.function).parameters
        open_ended = any(p.kind is p.VAR_KEYWORD for p in self.arguments.values())
        required = [
            p.name for p in self.arguments.values() if p.default is p.empty and p.kind < p.VAR_POSITIONAL
        ]
        check_names(campaign, None if open_ended else self.arguments, required)
        self._program = lru_cache(self._compile)

    def names(self) -> list[str] | None:
        if not self.campaign.analyses:
            return None
        first = {name: column[0] for name, column in self.campaign.points().items()}
        texts = {path: first[p.name] for p in self.campaign.parameters if not p.numeric for path in p.paths}
        numbers = {p.name: jnp.asarray(first[p.name]) for p in self.campaign.parameters if p.numeric}
        return [*common_columns(self.campaign), *jax.eval_shape(self._function_of_point(texts), numbers)]

    def default(self, parameter: VariedParameter) -> Any:
        path = parameter.paths[0]
        if path in self.campaign.table:
            return self.campaign.table[path]
        value = self.arguments[path].default if path in self.arguments else None
        return None if value is inspect.Parameter.empty else value

    def evaluate(self, columns):
        texts = [p for p in self.campaign.parameters if not p.numeric]
        numbers = [p for p in self.campaign.parameters if p.numeric]
        size = len(next(iter(columns.values())))
        measures: dict[str, np.ndarray] = {}
        for key, indices in groups(columns, [p.name for p in texts]):
            constants = {path: text for p, text in zip(texts, key, strict=True) for path in p.paths}
            varied = {p.name: jnp.asarray(pad_column(columns[p.name][indices], size)) for p in numbers}
            batch = min(self.campaign.batch or self.sizes(size)[1], size)
            for name, values in self._program(tuple(constants.items()), batch)(varied).items():
                values = np.asarray(values, float)
                column = measures.setdefault(name, np.full((size, *values.shape[1:]), np.nan))
                column[indices] = values[: len(indices)]
        return with_failures(with_units(self.function, measures))

    def _compile(self, constants, batch):
        function = self._function_of_point(dict(constants))
        return jax.jit(lambda points: jax.lax.map(function, points, batch_size=batch))

    def _function_of_point(self, texts: Mapping[str, Any]):
        """Return the model as a function of the numbers of a point, with its text values set."""
        numbers = [p for p in self.campaign.parameters if p.numeric]

        def measures_of(point):
            varied = {path: point[p.name] for p in numbers for path in p.paths}
            measures = self.function(**{**self.campaign.table, **texts, **varied})
            name = self.campaign.subject_name
            if not isinstance(measures, Mapping):
                raise AnalysisError(
                    f"{name}: returned {type(measures).__name__}; expected a dictionary of numbers"
                )
            for key, value in measures.items():
                if jnp.shape(value):
                    raise AnalysisError(
                        f"{name}: {key} has the shape {jnp.shape(value)}; expected one number"
                    )
            return dict(measures)

        return measures_of


class EvaluationSubject(Subject):
    """`evaluate = "module:function"`: a list of points in, arrays out, as `sweep.Evaluation`.

    Parameter names are checked if the function declares them (`sweep.requires`).
    """

    def __init__(self, campaign: Campaign):
        self.campaign = campaign
        self.function = find_function(campaign.subject_name)
        declared = self.function if isinstance(self.function, DeclaresParameters) else None
        self.defaults = None if declared is None else declared.default_parameters
        check_names(campaign, self.defaults, () if declared is None else declared.required_parameters)

    def names(self) -> list[str] | None:
        if not isinstance(self.function, DeclaresMeasures):
            return None
        return [*common_columns(self.campaign), *self.function.measure_units]

    def default(self, parameter: VariedParameter) -> Any:
        return {**(self.defaults or {}), **self.campaign.table}.get(parameter.paths[0])

    def evaluate(self, columns):
        size = len(next(iter(columns.values())))
        points = [
            {
                **self.campaign.table,
                **{
                    path: _python_value(columns[p.name][i])
                    for p in self.campaign.parameters
                    for path in p.paths
                },
            }
            for i in range(size)
        ]
        measures: dict[str, np.ndarray] = {}
        reasons: dict[int, str] = {}
        self._evaluate_some(points, list(range(size)), measures, reasons)
        for array in measures.values():
            array[list(reasons)] = np.nan
        result = with_failures(with_units(self.function, measures))
        return ChunkResult(result.values, {**result.reasons, **reasons})

    def _evaluate_some(self, points, indices, measures, reasons):
        """Evaluate points together; if that raises, evaluate each half, down to the points that raise."""
        try:
            results = self.function([points[i] for i in indices])
        except Exception as error:
            if len(indices) == 1:
                reasons[indices[0]] = f"{type(error).__name__}: {error}"
                return
            half = len(indices) // 2
            self._evaluate_some(points, indices[:half], measures, reasons)
            self._evaluate_some(points, indices[half:], measures, reasons)
            return
        for name, values in results.items():
            values = np.asarray(values, float)
            if values.shape != (len(indices),):
                raise AnalysisError(
                    f"{name}: got values of shape {values.shape} for {len(indices)} points; expected one per point"
                )
            measures.setdefault(name, np.full(len(points), np.nan))[indices] = values


def common_columns(campaign: Campaign) -> list[str]:
    """Return the columns that every campaign has."""
    seeds = ["seed"] if len(campaign.seeds) > 1 else []
    return ["point", *(parameter.name for parameter in campaign.parameters), *seeds]


def check_names(campaign: Campaign, known: Iterable[str] | None, required: Iterable[str]) -> None:
    """Check that parameters and constants are arguments of the function, and that none is missing.

    Raises
    ------
    TestFileError
        With the parameter, the name, and the known names.
    """
    sort = f"parameter of {campaign.subject_name}"
    keys = {path: f"parameter {p.name}" for p in campaign.parameters for path in p.paths}
    keys |= {name: f"set.{name}" for name in campaign.table if name not in keys}
    faults = [
        Fault(key, str(UnknownNameError(sort, name, known)))
        for name, key in keys.items()
        if known is not None and name not in known
    ]
    missing = [name for name in required if name not in keys]
    if missing:
        text = f"{campaign.subject_name}: needs {', '.join(missing)}; add a [[parameter]], or a value under [set]"
        faults.append(Fault("parameter", text))
    if faults:
        raise TestFileError("campaign", faults)


def with_units(function: Any, measures: Mapping[str, np.ndarray]) -> dict[str, Values]:
    """Return measures with the units that their function declares (`sweep.returns`)."""
    units = function.measure_units if isinstance(function, DeclaresMeasures) else {}
    return {
        name: Values((), array, {"units": units[name]} if name in units else {})
        for name, array in measures.items()
    }


def groups(columns: Mapping[str, np.ndarray], names: list[str]):
    """Return groups of points that agree in some columns: the common values and the indices, in order."""
    size = len(next(iter(columns.values())))
    if not names:
        return [((), np.arange(size))]
    indices: dict[tuple, list[int]] = {}
    for i in range(size):
        indices.setdefault(tuple(_python_value(columns[name][i]) for name in names), []).append(i)
    return [(key, np.array(group)) for key, group in indices.items()]


def pad_column(column: np.ndarray, size: int) -> np.ndarray:
    """Return a column padded with its last value, so that one compiled shape is enough."""
    return np.concatenate([column, np.repeat(column[-1:], size - len(column), axis=0)])


def with_failures(values: dict[str, Values]) -> ChunkResult:
    """Mark points with a non-finite measure as failed; record which measure."""
    reasons: dict[int, str] = {}
    for name, entry in values.items():
        bad = ~np.isfinite(entry.array.reshape(len(entry.array), -1)).all(axis=1)
        for i in np.flatnonzero(bad):
            reasons.setdefault(int(i), f"{name} is not finite")
    return ChunkResult(values, reasons)


def _python_value(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
