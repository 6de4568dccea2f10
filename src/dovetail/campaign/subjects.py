"""Subject of a campaign: a test, a model of one point, or a function of many points.

A *model* is a function of named numbers that JAX can trace; it is batched here. An *evaluation* is any function of a
list of points that returns arrays. A *test* is a file (see `variants`). Text values of a model are passed unchanged;
points with the same texts form one batch.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.campaign.axes import VariedParameter
from dovetail.campaign.measures import find_function
from dovetail.campaign.subject_base import (
    ChunkResult,
    Subject,
    Values,
    common_columns,
    groups,
    pad_column,
    python_value,
    with_failures,
)
from dovetail.campaign.sweep import DeclaresMeasures, DeclaresParameters
from dovetail.core import user_parts
from dovetail.core.errors import AnalysisError, Fault, TestFileError, UnknownNameError

if TYPE_CHECKING:
    from dovetail.campaign.plan import Campaign


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
                    path: python_value(columns[p.name][i])
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
