"""Points of a design space, evaluated in one batch, as a table of measures.

The evaluation is a function from a list of points to arrays, one value a point: what it is, and whether it
runs on one core, a GPU or a cluster, is its own business. A point that fails is a row of NaN.
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
class Taking(Protocol):
    """An evaluation that says what it reads of a point; see `takes`."""

    takes: Mapping[str, Any]
    needs: Sequence[str]


@runtime_checkable
class Giving(Protocol):
    """A model or an evaluation that says all that it gives, by name, with its unit; see `gives`."""

    gives: Mapping[str, str]


def takes(*needed: str, **defaults: Any) -> Callable[[Evaluation], Evaluation]:
    """Says what an evaluation reads of a point: what it needs, and what it takes otherwise.

    A campaign then refuses an axis that names nothing of it, before anything is computed.

    >>> @takes("mass", stiffness=100.0)
    ... def swinging(points):
    ...     return {"omega": [(p["stiffness"] / p["mass"]) ** 0.5 for p in points]}
    >>> swinging([{"mass": 4.0}])
    {'omega': [5.0]}
    """

    def mark(function: Evaluation) -> Evaluation:
        @wraps(function)
        def completed(points: list[Point]) -> Mapping[str, Any]:
            return function([{**defaults, **point} for point in points])

        completed.takes = {**dict.fromkeys(needed), **defaults}  # type: ignore[attr-defined]  # a mark on the function itself
        completed.needs = needed  # type: ignore[attr-defined]  # likewise
        return completed

    return mark


def gives(**units: str) -> Callable[[Function], Function]:
    """Says all that a model or an evaluation gives, by name, with its unit: what may be asked about."""

    def mark(function: Function) -> Function:
        function.gives = units  # type: ignore[attr-defined]  # a mark on the function itself
        return function

    return mark


def evaluate(points: Iterable[Point], evaluation: Evaluation) -> xr.Dataset:
    """Measures over dimension `point`, with the varied values as coordinates."""
    table = list(points)
    if not table:
        raise ParameterError("there are no points to evaluate")
    measures = {name: np.asarray(values) for name, values in evaluation(table).items()}
    for name, values in measures.items():
        if values.shape != (len(table),):
            raise AnalysisError(f"{name}: {values.shape} values for {len(table)} points; give one for each")
    coordinates = {name: ("point", [point[name] for point in table]) for name in table[0]}
    return xr.Dataset({name: ("point", values) for name, values in measures.items()}, coordinates)


def one_at_a_time(
    space: DesignSpace, evaluation: Evaluation, names: Sequence[str] | None = None
) -> dict[str, xr.Dataset]:
    """Each variable through its values, all others at their default: a table over that variable, by name.

    Everything is evaluated in one batch.
    """
    chosen = list(names or space.names)
    points = [space.point({name: value}) for name in chosen for value in space[name].values]
    whole = evaluate(points, evaluation)
    tables, first = {}, 0
    for name in chosen:
        count = len(space[name].values)
        part = whole.isel(point=slice(first, first + count))
        tables[name] = xr.Dataset(
            {key: (name, part[key].values) for key in part.data_vars}, {name: list(space[name].values)}
        )
        first += count
    return tables


def factorial(space: DesignSpace, evaluation: Evaluation, *names: str) -> xr.Dataset:
    """Every combination of some variables' values, as a table with a dimension for each."""
    chosen = names or tuple(space.names)
    flat = evaluate(space.factorial(*chosen), evaluation)
    shape = [len(space[name].values) for name in chosen]
    return xr.Dataset(
        {key: (chosen, flat[key].values.reshape(shape)) for key in flat.data_vars},
        {name: list(space[name].values) for name in chosen},
    )
