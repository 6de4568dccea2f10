r"""Time histories of a delay equation, and the growth rate read from a trace.

Runge-Kutta of order four. A delayed state is read *inside* each stage from the past, by the cubic Hermite
polynomial through two stored states and their slopes; so the delay is exact to the order of the method and
need not be a whole number of steps. A loop that holds the measured force over a step is something else: it
is later by half a step (see `sampled`).
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

STAGES = (0.0, 0.5, 1.0)  # of a step, at which Runge-Kutta looks at the past and at the forcing


class DelaySolution(NamedTuple):
    """A solution on a uniform grid."""

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
        f(t), of shape (n,); none by default.
    t_end, dt
        End and step [s]. The shortest delay must not be shorter than the step.
    history
        The state before and at t = 0: a constant (n,), or a function of time. Zero by default.
    """
    if equation.taus.size and equation.taus[0] < dt:
        raise StepSizeError(
            f"integrate: a step of {dt:g} s is longer than the shortest delay, {equation.taus[0]:g} s; "
            f"take a step of at most {equation.taus[0]:g} s"
        )
    n, steps = equation.order, round(t_end / dt)
    times = dt * (np.arange(steps)[:, None] + np.array(STAGES))
    f = np.zeros((steps, 3, n)) if forcing is None else _values(jax.vmap(_floats(forcing)))(times)

    reach = int(np.ceil(equation.longest / dt)) + 2
    kept = 32 * (reach // 32 + 1)  # in lots, so that another delay seldom compiles anew
    knots = dt * np.arange(-kept, 1)
    if callable(history):
        x, slope = _values(lambda t: jax.jvp(_floats(history), (t,), (jnp.ones(()),)))(knots)
    else:
        x = slope = np.zeros((kept + 1, n))
        x = x if history is None else x + jnp.asarray(history, dtype=float)
    states = _march(equation.A0, equation.As, equation.taus / dt, dt, f, x, slope)
    return DelaySolution(jnp.asarray(dt * np.arange(steps + 1)), states)


def _floats(function):
    return lambda t: jnp.asarray(function(t), dtype=float)


def _values(function):
    """A function at many times, in one program: piece by piece each of its operations would be one."""
    return jax.jit(jax.vmap(function))


@jax.jit
def _march(A0, As, lags, dt, f, x_past, slope_past):
    """All states from t = 0; lags in steps, past knots oldest first."""
    kept, steps = x_past.shape[0] - 1, f.shape[0]
    size = kept + steps + 1
    states = jnp.zeros((size, x_past.shape[1])).at[: kept + 1].set(x_past)
    # a slope may jump at t = 0, so each interval has the slopes of its own two ends
    first = jnp.zeros_like(states).at[: kept + 1].set(slope_past)
    second = jnp.zeros_like(states).at[:kept].set(slope_past[1:])

    def late(states, first, second, i, stage):
        """sum_j A_j x(t_i + stage dt - tau_j)."""
        back = lags - stage  # in steps before knot i, not negative
        knots_back = jnp.ceil(back - 1e-12).astype(int)
        u = knots_back - back  # place within the interval that begins at knot i - knots_back
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
        # this slope begins one interval and ends the last one, which short delays read from here on
        first = first.at[i].set(slope)
        second = second.at[i - 1].set(jnp.where(i > kept, slope, second[i - 1]))
        past = {
            0.5: late(states, first, second, i, 0.5) + half,
            1.0: late(states, first, second, i, 1.0) + full,
        }
        x = RK4.tableau.step(lambda share, at: A0 @ at + past[share], x, dt, first=slope)
        return (states.at[i + 1].set(x), first, second, x, i + 1), None

    carry = (states, first, second, x_past[-1], jnp.asarray(kept))
    (states, *_), _ = jax.lax.scan(step, carry, [f[:, 0], f[:, 1], f[:, 2]])
    return states[kept:]


def growth_rate(time: ArrayLike, trace: ArrayLike) -> float:
    """Exponential growth [1/s] of one oscillation: a line through the logarithms of its peaks.

    Negative for decay. The trace should hold one oscillation about zero; for one that is mixed with a
    forced response use `exponentials`.
    """
    t, x = np.asarray(time, dtype=float), np.asarray(trace, dtype=float)
    size = np.abs(x)
    peaks = find_peaks(size)
    if peaks.size < 3:
        raise AnalysisError(f"growth_rate: found {peaks.size} peaks in the trace; three at least are needed")
    # the vertex of the parabola through three samples, as a sample seldom hits the peak
    left, middle, right = size[peaks - 1], size[peaks], size[peaks + 1]
    curve = left - 2 * middle + right
    shift = 0.5 * (left - right) / np.where(curve == 0, -np.inf, curve)
    height = middle - 0.25 * (left - right) * shift
    when = t[peaks] + shift * (t[1] - t[0])
    return float(np.polyfit(when - when.mean(), np.log(height), 1)[0])


def exponentials(time: ArrayLike, trace: ArrayLike, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Exponents [1/s] and amplitudes of the `count` exponentials that make up a uniformly sampled trace.

    Matrix-pencil fit [Hua & Sarkar 1990]. A real trace counts each complex pair as two; a forced
    response appears with a real part of zero. Sorted by amplitude, largest first.
    """
    t, x = np.asarray(time, dtype=float), np.asarray(trace, dtype=float)
    thin = max(1, x.size // 600)  # a pencil of a few hundred rows is enough, and quick
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
