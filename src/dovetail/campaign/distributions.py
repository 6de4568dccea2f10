r"""How an axis of a campaign is distributed where points are drawn: normal, lognormal, triangular; several correlated.

An axis turns shares in [0, 1] into values by its quantile function, so that a Latin hypercube and a Sobol sequence
keep what they are made for. A range cuts a distribution: between its ends the density keeps its form.

Correlated axes are joined by a normal copula: shares become normal variables, these are mixed by the Cholesky factor of
their correlations, and become shares again [Liu 1986]. Each axis keeps its own distribution. The correlation is that
of the normal variables behind the axes: of normal axes their own, of lognormal ones that of their logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from dovetail.core.errors import ParameterError

KINDS = ("uniform", "normal", "lognormal", "triangular")
NEEDS = {  # keys of an axis that say a distribution; of a lognormal one either pair
    "uniform": ((),),
    "normal": (("mean", "deviation"),),
    "lognormal": (("median", "dispersion"), ("mean", "deviation")),
    "triangular": (("from", "to", "likeliest"),),
}
SAID = ("mean", "deviation", "median", "dispersion", "likeliest")
Correlation = tuple[str, str, float]
_INSIDE = 2.0**-53  # shares of exactly 0 and 1 have no normal variable


def parameters(kind: str, number: Callable[[str], float], keys: Sequence[str]) -> tuple[float, float]:
    """Centre and spread of a distribution, as `quantile` takes them, from what the keys of an axis say.

    Raises
    ------
    ParameterError
        If a key is missing, of another distribution, or out of range.
    """
    if kind not in KINDS:
        raise ParameterError(f'distribution: got "{kind}"; one of {", ".join(KINDS)}')
    given = [key for key in SAID if key in keys]
    wanted = next((need for need in NEEDS[kind] if {*need} - {"from", "to"} == {*given}), None)
    if wanted is None or not {*wanted} <= {*keys}:
        needs = " or ".join(" and ".join(need) for need in NEEDS[kind]) or "from and to alone"
        raise ParameterError(f"distribution: {kind} needs {needs}; got {', '.join(given) or 'neither'}")
    value = {key: number(key) for key in wanted}
    for key in ("deviation", "dispersion"):
        if key in value and not value[key] > 0:
            raise ParameterError(f"{key}: got {value[key]:g}; must be above 0")
    if kind == "lognormal":
        middle = "median" if "median" in value else "mean"
        if not value[middle] > 0:
            raise ParameterError(f"{middle}: got {value[middle]:g}; must be above 0 of a lognormal axis")
        if middle == "median":
            return value["median"], value["dispersion"]
        squared = np.log1p((value["deviation"] / value["mean"]) ** 2)
        return float(value["mean"] * np.exp(-squared / 2)), float(np.sqrt(squared))
    if kind == "triangular":
        if not value["from"] <= value["likeliest"] <= value["to"]:
            raise ParameterError(
                f"likeliest: got {value['likeliest']:g}; must be within {value['from']:g} to {value['to']:g}"
            )
        return value["likeliest"], 0.0
    return (value["mean"], value["deviation"]) if kind == "normal" else (0.0, 0.0)


def quantile(
    kind: str, share: Any, centre: float, spread: float, low: float | None, high: float | None
) -> np.ndarray:
    """Values at shares in [0, 1] of a normal, lognormal or triangular distribution, cut to a range where there is one.

    Of a normal axis `centre` and `spread` are mean and deviation, of a lognormal one the median and the deviation of
    the logarithm, of a triangular one the likeliest value.
    """
    share = np.asarray(share, float)
    if kind == "triangular":
        assert low is not None
        assert high is not None
        width, rise = high - low, (centre - low) / (high - low)
        left = low + width * np.sqrt(share * rise)
        return np.where(share < rise, left, high - width * np.sqrt((1 - share) * (1 - rise)))

    def normal(value: float) -> float:
        if kind == "normal":
            return (value - centre) / spread
        return float(np.log(value / centre) / spread) if value > 0 else -np.inf

    begin = 0.0 if low is None else float(ndtr(normal(low)))
    end = 1.0 if high is None else float(ndtr(normal(high)))
    if not end > begin:
        raise ParameterError(f"the range from {low} to {high} holds nothing of the distribution; widen it")
    z = ndtri(np.clip(begin + (end - begin) * share, _INSIDE, 1 - _INSIDE))
    values = centre + spread * z if kind == "normal" else centre * np.exp(spread * z)
    return np.clip(values, low, high)


def correlated(shares: np.ndarray, names: Sequence[str], correlations: Sequence[Correlation]) -> np.ndarray:
    """Independent shares, a column for each axis, as shares of correlated axes.

    Raises
    ------
    ParameterError
        If there are no variables with such correlations.
    """
    matrix = np.eye(len(names))
    for first, second, value in correlations:
        i, j = names.index(first), names.index(second)
        matrix[i, j] = matrix[j, i] = value
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError as error:
        least = float(np.linalg.eigvalsh(matrix).min())
        raise ParameterError(
            f"correlation: no variables have such correlations together (the matrix has an eigenvalue of {least:.2g}); "
            "make them smaller"
        ) from error
    return ndtr(ndtri(np.clip(shares, _INSIDE, 1 - _INSIDE)) @ factor.T)
