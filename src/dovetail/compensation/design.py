r"""Design of a polynomial predictor: usable horizon, noise gain, order and window.

The prediction of a sine of frequency f, sampled every :math:`\Delta t`, by P samples multiplies the sine by
:math:`\sum_i w_i e^{-i\omega i\Delta t}` instead of :math:`e^{i\omega P\Delta t}`. The relative error

.. math:: \varepsilon = \left|\sum_i w_i(P)\, e^{-j\omega i\Delta t}\, e^{-j\omega P\Delta t} - 1\right|

gives the largest usable horizon at a frequency (`max_horizon`) and the frequency at which even one sample cannot be
predicted (`predictor_frequency`). The published curves [1]_ do not state their criterion; 10 % and 1.5 % reproduce
them.

`design_predictor` follows the published seven steps and records each decision with its reason.

References
----------
.. [1] Wallace, PhD thesis, University of Bristol, 2006, sections 4.3.3 and 4.3.4.
"""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike

from dovetail.compensation.forward_prediction import ForwardPrediction
from dovetail.compensation.polynomial import fit_matrix
from dovetail.core.errors import AnalysisError, ParameterError

MAX_ORDER = 8  # higher orders fit better, but noise and instability outweigh it


def prediction_error(
    order: int, window: int, horizon: ArrayLike, frequency: ArrayLike, dt: float
) -> np.ndarray:
    """Return the relative error of the prediction of a sine of `frequency` [Hz] by `horizon` samples of `dt` [s].

    The magnitude of the difference of two phasors, so amplitude and phase errors are included. `horizon` and
    `frequency` broadcast against each other.

    >>> round(float(prediction_error(4, 20, 18.0, 10.0, 1e-3)), 3)
    0.106
    """
    horizon, frequency = np.broadcast_arrays(np.asarray(horizon, float), np.asarray(frequency, float))
    angle = 2j * np.pi * frequency * dt
    past = np.exp(-angle[..., None] * np.arange(window))
    return np.asarray(
        np.abs(np.sum(_weights(order, window, horizon) * past, axis=-1) * np.exp(-angle * horizon) - 1.0)
    )


def noise_gain(order: int, window: int, horizon: ArrayLike) -> np.ndarray:
    """Return the factor by which the prediction amplifies white noise: the norm of its weights.

    >>> round(float(noise_gain(2, 10, 9.4)), 1)
    8.2
    """
    return np.asarray(np.linalg.norm(_weights(order, window, np.asarray(horizon, float)), axis=-1))


def max_horizon(
    order: int, window: int, frequency: float, dt: float, *, tolerance: float = 0.1, limit: float = 1000.0
) -> float:
    """Return the largest horizon [samples] up to which a sine of `frequency` [Hz] is predicted within `tolerance`.

    Zero if even the smoothed current sample is outside the tolerance; `limit` if no horizon up to it is.
    """
    horizons = np.arange(0.0, limit + 0.125, 0.25)
    outside = prediction_error(order, window, horizons, frequency, dt) > tolerance
    if not outside.any():
        return limit
    first = int(np.argmax(outside))
    if first == 0:
        return 0.0
    low, high = horizons[first - 1], horizons[first]
    for _ in range(40):  # bisection: the error grows with the horizon
        middle = (low + high) / 2
        if prediction_error(order, window, middle, frequency, dt) > tolerance:
            high = middle
        else:
            low = middle
    return float(low)


def predictor_frequency(
    order: int, window: int, dt: float, *, tolerance: float = 0.015, horizon: float = 1.0
) -> float:
    """Return the frequency [Hz] above which `horizon` samples cannot be predicted within `tolerance`."""
    frequencies = np.linspace(0.0, 0.5 / dt, 2001)
    error = prediction_error(order, window, horizon, frequencies, dt)
    outside = error > tolerance
    if not outside.any():
        return float(frequencies[-1])
    first = int(np.argmax(outside))
    return float(np.interp(tolerance, error[first - 1 : first + 1], frequencies[first - 1 : first + 1]))


def window_range(order: int) -> tuple[int, int]:
    """Return the shortest and longest recommended window of an order, N + 1 <= n <= 4 N."""
    return order + 1, max(4 * order, order + 1)


