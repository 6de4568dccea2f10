"""Time histories of a delay equation, and the growth rate of a signal.

Fourth-order Runge-Kutta. A delayed state is evaluated *inside* each stage by the cubic Hermite polynomial through two
stored states and their slopes. The delay therefore has the accuracy of the method and need not be a multiple of the
step. A loop that holds the measured force over a step has half a step more delay (see `sampled`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from dovetail.core import RK4
from dovetail.core.array_types import Numbers
from dovetail.core.errors import AnalysisError, StepSizeError
from dovetail.core.peaks import find_peaks
from dovetail.stability.delay_equation import DelayEquation

STAGES = (0.0, 0.5, 1.0)  # fractions of a step at which Runge-Kutta evaluates delayed states and forcing


class DelaySolution(NamedTuple):
    """Solution on a uniform grid."""

    time: jax.Array  # [s], (steps + 1,)
    state: jax.Array  # (steps + 1, n)


def integrate(
    equation: DelayEquation,
    forcing: Callable[[jax.Array], ArrayLike] | None = None,
    t_end: float = 1.0,
    dt: float = 1e-3,
    *,
    history: Numbers | Callable[[jax.Array], ArrayLike] | None = None,
) -> DelaySolution:
    """Solve x' = A0 x + sum A_i x(t - tau_i) + f(t) from t = 0.

    Parameters
    ----------
    forcing
        f(t), of shape (n,) (default: zero).
    t_end, dt
        End and step [s]. The step must not exceed the shortest delay.
    history
        State before and at t = 0: a constant (n,) or a function of time (default: zero).
    """
    if equation.taus.size and equation.taus[0] < dt:
        raise StepSizeError(
            f"integrate.dt: got {dt:g} s, longer than the shortest delay, {equation.taus[0]:g} s; "
            f"use a step of at most {equation.taus[0]:g} s"
        )
    n, steps = equation.order, round(t_end / dt)
    times = dt * (np.arange(steps)[:, None] + np.array(STAGES))
    f = np.zeros((steps, 3, n)) if forcing is None else _values(jax.vmap(_floats(forcing)))(times)

    reach = int(np.ceil(equation.max_delay / dt)) + 2
    past_steps = 32 * (reach // 32 + 1)  # multiples of 32, so that a changed delay rarely needs recompilation
    knots = dt * np.arange(-past_steps, 1)
    if callable(history):
        x, slope = _values(lambda t: jax.jvp(_floats(history), (t,), (jnp.ones(()),)))(knots)
    else:
        x = slope = np.zeros((past_steps + 1, n))
        x = x if history is None else x + jnp.asarray(history, dtype=float)
    states = _march(equation.A0, equation.As, equation.taus / dt, dt, f, x, slope)
    return DelaySolution(jnp.asarray(dt * np.arange(steps + 1)), states)


def _floats(function):
    return lambda t: jnp.asarray(function(t), dtype=float)


def _values(function):
    """Vectorise a function over many times and compile it as one program."""
    return jax.jit(jax.vmap(function))


@jax.jit
def _march(A0, As, lags, dt, f, x_past, slope_past):
    """Return all states from t = 0; lags in steps, past knots oldest first."""
    past_steps, steps = x_past.shape[0] - 1, f.shape[0]
    size = past_steps + steps + 1
    states = jnp.zeros((size, x_past.shape[1])).at[: past_steps + 1].set(x_past)
    # a slope may jump at t = 0, so each interval stores the slopes at its two ends
    first = jnp.zeros_like(states).at[: past_steps + 1].set(slope_past)
    second = jnp.zeros_like(states).at[:past_steps].set(slope_past[1:])

    def late(states, first, second, i, stage):
        """sum_j A_j x(t_i + stage dt - tau_j)."""
        back = lags - stage  # in steps before knot i, not negative
        knots_back = jnp.ceil(back - 1e-12).astype(int)
        u = knots_back - back  # position within the interval that starts at knot i - knots_back
        j = i - knots_back
        h00, h01 = (1 + 2 * u) * (1 - u) ** 2, u * u * (3 - 2 * u)
        h10, h11 = u * (1 - u) ** 2, u * u * (u - 1)
        value = h00[:, None] * states[j] + h01[:, None] * states[j + 1]
        value += dt * (h10[:, None] * first[j] + h11[:, None] * second[j])
        return jnp.einsum("jab,jb->a", As, value)

    def step(carry, inputs):
        states, first, second, x, i = carry
        input_now, half, full = inputs
        slope = A0 @ x + late(states, first, second, i, 0.0) + input_now
        # this slope is the start of one interval and the end of the previous one; short delays read it from here on
        first = first.at[i].set(slope)
        second = second.at[i - 1].set(jnp.where(i > past_steps, slope, second[i - 1]))
        past = {
            0.5: late(states, first, second, i, 0.5) + half,
            1.0: late(states, first, second, i, 1.0) + full,
        }
        x = RK4.tableau.step(lambda share, at: A0 @ at + past[share], x, dt, first=slope)
        return (states.at[i + 1].set(x), first, second, x, i + 1), None

    carry = (states, first, second, x_past[-1], jnp.asarray(past_steps))
    (states, *_), _ = jax.lax.scan(step, carry, [f[:, 0], f[:, 1], f[:, 2]])
    return states[past_steps:]


def growth_rate(time: ArrayLike, trace: ArrayLike) -> float:
    """Return the exponential growth rate [1/s] of one oscillation: a line through the logarithms of its peaks.

    Negative for decay. The signal should be one oscillation about zero; for a mixture with a forced response use
    `exponentials`.
    """
    t, x = np.asarray(time, dtype=float), np.asarray(trace, dtype=float)
    size = np.abs(x)
    peaks = find_peaks(size)
    if peaks.size < 3:
        raise AnalysisError(f"growth_rate: got a signal with {peaks.size} peaks; expected at least three")
    # vertex of the parabola through three samples, because a peak is usually between samples
    left, middle, right = size[peaks - 1], size[peaks], size[peaks + 1]
    curve = left - 2 * middle + right
    shift = 0.5 * (left - right) / np.where(curve == 0, -np.inf, curve)
    height = middle - 0.25 * (left - right) * shift
    when = t[peaks] + shift * (t[1] - t[0])
    return float(np.polyfit(when - when.mean(), np.log(height), 1)[0])


def exponentials(time: ArrayLike, trace: ArrayLike, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return exponents [1/s] and amplitudes of the `count` exponentials in a uniformly sampled signal.

    Matrix-pencil fit [Hua & Sarkar 1990]. In a real signal each complex pair counts as two; a forced response has a
    real part of zero. Sorted by amplitude, largest first.
    """
    t, x = np.asarray(time, dtype=float), np.asarray(trace, dtype=float)
    thin = max(1, x.size // 600)  # a pencil of a few hundred rows is accurate enough
    t, x = t[::thin], x[::thin]
    rows = x.size // 3
    hankel = np.lib.stride_tricks.sliding_window_view(x, rows + 1)
    _, _, Vh = np.linalg.svd(hankel, full_matrices=False)
    signal = Vh[:count].T
    shift = np.linalg.lstsq(signal[:-1], signal[1:], rcond=None)[0]
    z = np.linalg.eigvals(shift).astype(complex)
    basis = z[None, :] ** np.arange(x.size)[:, None]
    amplitudes = np.linalg.lstsq(basis, x.astype(complex), rcond=None)[0]
    order = np.argsort(-np.abs(amplitudes))
    return np.log(z[order]) / (t[1] - t[0]), amplitudes[order]
