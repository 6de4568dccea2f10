"""From axes to points: grid, list, one at a time, Latin hypercube, Sobol, random; Morris and Saltelli for sensitivity.

A table of points is a column for each axis. Every design is a function of the axes and a seed alone, so that a
campaign that is taken up again has the same points in the same order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy

from dovetail.campaign.axes import Axis, as_column
from dovetail.campaign.distributions import Correlation, correlated
from dovetail.core.errors import ParameterError

Table = dict[str, np.ndarray]
DRAWN = ("latin-hypercube", "sobol", "random", "saltelli", "morris")
CORRELATED = ("latin-hypercube", "sobol", "random")
KINDS = ("grid", "list", "one-at-a-time", *DRAWN)
MOST_POINTS = 100_000_000
LEVELS = 4  # of a Morris design: steps of 2/3 of the range, as in the source


def points(
    axes: Sequence[Axis],
    kind: str,
    number: int = 0,
    seed: int = 0,
    correlations: Sequence[Correlation] = (),
) -> Table:
    """The table of points of a design.

    Parameters
    ----------
    kind
        `grid`: every combination; `list`: the axes' values side by side; `one-at-a-time`: the defaults, then each
        axis through its values. The others draw: `latin-hypercube`, `sobol`, `random` have `number` points;
        `saltelli` has number (k + 2) points for Sobol indices of k axes [Saltelli 2010]; `morris` has
        number (k + 1) for elementary effects [Morris 1991].
    correlations
        Names of two axes and the correlation of the normal variables behind them, of `latin-hypercube`, `sobol` and
        `random`; see `distributions.correlated`.
    """
    if kind not in KINDS:
        raise ParameterError(f'design.kind: got "{kind}"; one of {", ".join(KINDS)}')
    if not axes:
        raise ParameterError("axis: there is none; a campaign varies at least one parameter")
    sizes = {"grid": math.prod(len(axis.values) for axis in axes), "saltelli": number * (len(axes) + 2)}
    sizes |= {"morris": number * (len(axes) + 1)}
    if sizes.get(kind, number) > MOST_POINTS:
        raise ParameterError(
            f"design: a {kind} design of {sizes.get(kind, number)} points; at most {MOST_POINTS} fit into memory"
        )
    if correlations and kind not in CORRELATED:
        raise ParameterError(
            f"correlation: a {kind} design has independent axes; take {', '.join(CORRELATED)} for correlated ones"
        )
    if kind in DRAWN:
        if number < 1:
            raise ParameterError(f"design.points: got {number}; a {kind} design needs at least 1")
        endless = [axis.name for axis in axes if not axis.bounded] if kind == "morris" else []
        if endless:
            raise ParameterError(
                f"axis {', '.join(endless)}: has no ends; a morris design steps through ranges, give from and to"
            )
        return _drawn(axes, kind, number, seed, correlations)
    missing = [axis.name for axis in axes if not axis.values]
    if missing:
        raise ParameterError(
            f"axis {', '.join(missing)}: has no values; a {kind} design needs values, or a range with a count"
        )
    if kind == "grid":
        rows = list(itertools.product(*(axis.values for axis in axes)))
    elif kind == "list":
        lengths = {axis.name: len(axis.values) for axis in axes}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{name} {length}" for name, length in lengths.items())
            raise ParameterError(f"axes of a list design have different numbers of values: {told}")
        rows = list(zip(*(axis.values for axis in axes), strict=True))
    else:
        rows = _one_at_a_time(axes)
    return {axis.name: as_column([row[i] for row in rows]) for i, axis in enumerate(axes)}


def _one_at_a_time(axes: Sequence[Axis]) -> list[tuple[Any, ...]]:
    missing = [axis.name for axis in axes if axis.default is None]
    if missing:
        raise ParameterError(f"axis {', '.join(missing)}: a one-at-a-time design needs a default")
    default = tuple(axis.default for axis in axes)
    rows = [default]
    for i, axis in enumerate(axes):
        rows += [(*default[:i], value, *default[i + 1 :]) for value in axis.values if value != axis.default]
    return rows


def _drawn(
    axes: Sequence[Axis], kind: str, number: int, seed: int, correlations: Sequence[Correlation]
) -> Table:
    k = len(axes)
    rng = np.random.default_rng(seed)
    if kind == "latin-hypercube":
        shares = scipy.stats.qmc.LatinHypercube(k, rng=rng).random(number)
    elif kind == "sobol":
        # a whole power of two is drawn and cut, which keeps the balance of what is left as far as it can be
        shares = scipy.stats.qmc.Sobol(k, rng=rng).random_base2(math.ceil(math.log2(max(number, 1))))[:number]
    elif kind == "random":
        shares = rng.random((number, k))
    elif kind == "saltelli":
        shares = saltelli_shares(k, number, rng)
    else:
        shares = morris_shares(k, number, rng)
    if correlations:
        shares = correlated(shares, [axis.name for axis in axes], correlations)
    return {axis.name: axis.at(shares[:, i]) for i, axis in enumerate(axes)}


def saltelli_shares(k: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """Blocks A, B and, for each axis i, A with column i of B, one below the other: (number (k + 2), k)."""
    base = scipy.stats.qmc.Sobol(2 * k, rng=rng).random_base2(math.ceil(math.log2(max(number, 1))))[:number]
    a, b = base[:, :k], base[:, k:]
    mixed = [np.column_stack([b[:, j] if j == i else a[:, j] for j in range(k)]) for i in range(k)]
    return np.concatenate([a, b, *mixed])


def morris_shares(k: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """`number` trajectories of k + 1 points; each step moves one axis by 2/3 of its range."""
    delta = LEVELS / (2 * (LEVELS - 1))
    paths = []
    for _ in range(number):
        start = rng.integers(0, LEVELS // 2, k) / (LEVELS - 1)
        up = rng.random(k) < 0.5
        place = np.where(up, start, start + delta)
        path = [place]
        for i in rng.permutation(k):
            place = place.copy()
            place[i] += delta if up[i] else -delta
            path.append(place)
        paths.append(path)
    return np.clip(np.concatenate(paths), 0.0, 1.0)
