"""Points of a design: grid, list, one-at-a-time, Latin hypercube, Sobol, random; Morris and Saltelli for sensitivity.

A table of points has one column per parameter. Every design is a function of the parameters and a seed alone, so that
a resumed campaign has the same points in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from dovetail.campaign.axes import VariedParameter, as_column
from dovetail.campaign.distributions import Correlation, correlate
from dovetail.core.errors import ParameterError

Table = dict[str, np.ndarray]
RANDOM_KINDS = ("latin-hypercube", "sobol", "random", "saltelli", "morris")
CORRELATED_KINDS = ("latin-hypercube", "sobol", "random")
KINDS = ("grid", "list", "one-at-a-time", *RANDOM_KINDS)
COPIES = (
    6  # of a table of points while it is computed; the most are of a Sobol sequence just above a power of two
)
LEVELS = 4  # of a Morris design: steps of 2/3 of the range, as in the source


def points(
    parameters: Sequence[VariedParameter],
    kind: str,
    count: int = 0,
    seed: int = 0,
    correlations: Sequence[Correlation] = (),
) -> Table:
    """Return the table of points of a design.

    Parameters
    ----------
    kind
        `grid`: every combination; `list`: the values of all parameters side by side; `one-at-a-time`: the defaults,
        then each parameter through its values. Random designs: `latin-hypercube`, `sobol`, `random` have `count`
        points; `saltelli` has count (k + 2) points for Sobol indices of k parameters [Saltelli 2010]; `morris` has
        count (k + 1) for elementary effects [Morris 1991].
    correlations
        Names of two parameters and the correlation of their normal variables, for `latin-hypercube`, `sobol` and
        `random`; see `distributions.correlate`.
    """
    if kind not in KINDS:
        raise ParameterError(f'design.kind: got "{kind}"; expected one of {", ".join(KINDS)}')
    if not parameters:
        raise ParameterError("parameter: none given; a campaign varies at least one parameter")
    if correlations and kind not in CORRELATED_KINDS:
        raise ParameterError(
            f"correlation: a {kind} design has independent parameters; use {', '.join(CORRELATED_KINDS)}"
        )
    if kind in RANDOM_KINDS:
        if count < 1:
            raise ParameterError(f"design.count: got {count}; a {kind} design needs at least 1")
        unbounded = [p.name for p in parameters if not p.bounded] if kind == "morris" else []
        if unbounded:
            raise ParameterError(
                f"parameter {', '.join(unbounded)}: is unbounded; a morris design needs a range, give min and max"
            )
        return _random_points(parameters, kind, count, seed, correlations)
    without_values = [p.name for p in parameters if not p.values]
    if without_values:
        raise ParameterError(
            f"parameter {', '.join(without_values)}: has no values; a {kind} design needs values, "
            "or a range with a count"
        )
    if kind == "grid":
        return _grid_points(parameters)
    if kind == "list":
        lengths = {p.name: len(p.values) for p in parameters}
        if len(set(lengths.values())) > 1:
            text = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise ParameterError(f"design: a list design needs equal numbers of values; got {text}")
        rows = list(zip(*(p.values for p in parameters), strict=True))
    else:
        rows = _one_at_a_time(parameters)
    return {p.name: as_column([row[i] for row in rows]) for i, p in enumerate(parameters)}


def point_count(parameters: Sequence[VariedParameter], kind: str, count: int) -> int:
    """Return the number of points of a design, without computing them; of a list the largest possible number."""
    lengths = [len(p.values) for p in parameters]
    counts = {
        "grid": math.prod(lengths),
        "list": max(lengths, default=0),
        "one-at-a-time": 1 + sum(lengths),
        "saltelli": count * (len(parameters) + 2),
        "morris": count * (len(parameters) + 1),
    }
    return counts.get(kind, count)


def _grid_points(parameters: Sequence[VariedParameter]) -> Table:
    """Return every combination of the values; the last parameter varies fastest."""
    lengths = [len(p.values) for p in parameters]
    return {
        p.name: np.tile(
            np.repeat(as_column(list(p.values)), math.prod(lengths[i + 1 :])), math.prod(lengths[:i])
        )
        for i, p in enumerate(parameters)
    }


def _one_at_a_time(parameters: Sequence[VariedParameter]) -> list[tuple[Any, ...]]:
    without_default = [p.name for p in parameters if p.default is None]
    if without_default:
        raise ParameterError(
            f"parameter {', '.join(without_default)}: a one-at-a-time design needs a default"
        )
    default = tuple(p.default for p in parameters)
    rows = [default]
    for i, p in enumerate(parameters):
        rows += [(*default[:i], value, *default[i + 1 :]) for value in p.values if value != p.default]
    return rows


def _random_points(
    parameters: Sequence[VariedParameter],
    kind: str,
    count: int,
    seed: int,
    correlations: Sequence[Correlation],
) -> Table:
    k = len(parameters)
    rng = np.random.default_rng(seed)
    if kind == "latin-hypercube":
        fractions = scipy.stats.qmc.LatinHypercube(k, rng=rng).random(count)
    elif kind == "sobol":
        # a power of two is drawn and truncated, which preserves most of the balance of the sequence
        fractions = scipy.stats.qmc.Sobol(k, rng=rng).random_base2(math.ceil(math.log2(max(count, 1))))[
            :count
        ]
    elif kind == "random":
        fractions = rng.random((count, k))
    elif kind == "saltelli":
        fractions = saltelli_fractions(k, count, rng)
    else:
        fractions = morris_fractions(k, count, rng)
    if correlations:
        fractions = correlate(fractions, [p.name for p in parameters], correlations)
    return {p.name: p.values_at(fractions[:, i]) for i, p in enumerate(parameters)}


def saltelli_fractions(k: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return blocks A, B and, for each parameter i, A with column i of B, stacked: (count (k + 2), k)."""
    base = scipy.stats.qmc.Sobol(2 * k, rng=rng).random_base2(math.ceil(math.log2(max(count, 1))))[:count]
    a, b = base[:, :k], base[:, k:]
    mixed = [np.column_stack([b[:, j] if j == i else a[:, j] for j in range(k)]) for i in range(k)]
    return np.concatenate([a, b, *mixed])


def morris_fractions(k: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return `count` trajectories of k + 1 points; each step moves one parameter by 2/3 of its range."""
    delta = LEVELS / (2 * (LEVELS - 1))
    paths = np.empty((count, k + 1, k))
    for path in paths:
        start = rng.integers(0, LEVELS // 2, k) / (LEVELS - 1)
        up = rng.random(k) < 0.5
        point = np.where(up, start, start + delta)
        path[0] = point
        for step, i in enumerate(rng.permutation(k), 1):
            point[i] += delta if up[i] else -delta
            path[step] = point
    return np.clip(paths.reshape(-1, k), 0.0, 1.0)