def check_predictor(
    order: int,
    window: int,
    *,
    delay: float,
    frequency: float,
    dt: float,
    tolerance: float = 0.1,
    recording: int | None = None,
) -> tuple[str, ...]:
    """Return remarks on a predictor for a delay [s] and signals up to a frequency [Hz]; empty if it is suitable.

    `recording` is the number of samples of the test, if known.
    """
    remarks = []
    horizon, reach = delay / dt, max_horizon(order, window, frequency, dt, tolerance=tolerance)
    if horizon > reach:
        error = float(prediction_error(order, window, horizon, frequency, dt))
        remarks.append(
            f"the horizon of {horizon:.4g} samples is beyond the usable range: at {frequency:g} Hz order "
            f"{order} over {window} samples reaches {reach:.4g} within {tolerance:.3g}; its error at this horizon is "
            f"{error:.2g}; raise the order or shorten the window"
        )
    limit = predictor_frequency(order, window, dt)
    if frequency > limit:
        remarks.append(
            f"signals of {frequency:g} Hz are above the predictor frequency, {limit:.3g} Hz; shorten the window or dt"
        )
    shortest, longest = window_range(order)
    if not shortest <= window <= longest:
        remarks.append(
            f"a window of {window} samples is outside the recommended {shortest} to {longest} samples of order {order}"
        )
    if order > MAX_ORDER:
        remarks.append(f"order {order} is above {MAX_ORDER}: noise and instability outweigh the better fit")
    if recording is not None and window > recording:
        remarks.append(
            f"the window of {window} samples is longer than the recording of {recording}: it never fills, so "
            "there is no prediction"
        )
    return tuple(remarks)


@dataclasses.dataclass(frozen=True)
class Decision:
    """One step of a design: subject, choice and reason."""

    step: int
    subject: str
    choice: str
    reason: str

    def __str__(self) -> str:
        return f"{self.step}. {self.subject}: {self.choice} ({self.reason})"


@dataclasses.dataclass(frozen=True)
class PredictorDesign:
    """Predictor with the decisions of its design and the remarks on it."""

    order: int
    window: int
    delay: float  # [s]
    dt: float  # [s]
    decisions: tuple[Decision, ...]
    remarks: tuple[str, ...]

    def compensator(self) -> ForwardPrediction:
        """Return the designed forward prediction."""
        return ForwardPrediction(jnp.asarray(self.delay), order=self.order, window=self.window)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.decisions), *(f"note: {remark}" for remark in self.remarks)])


