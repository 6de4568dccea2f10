r"""Distributions of varied parameters in random designs: normal, lognormal, triangular; with correlations.

A parameter converts fractions in [0, 1] to values by its quantile function, which preserves the properties of a Latin
hypercube and a Sobol sequence. A range truncates a distribution: between its bounds the shape of the density is
unchanged.

Correlated parameters use a normal copula: fractions become normal variables, these are mixed by the Cholesky factor of
their correlations and converted back to fractions [Liu 1986]. Each parameter keeps its own distribution. The
correlation applies to the normal variables: for normal parameters it is their own correlation, for lognormal ones that
of their logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from dovetail.core.errors import Fault, ParameterError, UnknownNameError, format_value
from dovetail.core.renamed import new_name, remark

KINDS = ("uniform", "normal", "lognormal", "triangular")
REQUIRED_KEYS = {  # keys that define a distribution; alternatives for a lognormal one
    "uniform": ((),),
    "normal": (("mean", "deviation"),),
    "lognormal": (("median", "dispersion"), ("mean", "deviation")),
    "triangular": (("min", "max", "likeliest"),),
}
PARAMETER_KEYS = ("mean", "deviation", "median", "dispersion", "likeliest")
CORRELATION_KEYS = ("parameters", "coefficient")
Correlation = tuple[str, str, float]
_INSIDE = 2.0**-53  # fractions of exactly 0 and 1 have no normal variable


def parameters(kind: str, number: Callable[[str], float], keys: Sequence[str]) -> tuple[float, float]:
    """Return centre and spread of a distribution, as `quantile` takes them, from the keys of a parameter.

    Raises
    ------
    ParameterError
        If a key is missing, belongs to another distribution, or is out of range.
    """
    if kind not in KINDS:
        raise ParameterError(f'distribution: got "{kind}"; expected one of {", ".join(KINDS)}')
    used = [key for key in PARAMETER_KEYS if key in keys]
    required = next((need for need in REQUIRED_KEYS[kind] if {*need} - {"min", "max"} == {*used}), None)
    if required is None or not {*required} <= {*keys}:
        needs = " or ".join(" and ".join(need) for need in REQUIRED_KEYS[kind]) or "min and max only"
        raise ParameterError(f"distribution: {kind} needs {needs}; got {', '.join(used) or 'none of them'}")
    value = {key: number(key) for key in required}
    for key in ("deviation", "dispersion"):
        if key in value and not value[key] > 0:
            raise ParameterError(f"{key}: got {value[key]:g}; must be above 0")
    if kind == "lognormal":
        middle = "median" if "median" in value else "mean"
        if not value[middle] > 0:
            raise ParameterError(
                f"{middle}: got {value[middle]:g}; must be above 0 for a lognormal distribution"
            )
        if middle == "median":
            return value["median"], value["dispersion"]
        squared = np.log1p((value["deviation"] / value["mean"]) ** 2)
        return float(value["mean"] * np.exp(-squared / 2)), float(np.sqrt(squared))
    if kind == "triangular":
        if not value["min"] <= value["likeliest"] <= value["max"]:
            raise ParameterError(
                f"likeliest: got {value['likeliest']:g}; must be within {value['min']:g} to {value['max']:g}"
            )
        return value["likeliest"], 0.0
    return (value["mean"], value["deviation"]) if kind == "normal" else (0.0, 0.0)


def quantile(
    kind: str, fraction: Any, centre: float, spread: float, low: float | None, high: float | None
) -> np.ndarray:
    """Return values at fractions 0 to 1 of a normal, lognormal or triangular distribution, truncated to a range.

    `centre` and `spread` are mean and deviation (normal), median and deviation of the logarithm (lognormal), or the
    likeliest value and 0 (triangular).
    """
    fraction = np.asarray(fraction, float)
    if kind == "triangular":
        assert low is not None
        assert high is not None
        width, rise = high - low, (centre - low) / (high - low)
        left = low + width * np.sqrt(fraction * rise)
        return np.where(fraction < rise, left, high - width * np.sqrt((1 - fraction) * (1 - rise)))

    def normal(value: float) -> float:
        if kind == "normal":
            return (value - centre) / spread
        return float(np.log(value / centre) / spread) if value > 0 else -np.inf

    begin = 0.0 if low is None else float(ndtr(normal(low)))
    end = 1.0 if high is None else float(ndtr(normal(high)))
    if not end > begin:
        raise ParameterError(f"the range from {low} to {high} has no probability; widen it")
    z = ndtri(np.clip(begin + (end - begin) * fraction, _INSIDE, 1 - _INSIDE))
    values = centre + spread * z if kind == "normal" else centre * np.exp(spread * z)
    return np.clip(values, low, high)


def correlate(fractions: np.ndarray, names: Sequence[str], correlations: Sequence[Correlation]) -> np.ndarray:
    """Return fractions of correlated parameters from independent ones, one column per parameter.

    Raises
    ------
    ParameterError
        If the correlations are not possible together.
    """
    matrix = np.eye(len(names))
    for first, second, value in correlations:
        i, j = names.index(first), names.index(second)
        matrix[i, j] = matrix[j, i] = value
    try:
        factor = np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError as error:
        eigenvalue = float(np.linalg.eigvalsh(matrix).min())
        raise ParameterError(
            "correlation: these correlations are not possible together (the matrix has an eigenvalue of "
            f"{eigenvalue:.2g}); reduce them"
        ) from error
    return ndtr(ndtri(np.clip(fractions, _INSIDE, 1 - _INSIDE)) @ factor.T)


def read_correlations(entries: Any, names: Sequence[str], faults: list[Fault]) -> tuple[Correlation, ...]:
    """Return the correlated pairs of `[[correlation]]`; `names` are the numeric parameters."""
    if not isinstance(entries, list):
        faults.append(
            Fault("correlation", f"got {format_value(entries)}; expected a list of tables, [[correlation]]")
        )
        return ()
    correlations: dict[frozenset[str], Correlation] = {}
    for i, entry in enumerate(entries):
        path = f"correlation.{i}"
        if not isinstance(entry, Mapping) or set(entry) != set(CORRELATION_KEYS):
            new = [new_name("keys.campaign.correlation", str(key)) for key in entry or ()]
            hint = f"; {remark(next(filter(None, new)))}" if any(new) else ""
            text = f"got {format_value(entry)}; expected the keys parameters (two names) and coefficient"
            faults.append(Fault(path, text + hint))
            continue
        pair, value = entry["parameters"], entry["coefficient"]
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
            faults.append(
                Fault(f"{path}.parameters", f"got {format_value(pair)}; expected the names of two parameters")
            )
        elif unknown := [name for name in pair if name not in names]:
            text = str(UnknownNameError("numeric parameter", unknown[0], names))
            faults.append(Fault(f"{path}.parameters", text))
        elif pair[0] == pair[1] or frozenset(pair) in correlations:
            text = f"got {format_value(pair)}; expected two different parameters, and each pair once"
            faults.append(Fault(f"{path}.parameters", text))
        elif not isinstance(value, int | float) or isinstance(value, bool) or not -1 < value < 1:
            faults.append(
                Fault(f"{path}.coefficient", f"got {format_value(value)}; must be above -1 and below 1")
            )
        else:
            correlations[frozenset(pair)] = (pair[0], pair[1], float(value))
    return tuple(correlations.values())
