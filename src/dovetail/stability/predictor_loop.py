r"""A polynomial predictor inside the loop: for which prediction lengths is the test stable?

The delayed signal is replaced by its prediction, delayed:
:math:`z(t-\tau) \to \sum_{i=0}^{n-1} w_i(p)\,z(t-\tau-i\,\Delta t)`, with the least-squares weights of
prediction length p. A delay equation with one delay becomes one with n [Wallace 2006, sec. 5.5]. Too short a
prediction leaves too much delay; too long a one lets a *different* root pair cross, set by the predictor
rather than by the structure, and so gives the forward limit :math:`\tau_f=\tau-p_{max}`.

The samples are taken as continuously available here; a loop that holds the force is later by half a sample.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dovetail.compensation.polynomial import predictor_weights
from dovetail.stability.continuation import StableRange, stable_ranges
from dovetail.stability.delay_equation import DelayEquation


def predictor_taps(order: int, window: int, horizon: float, dt: float) -> list[tuple[float, float]]:
    """Weight and age [s] of each sample that a predictor of length `horizon` [s] uses, newest first."""
    weights = np.asarray(predictor_weights(order, window, horizon / dt))
    return [(float(w), i * dt) for i, w in enumerate(weights)]


def with_predictor(
    equation: DelayEquation, *, order: int, window: int, horizon: float, dt: float
) -> DelayEquation:
    """The equation with every delayed term predicted ahead by `horizon` [s] from samples `dt` [s] apart."""
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
    """Intervals of prediction length [s] within [low, high] in which the test is stable.

    Parameters
    ----------
    equation
        The test without predictor; or, for a test whose predictor acts on some delayed terms only, the
        equation as a function of the prediction length.
    points
        Intervals to look at; a stable or unstable stretch much shorter than one may be missed.
    """
    if callable(equation):
        family = equation
    else:
        family = lambda p: with_predictor(equation, order=order, window=window, horizon=p, dt=dt)  # noqa: E731
    return stable_ranges(family, low, high, points=points)


def forward_limit(equation: DelayEquation, ranges: list[StableRange]) -> float:
    """Largest lead [s], negative, that the predictor may reach: longest delay less longest stable prediction.

    Minus infinite if the search ended before stability did.
    """
    last = ranges[-1]
    return -np.inf if last.upper is None else equation.longest - last.high
