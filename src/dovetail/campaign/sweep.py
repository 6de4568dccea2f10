"""Evaluation of points of a design space in one batch, as a table of measures.

An evaluation is a function from a list of points to arrays with one value per point. A failed point is a row of NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
import xarray as xr

from dovetail.campaign.design_space import DesignSpace, Point
from dovetail.core.errors import AnalysisError, ParameterError

Evaluation = Callable[[list[Point]], Mapping[str, Any]]
Function = TypeVar("Function", bound=Callable[..., Any])


@runtime_checkable
class DeclaresParameters(Protocol):
    """Evaluation that declares its parameters; see `requires`."""

    default_parameters: Mapping[str, Any]
    required_parameters: Sequence[str]


@runtime_checkable
class DeclaresMeasures(Protocol):
    """Model or evaluation that declares its measures with their units; see `returns`."""

    measure_units: Mapping[str, str]


def requires(*required: str, **defaults: Any) -> Callable[[Evaluation], Evaluation]:
    """Declare the parameters of an evaluation: required names, and defaults of the others.

    A campaign then rejects an unknown parameter before anything is computed.

    >>> @requires("mass", stiffness=100.0)
    ... def oscillator(points):
    ...     return {"omega": [(p["stiffness"] / p["mass"]) ** 0.5 for p in points]}
    >>> oscillator([{"mass": 4.0}])
    {'omega': [5.0]}
    """

    def mark(function: Evaluation) -> Evaluation:
        @wraps(function)
        def with_defaults(points: list[Point]) -> Mapping[str, Any]:
            return function([{**defaults, **point} for point in points])

        with_defaults.default_parameters = {**dict.fromkeys(required), **defaults}  # type: ignore[attr-defined]  # a mark on the function itself
        with_defaults.required_parameters = required  # type: ignore[attr-defined]  # likewise
        return with_defaults

    return mark


def returns(**units: str) -> Callable[[Function], Function]:
    """Declare the measures of a model or an evaluation, by name, with their units."""

    def mark(function: Function) -> Function:
        function.measure_units = units  # type: ignore[attr-defined]  # a mark on the function itself
        return function

    return mark


def evaluate_points(points: Iterable[Point], evaluation: Evaluation) -> xr.Dataset:
    """Return the measures over dimension `point`, with the varied values as coordinates."""
    table = list(points)
    if not table:
        raise ParameterError("points: expected at least one")
    measures = {name: np.asarray(values) for name, values in evaluation(table).items()}
    for name, values in measures.items():
        if values.shape != (len(table),):
            raise AnalysisError(
                f"{name}: got values of shape {values.shape} for {len(table)} points; expected one per point"
            )
    coordinates = {name: ("point", [point[name] for point in table]) for name in table[0]}
    return xr.Dataset({name: ("point", values) for name, values in measures.items()}, coordinates)


def one_at_a_time(
    space: DesignSpace, evaluation: Evaluation, names: Sequence[str] | None = None
) -> dict[str, xr.Dataset]:
    """Return a table over each variable, by name, with all others at their default; evaluated in one batch."""
    chosen = list(names or space.names)
    points = [space.point({name: value}) for name in chosen for value in space[name].values]
    table = evaluate_points(points, evaluation)
    tables, first = {}, 0
    for name in chosen:
        count = len(space[name].values)
        part = table.isel(point=slice(first, first + count))
        tables[name] = xr.Dataset(
            {key: (name, part[key].values) for key in part.data_vars}, {name: list(space[name].values)}
        )
        first += count
    return tables


def full_factorial(space: DesignSpace, evaluation: Evaluation, *names: str) -> xr.Dataset:
    """Return every combination of the values of some variables, as a table with one dimension per variable."""
    chosen = names or tuple(space.names)
    flat = evaluate_points(space.full_factorial(*chosen), evaluation)
    shape = [len(space[name].values) for name in chosen]
    return xr.Dataset(
        {key: (chosen, flat[key].values.reshape(shape)) for key in flat.data_vars},
        {name: list(space[name].values) for name in chosen},
    )
