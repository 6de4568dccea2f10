r"""Growth rate of a signal: slope of the logarithm of its envelope.

Beyond its critical delay a hybrid test grows as :math:`e^{\sigma t}`, with :math:`\sigma` the real part of the
dominant pole [Wallace 2006, sec. 3.2.4]. If a steady forced motion is superposed, fit the growth at the
frequency of the instability, which excludes the forced motion.

Both envelopes use a sliding window of fixed shape. The window scales an exponential by the same factor at every
position, so the slope is not biased.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.traces import Recorded, Value, by_axis, moving, period, values

WHOLE_CYCLES = (
    2  # cycles in the window of the unfiltered envelope: smallest number whose ripple the window removes
)
NARROW_CYCLES = (
    10  # cycles in the window at a frequency: suppresses signals 40 % of the frequency away or more
)
MIN_POINTS = 4  # smallest number of envelope points for a fit; they are a quarter of a window apart
BLACKMAN_HARRIS = (
    0.35875,
    -0.48829,
    0.14128,
    -0.01168,
)  # window with small side lobes: cosines of 0, 1, 2, 3 cycles


def growth_rate(
    run: Recorded,
    name: str = "displacement",
    *,
    frequency: float | None = None,
    start: float | None = None,
    stop: float | None = None,
) -> Value:
    """Return the growth rate [1/s] of a signal, negative if it decays.

    Parameters
    ----------
    frequency : float, optional
        Follow the amplitude at this frequency [Hz] only; this needs about 18 cycles. By default the envelope of
        the signal about its local mean is fitted; this needs four cycles of its strongest frequency.
    start, stop : float, optional
        Time interval [s] of the fit (default: the whole record).
    """
    dt = period(run)
    t, y = values(run, name, at_least=8)
    selected = (t >= (t[0] if start is None else start)) & (t <= (t[-1] if stop is None else stop))
    if selected.sum() < 8:
        raise AnalysisError(
            f'"{name}" has {selected.sum()} samples from {start} to {stop} s; expected at least 8'
        )
    if frequency is not None and not 0 < frequency < 0.5 / dt:
        raise ParameterError(f"frequency: got {frequency:g} Hz; must be above 0 and below {0.5 / dt:g} Hz")

    def measure(y: np.ndarray) -> float:
        about = moving(name, y[selected])
        if frequency is None:
            starts, size, length = _standard_deviations(about)
        else:
            starts, size, length = _amplitude_at(about, frequency * dt)
        if len(starts) < MIN_POINTS:
            raise AnalysisError(
                f'"{name}" lasts {selected.sum() * dt:g} s; '
                f"the growth rate needs at least {1.75 * length * dt:.3g} s"
            )
        if not (size > 0).all():
            raise AnalysisError(
                f'"{name}" is at rest for a time; set start and stop [s] to an interval with motion'
            )
        return float(np.polyfit(starts * dt, np.log(size), 1)[0])

    return by_axis(measure, y)


def _standard_deviations(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the standard deviation under a sliding Hann window of whole cycles of the strongest frequency."""
    refined = scipy.fft.next_fast_len(
        4 * len(y), real=True
    )  # a length without small factors takes ten times longer
    spectrum = np.abs(scipy.fft.rfft(y * np.hanning(len(y)), n=refined))
    skirt = 8  # bins of the mean that the window passes, in the four times refined spectrum
    strongest = skirt + int(np.argmax(spectrum[skirt:]))
    length = round(WHOLE_CYCLES * refined / strongest)
    weight = np.hanning(length + 1)[:-1]
    windows, starts = _windows(y, length)
    mean = windows @ weight / weight.sum()
    return starts, np.sqrt((windows - mean[:, None]) ** 2 @ weight / weight.sum()), length


def _amplitude_at(y: np.ndarray, frequency: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the amplitude at a frequency [cycles per sample] under a sliding Blackman-Harris window."""
    length = math.ceil(NARROW_CYCLES / frequency)
    weight = sum(
        a * np.cos(2 * np.pi * i / length * np.arange(length)) for i, a in enumerate(BLACKMAN_HARRIS)
    )
    windows, starts = _windows(y, length)
    return (
        starts,
        2 * np.abs(windows @ (weight * np.exp(-2j * np.pi * frequency * np.arange(length)))),
        length,
    )


def _windows(y: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Return windows of `length` samples, a quarter of the length apart, and their start indices."""
    if length > len(y):
        return np.empty((0, length)), np.array([], dtype=int)
    hop = max(length // 4, 1)
    windows = np.lib.stride_tricks.sliding_window_view(y, length)[::hop]
    return windows, np.arange(len(windows)) * hop
