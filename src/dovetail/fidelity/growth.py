r"""How fast a trace grows or decays: the slope of the logarithm of its envelope.

Beyond its critical delay a hybrid test grows as :math:`e^{\sigma t}` with :math:`\sigma` the real part of the
rightmost characteristic root [Wallace 2006, sec. 3.2.4]. Where a steady forced motion lies over the
growing one, ask for the growth at the frequency of the instability, which leaves the rest out.

Both envelopes are taken under a sliding window of fixed shape, which scales an exponential by the same factor
wherever it lies, so the slope is not biased.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.traces import Recording, Value, by_axis, moving, period, values

WHOLE_CYCLES = 2  # under the window of the whole envelope: the fewest whose ripple the window takes out
NARROW_CYCLES = 10  # under the window at a frequency: leaves out what is 40 % of the frequency away or more
FEWEST = 4  # points of the envelope that a slope is fitted to, a quarter of a window apart
BLACKMAN_HARRIS = (
    0.35875,
    -0.48829,
    0.14128,
    -0.01168,
)  # a window without skirts: cosines of 0, 1, 2, 3 turns


def growth_rate(
    run: Recording,
    name: str = "displacement",
    *,
    frequency: float | None = None,
    start: float | None = None,
    stop: float | None = None,
) -> Value:
    """Growth rate [1/s] of a trace, negative where it decays.

    Parameters
    ----------
    frequency : float, optional
        Follow the amplitude at this frequency [Hz] only, which takes some 18 cycles of it; without it the
        envelope is that of the whole trace about its local mean: four cycles of its strongest line.
    start, stop : float, optional
        Stretch of time [s] that is fitted; the whole record if not given.
    """
    dt = period(run)
    t, y = values(run, name, at_least=8)
    kept = (t >= (t[0] if start is None else start)) & (t <= (t[-1] if stop is None else stop))
    if kept.sum() < 8:
        raise AnalysisError(
            f'"{name}" has {kept.sum()} samples from {start} to {stop} s; a growth rate needs at least 8'
        )
    if frequency is not None and not 0 < frequency < 0.5 / dt:
        raise ParameterError(f"frequency: got {frequency:g} Hz; must be above 0 and below {0.5 / dt:g} Hz")

    def measure(y: np.ndarray) -> float:
        about = moving(name, y[kept])
        if frequency is None:
            starts, size, length = _spread(about)
        else:
            starts, size, length = _amplitude_at(about, frequency * dt)
        if len(starts) < FEWEST:
            raise AnalysisError(
                f'"{name}" lasts {kept.sum() * dt:g} s; '
                f"its growth rate needs at least {1.75 * length * dt:.3g} s"
            )
        if not (size > 0).all():
            raise AnalysisError(f'"{name}" is at rest for a while; choose a stretch in which it moves')
        return float(np.polyfit(starts * dt, np.log(size), 1)[0])

    return by_axis(measure, y)


def _spread(y: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Standard deviation under a sliding Hann window of whole cycles of the strongest line."""
    refined = scipy.fft.next_fast_len(
        4 * len(y), real=True
    )  # a length without small factors takes ten times as long
    spectrum = np.abs(scipy.fft.rfft(y * np.hanning(len(y)), n=refined))
    skirt = 8  # of the mean that the window lets through, in the four times refined spectrum
    strongest = skirt + int(np.argmax(spectrum[skirt:]))
    length = round(WHOLE_CYCLES * refined / strongest)
    weight = np.hanning(length + 1)[:-1]
    windows, starts = _windows(y, length)
    mean = windows @ weight / weight.sum()
    return starts, np.sqrt((windows - mean[:, None]) ** 2 @ weight / weight.sum()), length


def _amplitude_at(y: np.ndarray, turns: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Amplitude at a frequency of `turns` cycles a sample under a sliding Blackman-Harris window."""
    length = math.ceil(NARROW_CYCLES / turns)
    weight = sum(
        a * np.cos(2 * np.pi * i / length * np.arange(length)) for i, a in enumerate(BLACKMAN_HARRIS)
    )
    windows, starts = _windows(y, length)
    return starts, 2 * np.abs(windows @ (weight * np.exp(-2j * np.pi * turns * np.arange(length)))), length


def _windows(y: np.ndarray, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Stretches of `length` samples, a quarter of it apart, and where they start."""
    if length > len(y):
        return np.empty((0, length)), np.array([], dtype=int)
    hop = max(length // 4, 1)
    stretches = np.lib.stride_tricks.sliding_window_view(y, length)[::hop]
    return stretches, np.arange(len(stretches)) * hop
