"""Amplitude spectra of recorded signals, their peaks, and spectra against a parameter.

The spectrum is one-sided and scaled so that a sine of amplitude A has a peak of height A in the unit of the
signal. An instability appears as a second peak next to the excitation, which grows as a parameter passes its
limit [Wallace 2006, Fig. 3.4].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.peaks import find_peaks
from dovetail.core.recording import RecordedSignal, Recording
from dovetail.fidelity.traces import Recorded, period, recording, trace

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True)
class Peak:
    """Peak of a spectrum."""

    frequency: float  # [Hz]
    amplitude: float  # in the unit of the signal


def amplitude_spectrum(run: Recorded, name: str = "displacement", *, window: str = "hann") -> xr.DataArray:
    """Return the amplitude of a signal about its mean against frequency [Hz].

    The resolution is about 2 / record length under the Hann window (1 / record length for "boxcar").
    """
    f, a = spectrum(run, name, window=window)
    y = trace(run, name)
    about = {**y.attrs, "long_name": f"amplitude spectrum: {y.attrs.get('long_name', name)}"}
    result = recording(run).with_signals(
        {f"{name}_spectrum": RecordedSignal(a, ("frequency", *y.dims[1:]), about)}
    )
    frequency = RecordedSignal(f, ("frequency",), {"units": "Hz", "long_name": "frequency"})
    whole = Recording(result.signals, {**result.coords, "frequency": frequency})
    return whole.to_dataset()[f"{name}_spectrum"]


def spectrum(
    run: Recorded, name: str = "displacement", *, window: str = "hann"
) -> tuple[np.ndarray, np.ndarray]:
    """Return frequencies [Hz] and amplitudes of a signal about its mean, as arrays."""
    dt = period(run)
    y = trace(run, name, at_least=16).values
    weight = np.hanning(len(y) + 1)[:-1] if window == "hann" else scipy.signal.get_window(window, len(y))
    shaped = weight.reshape(-1, *[1] * (y.ndim - 1))
    amplitudes = 2 * np.abs(np.fft.rfft((y - y.mean(axis=0)) * shaped, axis=0)) / weight.sum()
    amplitudes[0] /= 2
    return np.fft.rfftfreq(len(y), dt), amplitudes


def peaks(spectrum: xr.DataArray, *, count: int = 5, min_height: float = 0.01) -> list[Peak]:
    """Return the highest peaks of a spectrum of one axis, highest first, interpolated between its frequencies.

    Parameters
    ----------
    count : int
        Maximum number of peaks.
    min_height : float
        Minimum height and prominence, as a fraction of the highest peak.
    """
    if spectrum.dims != ("frequency",):
        raise ParameterError(
            f"spectrum: got dimensions {spectrum.dims}; select one axis, for example spectrum.isel(axis=0)"
        )
    return spectrum_peaks(spectrum["frequency"].values, spectrum.values, count=count, min_height=min_height)


def spectrum_peaks(f: np.ndarray, a: np.ndarray, *, count: int = 5, min_height: float = 0.01) -> list[Peak]:
    """Return the highest peaks of the amplitudes `a` at frequencies `f` [Hz], as `peaks`."""
    if not np.isfinite(a).all() or a.max() <= 0:
        raise AnalysisError("the spectrum is empty or not finite; it has no peaks")
    lines = []
    for i in find_peaks(a, height=min_height * a.max(), prominence=min_height * a.max()):
        low, top, high = np.log(np.maximum(a[i - 1 : i + 2], np.finfo(float).tiny))
        shift = (
            0.5 * (low - high) / (low - 2 * top + high)
        )  # the logarithm of a Hann peak is nearly a parabola
        lines.append(
            Peak(float(f[i] + shift * (f[1] - f[0])), float(np.exp(top - 0.25 * (low - high) * shift)))
        )
    return sorted(lines, key=lambda line: -line.amplitude)[:count]


def spectrum_map(
    runs: Sequence[Recorded],
    parameter: str,
    at: Sequence[float],
    name: str = "displacement",
    *,
    up_to: float | None = None,
) -> xr.DataArray:
    """Return the spectra of several runs of equal length as a map over (`parameter`, frequency).

    The spectrum of a run that stopped early is interpolated onto the frequencies of the longest run.
    """
    if len(runs) != len(at) or not runs:
        raise ParameterError(
            f"{parameter}: got {len(at)} values for {len(runs)} runs; give one value per run"
        )
    spectra = [amplitude_spectrum(run, name) for run in runs]
    longest = max(spectra, key=lambda s: s.sizes["frequency"])["frequency"]
    if up_to is not None:
        longest = longest[longest <= up_to]
    rows = [s.interp(frequency=longest.values) for s in spectra]
    import xarray

    out = xarray.concat(rows, dim=parameter, combine_attrs="override").assign_coords({parameter: list(at)})
    return out.sortby(parameter)
