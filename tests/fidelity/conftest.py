"""Recordings with known answers: delayed sines, and the steady state of CS1 in closed form."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr


def _recording(t, **signals):
    units = {"feedback_force": "N", "specimen_force": "N", "measured_force": "N"}
    return xr.Dataset(
        {
            name: (("time", "axis") if np.ndim(y) == 2 else ("time",), y, {"units": units.get(name, "m")})
            for name, y in signals.items()
        },
        coords={"time": t},
    )


def _delayed_sine(
    *,
    frequency=3.0,
    delay=0.0,
    gain=1.0,
    amplitude=0.01,
    duration=5.0,
    rate=1000.0,
    noise=0.0,
    offset=0.0,
    k=2250.0,
):
    """A sine demand that a rig follows late by `delay` [s]; a spring k [N/m] answers."""
    t = np.arange(round(duration * rate)) / rate
    z = amplitude * np.sin(2 * math.pi * frequency * t)
    clean = gain * amplitude * np.sin(2 * math.pi * frequency * (t - delay))
    x = clean + offset + noise * np.random.default_rng(7).standard_normal(len(t))
    return _recording(
        t,
        displacement=z,
        achieved_displacement=clean,
        measured_displacement=x,
        specimen_force=-k * clean,
        measured_force=-k * clean,
        feedback_force=-k * clean,
    )


def _cs1_steady(*, delay, frequency=3.0, amplitude=0.012, duration=3.0, rate=1000.0):
    """Steady response of the single mass with a spring specimen and a pure delay, exact at the samples."""
    m, c, k, k_s = 2.2, 15.0, 2250.0, 2250.0  # [kg], [N s/m], [N/m], [N/m]
    w = 2 * math.pi * frequency
    late = np.exp(-1j * w * delay)
    ratio = (k + 1j * w * c) / (k - m * w**2 + 1j * w * c + k_s * late)
    t = np.arange(round(duration * rate)) / rate
    turning = amplitude * np.exp(1j * w * t)
    z, x = ratio * turning, ratio * late * turning
    return _recording(
        t,
        excitation=turning.imag,
        displacement=z.imag,
        measured_displacement=x.imag,
        feedback_force=-k_s * x.imag,
    )


@pytest.fixture
def make():
    return SimpleNamespace(recording=_recording, delayed_sine=_delayed_sine, cs1_steady=_cs1_steady)
