"""CS1 with a late actuator, simulated in a plain loop: recordings to draw and report on."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from dovetail.core import signals
from dovetail.core.recording import Recording
from dovetail.report.page_subject import Reported
from dovetail.report.verdict import Margins
from dovetail.testing.outcome import Outcome

M, C, K, K_S = 2.2, 15.0, 2250.0, 2250.0  # [kg], [N s/m], [N/m], [N/m]
AMPLITUDE, FREQUENCY, DT = 0.012, 3.0, 1e-3  # [m], [Hz], [s]


def recording(t, **traces):
    variables = {}
    for name, y in traces.items():
        known = signals.signal(name)
        about = {"units": known.unit, "symbol": known.symbol, "long_name": known.label}
        variables[name] = (("time", "axis") if np.ndim(y) == 2 else ("time",), y, about)
    return xr.Dataset(variables, coords={"time": t})


def simulate(delay, duration=3.0, limit=0.05):
    """Rows z, z', x, F until the demand passes the limit [m]; delay [s] in whole samples, force held."""
    count, lag, w = round(duration / DT), round(delay / DT), 2 * np.pi * FREQUENCY
    A = np.array([[0.0, 1.0], [-K / M, -C / M]])
    z, v, x, f = np.zeros((4, count + 1))
    for i in range(count):

        def slope(t, s, force=f[i]):
            wall = (C * w * np.cos(w * t) + K * np.sin(w * t)) * AMPLITUDE
            return A @ s + np.array([0.0, (force + wall) / M])

        t, s = i * DT, np.array([z[i], v[i]])
        k1 = slope(t, s)
        k2 = slope(t + DT / 2, s + DT / 2 * k1)
        z[i + 1], v[i + 1] = s + DT * k2  # the midpoint rule is ample for a picture
        x[i + 1] = z[i + 1 - lag] if i + 1 >= lag else 0.0
        f[i + 1] = -K_S * x[i + 1]
        if abs(z[i + 1]) > limit:
            return np.stack([z, v, x, f])[:, : i + 2], False
    return np.stack([z, v, x, f]), True


def make_run(delay, **options):
    (z, v, x, f), finished = simulate(delay, **options)
    t = DT * np.arange(len(z))
    data = recording(
        t,
        excitation=AMPLITUDE * np.sin(2 * np.pi * FREQUENCY * t),
        displacement=z,
        velocity=v,
        command=z,
        measured_displacement=x,
        measured_force=f,
        feedback_force=f,
    )
    table = {
        "title": "CS1",
        "numerical": {"kind": "oscillator", "m": M, "c": C, "k": K},
        "rig": {
            "actuator": {"kind": "delay", "delay": delay},
            "specimen": {"kind": "spring", "k": K_S},
            "sensor": {"kind": "series", "parts": []},
        },
        "excitation": {"kind": "sine", "amplitude": AMPLITUDE, "frequency": FREQUENCY},
        "limits": {"displacement": 0.05, "force": 200.0, "velocity": float("inf"), "tracking_error": 0.02},
        "seed": 1,
    }
    outcome = Outcome.FINISHED if finished else Outcome.DISPLACEMENT
    return Reported(Recording.from_dataset(data), title="CS1", mode="rehearse", outcome=outcome, given=table)


def make_ideal(duration=3.0):
    (z, v, _, f), _ = simulate(0.0, duration=duration)
    data = recording(DT * np.arange(len(z)), displacement=z, velocity=v, feedback_force=f)
    return Reported(Recording.from_dataset(data))


def make_stability(delay, **other):
    critical = 6.77e-3
    values = {
        "critical_delay": critical,
        "rig_delay": delay,
        "loop_delay": delay,
        "margin": critical - delay,
        "critical_frequency": 7.116,
    }
    return Margins(**(values | other))


@pytest.fixture(scope="session")
def reference():
    return make_ideal()


@pytest.fixture(scope="session")
def late():
    """A comfortable run, 3 ms late."""
    return make_run(3e-3)


@pytest.fixture(scope="session")
def unstable():
    """A run 9 ms late, stopped by its limit."""
    return make_run(9e-3)


@pytest.fixture(scope="session")
def two_axes(late):
    """The same run on two axes, the second half as large."""
    data = late.data
    both = {name: np.stack([y.values, 0.5 * y.values], axis=1) for name, y in data.data_vars.items()}
    return replace(late, recording=Recording.from_dataset(recording(data.time.values, **both)))


@pytest.fixture
def make():
    return SimpleNamespace(run=make_run, reference=make_ideal, stability=make_stability, recording=recording)