def design_predictor(
    *,
    dt: float,
    frequency: float,
    delay: float,
    safety_factor: float = 1.5,
    tolerance: float = 0.05,
    max_noise_gain: float = np.inf,
    compute_time: float | None = None,
    recording: int | None = None,
) -> PredictorDesign:
    """Return order and window for a test, by the seven published steps, with each decision.

    Parameters
    ----------
    dt, delay : float
        Sample time and delay of the transfer system [s].
    frequency, safety_factor : float
        Highest frequency of the test [Hz], and the factor on it.
    tolerance : float
        Largest accepted relative prediction error at that frequency.
    max_noise_gain : float
        Largest accepted noise gain.
    compute_time : float, optional
        Measured time of one tick [s].
    recording : int, optional
        Number of samples of the test.

    Raises
    ------
    AnalysisError
        If no order up to 8 predicts over the delay within the tolerance.

    Examples
    --------
    >>> design = design_predictor(dt=1e-3, frequency=5.0, delay=9.4e-3)
    >>> design.order, design.window
    (2, 8)
    """
    if dt <= 0 or frequency <= 0 or delay < 0 or safety_factor < 1:
        raise ParameterError(
            f"design_predictor: got dt = {dt:g} s, frequency = {frequency:g} Hz, delay = {delay:g} s and "
            f"safety_factor = {safety_factor:g}; expected dt and frequency above 0, a delay of at least 0 "
            "and a safety factor of at least 1"
        )
    decisions: list[Decision] = []
    remarks: list[str] = []

    def decide(subject: str, choice: str, reason: str) -> None:
        decisions.append(Decision(len(decisions) + 1, subject, choice, reason))

    measured = "not measured" if compute_time is None else f"a tick takes {1e3 * compute_time:.3g} ms"
    decide("sample time", f"{1e3 * dt:.4g} ms", f"shortest that runs in real time; {measured}")
    if compute_time is not None and compute_time > dt:
        remarks.append(
            f"a tick takes {1e3 * compute_time:.3g} ms, longer than the sample time of {1e3 * dt:.3g} ms; "
            "lengthen dt"
        )
    f_test = safety_factor * frequency
    reason = f"{frequency:g} Hz with a safety factor of {safety_factor:g}"
    decide("test frequency", f"{f_test:.4g} Hz", reason)
    horizon = delay / dt
    decide("horizon", f"{horizon:.4g} samples", f"delay of {1e3 * delay:.4g} ms")

    order, window = _order_and_window(horizon, f_test, dt, tolerance, max_noise_gain)
    shortest, longest = window_range(order)
    error = float(prediction_error(order, window, horizon, f_test, dt))
    gain = float(noise_gain(order, window, horizon))
    decide("order", str(order), f"lowest that predicts {f_test:.4g} Hz within {tolerance:.3g}")
    decide(
        "window",
        f"{window} samples",
        f"longest of {shortest} to {longest} that meets the limits: error {error:.2g}, noise gain {gain:.3g}",
    )
    reach = {
        f: max_horizon(order, window, f, dt, tolerance=tolerance) for f in (f_test / 2, f_test, 2 * f_test)
    }
    limit = predictor_frequency(order, window, dt)
    horizons = ", ".join(f"{p:.4g} at {f:.4g} Hz" for f, p in reach.items())
    decide("coherence", f"predictor frequency {limit:.3g} Hz", f"max. horizon {horizons}")
    remarks += check_predictor(
        order, window, delay=delay, frequency=f_test, dt=dt, tolerance=tolerance, recording=recording
    )
    verdict = "suitable" if not remarks else "see the notes"
    decide(
        "verdict", verdict, f"horizon {horizon:.4g} of {reach[f_test]:.4g}, {f_test:.3g} of {limit:.3g} Hz"
    )
    return PredictorDesign(order, window, delay, dt, tuple(decisions), tuple(remarks))


def _order_and_window(
    horizon: float, frequency: float, dt: float, tolerance: float, max_noise_gain: float
) -> tuple[int, int]:
    """Return the lowest order, and its longest window, within tolerance and noise gain."""
    best = (np.inf, 0, 0)
    for order in range(1, MAX_ORDER + 1):
        shortest, longest = window_range(order)
        for window in range(longest, shortest - 1, -1):
            error = float(prediction_error(order, window, horizon, frequency, dt))
            noise_accepted = float(noise_gain(order, window, horizon)) <= max_noise_gain
            if error <= tolerance and noise_accepted:
                return order, window
            best = min(best, (error if noise_accepted else np.inf, order, window))
    error, order, window = best
    if not np.isfinite(error):
        raise AnalysisError(
            f"no order up to {MAX_ORDER} predicts {horizon:.4g} samples with a noise gain of at most "
            f"{max_noise_gain:.3g}; accept more noise or make the actuator faster"
        )
    reach = max_horizon(order, window, frequency, dt, tolerance=tolerance)
    raise AnalysisError(
        f"no order up to {MAX_ORDER} predicts {horizon:.4g} samples at {frequency:.4g} Hz within "
        f"{tolerance:.3g}: the best, order {order} over {window} samples, has an error of {error:.2g} and a "
        f"horizon of {reach:.4g} samples; lower the frequency, make the actuator faster, or invert a model of it"
    )


def _weights(order: int, window: int, horizon: np.ndarray) -> np.ndarray:
    """Return `predictor_weights` in NumPy, without a compilation for each size; samples along the last axis."""
    s = 1.0 + 2.0 * horizon / max(window - 1, 1)
    rows = np.polynomial.legendre.legvander(np.ravel(s), order).reshape(*np.shape(s), order + 1)
    return np.asarray(rows @ fit_matrix(order, window))
