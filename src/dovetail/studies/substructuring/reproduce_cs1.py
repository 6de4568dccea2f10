"""CS1 of Wallace's thesis in the time domain: runs of the test files, and the predictor in the loop.

Two routes, kept apart on purpose. `DelayEquation` and `integrate` evaluate the late force inside each step,
as the source's analysis does. A rehearsal holds it over each tick, as hardware does, which is half a tick
more delay; where a run is held against the source, the actuator is given half a tick less.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import xarray as xr
from scipy.stats import pearsonr

from dovetail import fidelity, stability, testing
from dovetail.compensation import (
    ForwardPrediction,
    PhaseAdvance,
    max_horizon,
    predictor_frequency,
    predictor_weights,
)
from dovetail.stability import robustness
from dovetail.stability import single_interface as closed_form
from dovetail.studies.substructuring.reproduce import C_LIGHT, K_S, C, K, M, cs1
from dovetail.studies.target_values import recorded_run
from dovetail.testing.paths import replace_value
from dovetail.transfer import RelativeNoise
from dovetail.transfer.linear import LinearTransfer

TESTS = Path(__file__).resolve().parent / "tests"
DT = 1e-3  # [s] tick of every published test
ACTUATOR = 9.4e-3  # [s] delay of the bare actuator, sec. 3.4
HELD = DT / 2  # [s] what holding the force over a tick costs
AMPLITUDE, FREQUENCY = 0.012, 3.0  # [m], [Hz] of the wall in the ready tests
FREE = {"limits.displacement": 1e6, "limits.velocity": 1e6, "limits.force": 1e9}  # let an instability grow
TABLE_FREQUENCIES = (3.0, 5.0, 6.5, 7.1, 8.0, 9.0)  # [Hz] at which figs 5.5 to 5.7 were measured
TABLE_DELAYS = (0.0, 0.1, 0.19)  # residual delay in units of 1/omega_n, table 5.1


def ready(name: str, changes: dict[str, Any] | None = None) -> testing.Test:
    """A ready test of this study, with other values at dotted paths."""
    return testing.load(TESTS / f"{name}.toml", changes)


def rehearsed(name: str, **changes: float) -> testing.Run:
    """Return a run of a test file; `rig__actuator__delay=7e-3` changes a value."""
    values = {path.replace("__", "."): value for path, value in changes.items()}
    return recorded_run(f"substructuring/{name}", values)


def emulated(name: str) -> testing.Run:
    """Return the reference solution of a test file."""
    return recorded_run(f"substructuring/{name}", mode="reference")


# time histories: R14, R15, R44


def delay_equation_histories() -> list[str | float | bool]:
    """R14: CS1 driven at 3 Hz with the late force evaluated inside the step, at delays of 0, 6 and 7 ms.

    Whether 0 ms reproduces the complete system; what the free motion at 6 and 7 ms does; at 7 ms its growth
    [1/s] and frequency [Hz].
    """
    omega = 2 * np.pi * FREQUENCY

    def wall(t):
        r, rate = AMPLITUDE * jnp.sin(omega * t), AMPLITUDE * omega * jnp.cos(omega * t)
        return jnp.stack([0.0 * t, (C * rate + K * r) / M])

    traces = {tau: stability.integrate(cs1(tau=tau), wall, 20.0, DT) for tau in (0.0, 6e-3, 7e-3)}
    ideal = ready("cs1", {"duration": 20.0}).reference().data["displacement"].values
    late = {tau: np.asarray(trace.state)[:, 0] for tau, trace in traces.items()}
    exact = np.abs(late[0.0] - ideal).max() < 1e-6 * np.abs(ideal).max()
    six, seven = (_free_motion(traces[tau].time, late[tau]) for tau in (6e-3, 7e-3))
    return [bool(exact), _word(six.real), _word(seven.real), float(seven.real), float(seven.imag / 2 / np.pi)]


def loop_histories() -> list[str | float]:
    """R14 through the loop: delays of 6 and 7 ms in all, half a tick of them in the held force."""
    free = []
    for tau in (6e-3, 7e-3):
        data = rehearsed("cs1", duration=20.0, rig__actuator__delay=tau - HELD).data
        free.append(_free_motion(data["time"].values, data["displacement"].values))
    return [
        _word(free[0].real),
        _word(free[1].real),
        float(free[1].real),
        float(free[1].imag / 2 / np.pi),
    ]


def spectrum_against_delay() -> list[float | bool]:
    """R15: spectra of 5 s at delays of 5 to 10 ms, driven at 3 Hz.

    Lowest and highest frequency [Hz] of the second line where the loop is unstable, and whether the logarithm
    of its height follows the real part of the dominant pole along a straight line.
    """
    delays = np.arange(5e-3, 10.01e-3, 0.5e-3)
    amplitudes = spectra(delays - HELD)
    second = amplitudes.sel(frequency=slice(6.0, 8.5))
    growth = np.array([cs1(tau=float(tau)).growth() for tau in delays])
    lines = [fidelity.peaks(second.isel(delay=i).fillna(0.0), count=1)[0] for i in range(len(delays))]
    unstable = [line.frequency for line, rate in zip(lines, growth, strict=True) if rate > 0]
    straight = pearsonr(growth, np.log([line.amplitude for line in lines])).statistic
    return [min(unstable), max(unstable), bool(straight > 0.99)]


def spectra(delays: np.ndarray, duration: float = 5.0) -> xr.DataArray:
    """Amplitude spectra [m] of CS1's demand over actuator delay and frequency: one batch of rehearsals."""
    test = ready(
        "cs1", {**FREE, "duration": duration, "rig.actuator.max_delay": float(max(delays))}
    ).prepare()

    @eqx.filter_jit
    def run(delays):
        def one(delay):
            return testing.simulate(replace_value(test, "rig.actuator.delay", delay))[1]["displacement"]

        return eqx.filter_vmap(one)(delays)

    times = DT * np.arange(1, test.tick_count + 1)
    runs = [
        xr.Dataset({"displacement": ("time", z)}, {"time": times}) for z in np.asarray(run(jnp.array(delays)))
    ]
    return fidelity.spectrum_map(runs, "delay", list(delays), up_to=12.0)


