r"""Design of a polynomial predictor: how far it reaches, what it does to noise, which order and window.

A sine of frequency f sampled every :math:`\Delta t` and predicted by P samples comes out multiplied by
:math:`\sum_i w_i e^{-i\omega i\Delta t}` where :math:`e^{i\omega P\Delta t}` is wanted. The relative error

.. math:: \varepsilon = \left|\sum_i w_i(P)\, e^{-j\omega i\Delta t}\, e^{-j\omega P\Delta t} - 1\right|

is the measure used throughout. From it follow the longest useful horizon at a frequency (`longest_horizon`)
and the frequency at which not even one sample can be predicted (`predictor_frequency`). The published curves
[1]_ do not state their criterion; 10 % and 1.5 % reproduce them.

`design_predictor` walks through the published seven steps and writes down each decision with its reason.

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

HIGHEST_ORDER = 8  # above it noise and instability leave nothing of the better fit


def prediction_error(
    order: int, window: int, horizon: ArrayLike, frequency: ArrayLike, dt: float
) -> np.ndarray:
    """Relative error with which a sine of `frequency` [Hz] is predicted by `horizon` samples of `dt` [s].

    Amplitude and phase error together: the length of the difference of two phasors. `horizon` and
    `frequency` broadcast against each other.

    >>> round(float(prediction_error(4, 20, 18.0, 10.0, 1e-3)), 3)
    0.106
    """
    horizon, frequency = np.broadcast_arrays(np.asarray(horizon, float), np.asarray(frequency, float))
    turn = 2j * np.pi * frequency * dt
    past = np.exp(-turn[..., None] * np.arange(window))
    return np.abs(np.sum(_weights(order, window, horizon) * past, axis=-1) * np.exp(-turn * horizon) - 1.0)


def noise_gain(order: int, window: int, horizon: ArrayLike) -> np.ndarray:
    """Factor by which the prediction multiplies white noise: the norm of its weights.

    >>> round(float(noise_gain(2, 10, 9.4)), 1)
    8.2
    """
    return np.linalg.norm(_weights(order, window, np.asarray(horizon, float)), axis=-1)


def longest_horizon(
    order: int, window: int, frequency: float, dt: float, *, tolerance: float = 0.1, most: float = 1000.0
) -> float:
    """Longest horizon [samples] up to which a sine of `frequency` [Hz] is predicted within `tolerance`.

    Zero where even the smoothed present is outside it; `most` where nothing up to there is.
    """
    horizons = np.arange(0.0, most + 0.125, 0.25)
    outside = prediction_error(order, window, horizons, frequency, dt) > tolerance
    if not outside.any():
        return most
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
    """Frequency [Hz] from which not even `horizon` (one sample) can be predicted within `tolerance`."""
    frequencies = np.linspace(0.0, 0.5 / dt, 2001)
    error = prediction_error(order, window, horizon, frequencies, dt)
    outside = error > tolerance
    if not outside.any():
        return float(frequencies[-1])
    first = int(np.argmax(outside))
    return float(np.interp(tolerance, error[first - 1 : first + 1], frequencies[first - 1 : first + 1]))


def guideline(order: int) -> tuple[int, int]:
    """Shortest and longest window that suit an order, N + 1 <= n <= 4 N."""
    return order + 1, max(4 * order, order + 1)


def predictor_remarks(
    order: int,
    window: int,
    *,
    delay: float,
    frequency: float,
    dt: float,
    tolerance: float = 0.1,
    recording: int | None = None,
) -> tuple[str, ...]:
    """What speaks against a predictor for a delay [s] and signals up to a frequency [Hz], in sentences.

    `recording` is the number of samples there will be, if known.
    """
    remarks = []
    horizon, reach = delay / dt, longest_horizon(order, window, frequency, dt, tolerance=tolerance)
    if horizon > reach:
        error = float(prediction_error(order, window, horizon, frequency, dt))
        remarks.append(
            f"the horizon of {horizon:.4g} samples is beyond the usable range: at {frequency:g} Hz order "
            f"{order} over {window} samples reaches {reach:.4g} within {tolerance:.3g}, and errs by "
            f"{error:.2g} there; raise the order or shorten the window"
        )
    limit = predictor_frequency(order, window, dt)
    if frequency > limit:
        remarks.append(
            f"signals of {frequency:g} Hz are above the predictor's {limit:.3g} Hz; shorten the window or dt"
        )
    shortest, longest = guideline(order)
    if not shortest <= window <= longest:
        remarks.append(
            f"a window of {window} samples is outside {shortest} to {longest}, which suit order {order}"
        )
    if order > HIGHEST_ORDER:
        remarks.append(
            f"order {order} is above {HIGHEST_ORDER}: noise and instability outweigh the better fit"
        )
    if recording is not None and window > recording:
        remarks.append(
            f"the window of {window} samples is longer than the recording of {recording}: it never fills and "
            "nothing is predicted"
        )
    return tuple(remarks)


@dataclasses.dataclass(frozen=True)
class Decision:
    """One step of a design: what was decided, and why."""

    step: int
    subject: str
    choice: str
    reason: str

    def __str__(self) -> str:
        return f"{self.step}. {self.subject}: {self.choice} ({self.reason})"


@dataclasses.dataclass(frozen=True)
class PredictorDesign:
    """A predictor, with the decisions that led to it and what still speaks against it."""

    order: int
    window: int
    delay: float  # [s]
    dt: float  # [s]
    decisions: tuple[Decision, ...]
    remarks: tuple[str, ...]

    def compensator(self) -> ForwardPrediction:
        """The constant forward prediction so designed."""
        return ForwardPrediction(jnp.asarray(self.delay), order=self.order, window=self.window)

    def __str__(self) -> str:
        return "\n".join([*map(str, self.decisions), *(f"note: {remark}" for remark in self.remarks)])


def design_predictor(
    *,
    dt: float,
    frequency: float,
    delay: float,
    safety: float = 1.5,
    tolerance: float = 0.05,
    largest_noise_gain: float = np.inf,
    compute_time: float | None = None,
    recording: int | None = None,
) -> PredictorDesign:
    """Order and window for a test, by the seven published steps, each decision recorded.

    Parameters
    ----------
    dt, delay : float
        Sample time and delay of the transfer system [s].
    frequency, safety : float
        Highest frequency of the test [Hz], and the factor taken on top of it.
    tolerance : float
        Largest relative prediction error accepted at that frequency.
    largest_noise_gain : float
        Largest amplification of noise accepted.
    compute_time : float, optional
        Measured time of one tick [s].
    recording : int, optional
        Samples the test will have.

    Raises
    ------
    AnalysisError
        If no order up to 8 reaches the horizon.

    Examples
    --------
    >>> found = design_predictor(dt=1e-3, frequency=5.0, delay=9.4e-3)
    >>> found.order, found.window
    (2, 8)
    """
    if dt <= 0 or frequency <= 0 or delay < 0 or safety < 1:
        raise ParameterError(
            f"design_predictor: dt = {dt:g} s and frequency = {frequency:g} Hz must be positive, "
            f"delay = {delay:g} s at least 0, safety = {safety:g} at least 1"
        )
    decisions: list[Decision] = []
    remarks: list[str] = []

    def decide(subject: str, choice: str, reason: str) -> None:
        decisions.append(Decision(len(decisions) + 1, subject, choice, reason))

    measured = "not measured" if compute_time is None else f"a tick takes {1e3 * compute_time:.3g} ms"
    decide("sample time", f"{1e3 * dt:.4g} ms", f"the shortest that runs in real time; {measured}")
    if compute_time is not None and compute_time > dt:
        remarks.append(
            f"a tick takes {1e3 * compute_time:.3g} ms, longer than the sample time of {1e3 * dt:.3g} ms; "
            "lengthen dt"
        )
    f_test = safety * frequency
    decide("test frequency", f"{f_test:.4g} Hz", f"{frequency:g} Hz with a safety factor of {safety:g}")
    horizon = delay / dt
    decide("horizon", f"{horizon:.4g} samples", f"delay of {1e3 * delay:.4g} ms")

    order, window = _order_and_window(horizon, f_test, dt, tolerance, largest_noise_gain)
    shortest, longest = guideline(order)
    error = float(prediction_error(order, window, horizon, f_test, dt))
    gain = float(noise_gain(order, window, horizon))
    decide("order", str(order), f"the lowest that predicts {f_test:.4g} Hz within {tolerance:.3g}")
    decide(
        "window",
        f"{window} samples",
        f"the longest of {shortest} to {longest} that still does: error {error:.2g}, noise times {gain:.3g}",
    )
    reach = {
        f: longest_horizon(order, window, f, dt, tolerance=tolerance)
        for f in (f_test / 2, f_test, 2 * f_test)
    }
    limit = predictor_frequency(order, window, dt)
    listed = ", ".join(f"{p:.4g} at {f:.4g} Hz" for f, p in reach.items())
    decide("coherence", f"predictor frequency {limit:.3g} Hz", f"longest horizon {listed}")
    remarks += predictor_remarks(
        order, window, delay=delay, frequency=f_test, dt=dt, tolerance=tolerance, recording=recording
    )
    verdict = "keep it" if not remarks else "see the notes"
    decide(
        "verdict", verdict, f"horizon {horizon:.4g} of {reach[f_test]:.4g}, {f_test:.3g} of {limit:.3g} Hz"
    )
    return PredictorDesign(order, window, delay, dt, tuple(decisions), tuple(remarks))


def _order_and_window(
    horizon: float, frequency: float, dt: float, tolerance: float, largest_noise_gain: float
) -> tuple[int, int]:
    """Lowest order, then longest window, that meet tolerance and noise gain."""
    best = (np.inf, 0, 0)
    for order in range(1, HIGHEST_ORDER + 1):
        shortest, longest = guideline(order)
        for window in range(longest, shortest - 1, -1):
            error = float(prediction_error(order, window, horizon, frequency, dt))
            quiet = float(noise_gain(order, window, horizon)) <= largest_noise_gain
            if error <= tolerance and quiet:
                return order, window
            best = min(best, (error if quiet else np.inf, order, window))
    error, order, window = best
    if not np.isfinite(error):
        raise AnalysisError(
            f"no order up to {HIGHEST_ORDER} predicts {horizon:.4g} samples with a noise gain of at most "
            f"{largest_noise_gain:.3g}; accept more noise or make the actuator faster"
        )
    reach = longest_horizon(order, window, frequency, dt, tolerance=tolerance)
    raise AnalysisError(
        f"no order up to {HIGHEST_ORDER} predicts {horizon:.4g} samples at {frequency:.4g} Hz within "
        f"{tolerance:.3g}: the best, order {order} over {window} samples, errs by {error:.2g} and reaches "
        f"{reach:.4g} samples; lower the frequency, make the actuator faster, or invert a model of it"
    )


def _weights(order: int, window: int, horizon: np.ndarray) -> np.ndarray:
    """`predictor_weights` in numpy, samples along the last axis: design scans thousands of shapes."""
    s = 1.0 + 2.0 * horizon / max(window - 1, 1)
    rows = np.polynomial.legendre.legvander(np.ravel(s), order).reshape(*np.shape(s), order + 1)
    return rows @ fit_matrix(order, window)
