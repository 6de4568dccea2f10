r"""Amplitude spectra of recorded traces, their peaks, and spectra against a parameter.

The spectrum is one-sided and scaled so that a sine of amplitude A shows a peak of height A in the unit of
the trace. An instability shows as a second line beside the excitation, growing as a parameter passes its
limit [Wallace 2006, Fig. 3.4].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
import xarray as xr

from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.peaks import find_peaks
from dovetail.fidelity.traces import Recording, period, trace


@dataclass(frozen=True)
class Peak:
    """A line in a spectrum."""

    frequency: float  # [Hz]
    amplitude: float  # in the unit of the trace


def amplitude_spectrum(run: Recording, name: str = "displacement", *, window: str = "hann") -> xr.DataArray:
    """Amplitude of a trace about its mean against frequency [Hz].

    Resolution is about two over the length of the record under the Hann window (1 over it for "boxcar").
    """
    dt = period(run)
    y = trace(run, name, at_least=16)
    count = y.sizes["time"]
    weight = np.hanning(count + 1)[:-1] if window == "hann" else scipy.signal.get_window(window, count)
    shaped = weight.reshape(-1, *[1] * (y.ndim - 1))
    spectrum = 2 * np.abs(np.fft.rfft((y.values - y.values.mean(axis=0)) * shaped, axis=0)) / weight.sum()
    spectrum[0] /= 2
    out = xr.DataArray(
        spectrum,
        dims=("frequency", *y.dims[1:]),
        coords={
            "frequency": np.fft.rfftfreq(count, dt),
            **{d: y.coords[d] for d in y.dims[1:] if d in y.coords},
        },
        name=f"{name}_spectrum",
        attrs={**y.attrs, "long_name": f"amplitude of the {y.attrs.get('long_name', name)}"},
    )
    out["frequency"].attrs = {"units": "Hz", "long_name": "frequency"}
    return out


def peaks(spectrum: xr.DataArray, *, count: int = 5, above: float = 0.01) -> list[Peak]:
    """The highest lines of a spectrum of one axis, highest first, placed between its frequencies.

    Parameters
    ----------
    count : int
        Most lines returned.
    above : float
        Smallest height, and smallest rise above its surroundings, as a share of the highest line.
    """
    if spectrum.dims != ("frequency",):
        raise ParameterError(
            f"got a spectrum along {spectrum.dims}; choose one axis, for example spectrum.isel(axis=0)"
        )
    f, a = spectrum["frequency"].values, spectrum.values
    if not np.isfinite(a).all() or a.max() <= 0:
        raise AnalysisError("the spectrum is empty or not finite; it has no peaks")
    found = find_peaks(a, height=above * a.max(), prominence=above * a.max())
    lines = []
    for i in found:
        low, top, high = np.log(np.maximum(a[i - 1 : i + 2], np.finfo(float).tiny))
        shift = (
            0.5 * (low - high) / (low - 2 * top + high)
        )  # a Hann line is nearly a parabola in its logarithm
        lines.append(
            Peak(float(f[i] + shift * (f[1] - f[0])), float(np.exp(top - 0.25 * (low - high) * shift)))
        )
    return sorted(lines, key=lambda line: -line.amplitude)[:count]


def spectrum_map(
    runs: Sequence[Recording],
    parameter: str,
    at: Sequence[float],
    name: str = "displacement",
    *,
    up_to: float | None = None,
) -> xr.DataArray:
    """Spectra of several runs of equal length side by side: a map over (`parameter`, frequency).

    A run that stopped early has another frequency grid and is interpolated onto that of the longest.
    """
    if len(runs) != len(at) or not runs:
        raise ParameterError(
            f"got {len(runs)} runs and {len(at)} values of {parameter}; give one value for each run"
        )
    spectra = [amplitude_spectrum(run, name) for run in runs]
    longest = max(spectra, key=lambda s: s.sizes["frequency"])["frequency"]
    if up_to is not None:
        longest = longest[longest <= up_to]
    rows = [s.interp(frequency=longest.values) for s in spectra]
    out = xr.concat(rows, dim=parameter, combine_attrs="override").assign_coords({parameter: list(at)})
    return out.sortby(parameter)