def sampled_limit() -> list[str | float]:
    """R44: critical delay [s] with the force held over ticks of 1 ms; what runs at 6.2 and 6.3 ms do."""
    numerical = stability.StateSpace([[0.0, 1.0], [-K / M, -C / M]], [[0.0], [1 / M]], [[1.0, 0.0]], [[0.0]])
    limit = stability.sampled_critical_delay(numerical, np.array([[-K_S]]), dt=DT, up_to=0.02, method="rk4")
    free = {"excitation__amplitude": 0.0, "numerical__v0": 0.1, "duration": 20.0}
    words = []
    for delay in (6.2e-3, 6.3e-3):
        data = rehearsed("cs1", **free, rig__actuator__delay=delay).data
        words.append(_word(stability.growth_rate(data["time"].values, data["displacement"].values)))
    return [limit, *words]


def _free_motion(time: Any, z: Any) -> complex:
    """Exponent [1/s] of the oscillation beside the forced one, from the last two thirds of a trace."""
    time, z = np.asarray(time), np.asarray(z)
    late = time > time[-1] / 3
    exponents, _ = stability.exponentials(time[late], z[late], 4)
    pairs = exponents[exponents.imag > 0]
    forced = np.abs(pairs - 2j * np.pi * FREQUENCY).argmin()
    return complex(np.delete(pairs, forced)[0])


def _word(growth: float) -> str:
    return "grows" if growth > 0 else "decays"


# prediction: R16 to R19, R29


def experimental_limit() -> list[str | float]:
    """R16: delay [s] left over by the shortest stable prediction, windows of 10 and 16; a run with 2.6 ms."""
    left = []
    for window in (10, 16):
        ranges = stability.stable_horizons(
            cs1(tau=ACTUATOR), order=4, window=window, dt=DT, high=0.02, points=40
        )
        left.append(ACTUATOR - ranges[0].low)
    data = rehearsed("cs1-forward-prediction", compensator__delay=2.6e-3, duration=5.0, **_free()).data
    return [*left, _word(_free_motion(data["time"].values, data["displacement"].values).real)]


def few_step_coefficients() -> list[list[float]]:
    """R17: weights that predict one and two samples ahead from three."""
    return [np.asarray(predictor_weights(2, 3, steps)).tolist() for steps in (1.0, 2.0)]


def predictor_reach() -> list[float | bool]:
    """R18: frequency [Hz] from which order 8 over 20 samples cannot predict one sample within 1.5 %; whether
    the longest horizon falls all the way to it."""
    limit = predictor_frequency(8, 20, DT)
    reach = [max_horizon(8, 20, f, DT, tolerance=0.015) for f in np.linspace(5.0, limit, 12)]
    return [limit, bool(np.all(np.diff(reach) < 0) and reach[-1] <= 1.001)]


