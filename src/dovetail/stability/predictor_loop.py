r"""Polynomial predictor in the loop: prediction lengths for which the test is stable.

The delayed signal is replaced by its delayed prediction:
:math:`z(t-\tau) \to \sum_{i=0}^{n-1} w_i(p)\,z(t-\tau-i\,\Delta t)`, with the least-squares weights of prediction
length p. A delay equation with one delay becomes one with n delays [Wallace 2006, sec. 5.5]. A prediction that is too
short leaves too much delay. A prediction that is too long destabilises a *different* root pair, which depends on the
predictor rather than on the structure. This gives the forward limit :math:`\tau_f=\tau-p_{max}`.

The samples are treated as continuously available; a loop that holds the force has half a sample more delay.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dovetail.compensation.polynomial import predictor_weights
from dovetail.stability.continuation import StableRange, stable_ranges
from dovetail.stability.delay_equation import DelayEquation


def predictor_taps(order: int, window: int, horizon: float, dt: float) -> list[tuple[float, float]]:
    """Return weight and age [s] of each sample in a prediction of length `horizon` [s], newest first."""
    weights = np.asarray(predictor_weights(order, window, horizon / dt))
    return [(float(w), i * dt) for i, w in enumerate(weights)]


def with_predictor(
    equation: DelayEquation, *, order: int, window: int, horizon: float, dt: float
) -> DelayEquation:
    """Return the equation with every delayed term predicted by `horizon` [s] from samples `dt` [s] apart."""
    taps = predictor_taps(order, window, horizon, dt)
    terms = [(w * A, tau + age) for A, tau in zip(equation.As, equation.taus, strict=True) for w, age in taps]
    return DelayEquation(equation.A0, terms)


def stable_horizons(
    equation: DelayEquation | Callable[[float], DelayEquation],
    *,
    order: int,
    window: int,
    dt: float,
    low: float = 0.0,
    high: float = 0.05,
    points: int = 100,
) -> list[StableRange]:
    """Return the intervals of prediction length [s] within [low, high] in which the test is stable.

    Parameters
    ----------
    equation
        Test without predictor; or, if the predictor acts on some delayed terms only, the equation as a function of the
        prediction length.
    points
        Number of search intervals; a stable or unstable range much shorter than one interval may be missed.
    """
    if callable(equation):
        family = equation
    else:
        family = lambda p: with_predictor(equation, order=order, window=window, horizon=p, dt=dt)  # noqa: E731
    return stable_ranges(family, low, high, points=points)


def forward_limit(equation: DelayEquation, ranges: list[StableRange]) -> float:
    """Return the largest stable lead [s], negative: largest delay minus longest stable prediction.

    Minus infinite if stability is not lost within the search range.
    """
    last = ranges[-1]
    return -np.inf if last.upper is None else equation.max_delay - last.high