def reach_against_window() -> list[bool]:
    """R19: whether the longest horizon of order 8 falls in a straight line with the window, by less than one
    sample a sample, and equally at 5 and 10 Hz."""
    windows = np.arange(9, 41)
    slopes, straight = [], []
    for frequency in (5.0, 10.0):
        reach = [max_horizon(8, int(n), frequency, DT) for n in windows]
        slopes.append(np.polyfit(windows, reach, 1)[0])
        straight.append(pearsonr(windows, reach).statistic < -0.999)
    equal = abs(slopes[0] / slopes[1] - 1) < 0.1
    return [all(straight), bool(max(abs(s) for s in slopes) < 1), bool(equal)]


def prediction_interval() -> list[float]:
    """R29: light damping: longest stable prediction [s] of (2, 10) and (4, 16), then their shortest."""
    late = cs1(tau=ACTUATOR, c=C_LIGHT)
    ranges = [
        stability.stable_horizons(late, order=order, window=window, dt=DT, high=0.05, points=100)[0]
        for order, window in ((2, 10), (4, 16))
    ]
    return [r.high for r in ranges] + [r.low for r in ranges]


# robustness: R27, R28


def robust_delays() -> list[bool]:
    """R27: whether runs at a delay of 0.35/omega_n stay bounded: plain, alpha, zeta, gamma."""
    delay = 0.35 / omega_n() - HELD
    names = ("cs1-late", "cs1-robust-alpha", "cs1-robust-zeta", "cs1-robust-gamma")
    return [rehearsed(name, rig__actuator__delay=delay).outcome.completed for name in names]


def robust_margins() -> list[list[float]]:
    """R27: exact and small-gain delay, small-gain lag (times omega_n) and peak of |D0|, for the same four."""
    omega = omega_n() * np.geomspace(0.05, 20.0, 4001)
    rows = []
    for loop in robust_loops().values():
        margins = robustness.assess(loop, omega)
        limits = (margins.delay, margins.small_gain_delay, margins.small_gain_lag)
        rows.append([*(omega_n() * x for x in limits), margins.peak])
    return rows


def robust_loops() -> dict[str, LinearTransfer]:
    """The loop of CS1 as it is, and with each of the three published settings."""
    plain = LinearTransfer([K_S], [M, C, K])
    return {
        "none": plain,
        "alpha": robustness.phase_advance(1.5, _crossover()) * plain,
        "zeta": LinearTransfer([K_S], [M, 2 * C, K]),
        "gamma": robustness.blended(plain, 0.5),
    }


def response_table() -> list[list[float]]:
    """R28: |D| at six frequencies and at its peak; rows none, gamma, zeta, alpha at each residual delay."""
    w = 2 * np.pi * np.array(TABLE_FREQUENCIES)
    grid = 2 * np.pi * np.linspace(5.0, 9.0, 2001)
    rows = []
    for tau_hat in TABLE_DELAYS:
        for case in ("none", "gamma", "zeta", "alpha"):
            d = response(case, tau_hat)
            rows.append([*np.abs(d(1j * w)), stability.margin.resonance(d, grid)[0]])
    return [[float(x) for x in row] for row in rows]


def noisy_responses() -> float:
    """R28 through the loop: largest deviation of |D| from theory over all 72 points.

    The bare actuator, predicted down to the residual delay, with 6 % noise on the measured force; |D| is the
    specimen's force over that of the moving wall, once the start has died away.
    """
    worst = 0.0
    horizons = np.array([ACTUATOR + HELD - tau_hat / omega_n() for tau_hat in TABLE_DELAYS])
    for case in ("none", "gamma", "zeta", "alpha"):
        measured = measured_responses(case, np.array(TABLE_FREQUENCIES), horizons)
        for tau_hat, row in zip(TABLE_DELAYS, measured, strict=True):
            theory = np.abs(response(case, tau_hat)(2j * np.pi * np.array(TABLE_FREQUENCIES)))
            worst = max(worst, float(np.abs(row / theory - 1).max()))
    return worst


def measured_responses(case: str, frequencies: Any, horizons: Any, duration: float = 30.0) -> np.ndarray:
    """|D| read from rehearsals, (horizons, frequencies); horizons of the prediction [s]."""
    name = {"gamma": "cs1-robust-gamma", "zeta": "cs1-robust-zeta"}.get(case, "cs1-late")
    predict = ForwardPrediction(ACTUATOR, order=4, window=16)
    lead = PhaseAdvance(alpha=1.5, crossover_omega=_crossover(), compensator=predict)
    base: Any = ready(name, {**FREE, "duration": duration})
    base = replace_value(base, "compensator", lead if case == "alpha" else predict)
    base = replace_value(base, "rig.sensor", RelativeNoise(0.06)).prepare()
    where = "compensator.compensator.delay" if case == "alpha" else "compensator.delay"

    def one(horizon, frequency):
        test = replace_value(replace_value(base, where, horizon), "excitation.frequency", frequency)
        _, records = testing.simulate(test)
        # the last ten seconds hold whole periods of every frequency; the rest is start-up
        force = records["specimen_force"][-10_000:]
        t = DT * (jnp.arange(force.shape[0]) + 1)
        turn = jnp.exp(-2j * jnp.pi * frequency * t)
        return 2 * jnp.abs(jnp.mean(force * turn))

    batch = eqx.filter_jit(eqx.filter_vmap(eqx.filter_vmap(one, in_axes=(None, 0)), in_axes=(0, None)))
    s = 2j * np.pi * np.asarray(frequencies)
    wall = np.abs(float(base.numerical.c) * s + K) * float(base.excitation.amplitude)
    return np.asarray(batch(horizons, frequencies)) / wall


def response(case: str, tau_hat: float):
    """|D| in theory with a residual delay of tau_hat/omega_n; gamma relative to the total force."""
    late = robustness.delayed(tau_hat / omega_n())
    if case == "gamma":
        return lambda s: robustness.blended_response(robust_loops()["none"], 0.5, s, late)
    return lambda s: robustness.response(robust_loops()[case], s, late)


def omega_n() -> float:
    """Natural frequency [rad/s] of the numerical part of CS1, on its own spring alone."""
    return float(closed_form.groups(m=M, c=C, k=K, k_s=K_S).omega_n)


def _crossover() -> float:
    """Frequency [rad/s] at which the loop gain of CS1 is one."""
    return stability.margin.unit_gains(LinearTransfer([K_S], [M, C, K]))[-1].omega


def _free() -> dict[str, float]:
    return {path.replace(".", "__"): value for path, value in FREE.items()}


# starting a lightly damped test: R30, R31


def start_up() -> list[str | float]:
    """R30: what the three ways to start do: no compensation, learning from nothing, over-compensation; and
    when [s] the second one regains stability: the moment of its largest error."""
    names = ("cs1-light-late", "cs1-light-afp", "cs1-over-compensation")
    largest = float(_numerical_error("cs1-light-afp").argmax() * DT)
    return [*(_course(name) for name in names), largest]


def start_up_growth() -> list[float]:
    """R30: growth [1/s] and frequency [Hz] without compensation, from the delay equation; and the growth that
    the uncompensated run shows, over that of its sampled loop."""
    root = cs1(tau=ACTUATOR, c=C_LIGHT).roots(2)
    data = rehearsed("cs1-light-late", **_free(), duration=5.0).data
    late = data.sel(time=slice(2.0, None))  # by then nothing but the instability is left
    shown = stability.growth_rate(late["time"].values, late["displacement"].values)
    predicted = ready("cs1-light-late").stability().growth_rate
    return [root.growth, root.omega / (2 * np.pi), shown / predicted]


def start_up_spectra() -> list[float]:
    """R31: line near 7.1 Hz over 6 s, learning from nothing and over-compensation, over the emulated one."""
    heights = [
        _line(run)
        for run in (
            rehearsed("cs1-light-afp"),
            rehearsed("cs1-over-compensation"),
            emulated("cs1-over-compensation"),
        )
    ]
    return [heights[0] / heights[2], heights[1] / heights[2]]


def _course(name: str) -> str:
    """`diverges` if a limit was met; `recovers` if the error reached a fifth of the motion and fell to less
    than half its peak; `stable` if it never did."""
    if not rehearsed(name).outcome.completed:
        return "diverges"
    error = _numerical_error(name)
    if error.max() < 0.2 * np.abs(emulated(name).data["displacement"].values).max():
        return "stable"
    return "recovers" if error[-1000:].max() < 0.5 * error.max() else "does not recover"


def _numerical_error(name: str) -> np.ndarray:
    """|e1| [m] at each tick."""
    return np.abs(fidelity.errors(rehearsed(name), emulated(name))["e1"].values)


def _line(run: testing.Run) -> float:
    """Highest amplitude [m] from 6.6 to 7.6 Hz in the first 6 s."""
    spectrum = fidelity.amplitude_spectrum(run.data.sel(time=slice(0.0, 6.0)))
    return float(spectrum.sel(frequency=slice(6.6, 7.6)).max())
