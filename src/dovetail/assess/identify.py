"""Design step 1 of 4, identify: nominal model of the rig from command to measured displacement, and its uncertainty.

The rig with attached specimen is swept through the frequency band of the test, without the numerical substructure. The
amplitude of the sweep falls with frequency: displacement, velocity, acceleration and force stay within 1.2 times those
of the test, and within its limits. The nominal model is the simplest one that fits the record: a gain and a delay, then
a lag of first, second or third order with a delay. The difference between measured and modelled delay is the
uncertainty used by the later steps
[wallace2006thesis, sec. 5.2].
"""

from __future__ import annotations

import dataclasses
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import tomli_w
import xarray as xr

from dovetail.assess.test_motion import spectrum
from dovetail.core.block import respond
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.core.signals import READING
from dovetail.fidelity.delay import clipped_samples
from dovetail.fidelity.traces import period
from dovetail.fidelity.traces import recording as recording_of_run
from dovetail.testing import AbstractRig, Rig, Run, Test
from dovetail.testing.limits import rotary_axes
from dovetail.testing.motion_peaks import MotionPeaks
from dovetail.testing.test_file import dump_part
from dovetail.transfer import Delay, Gain, LinearTransfer, Series, TransferFunction
from dovetail.transfer.identification import SweepResponse, fit_transfer_function, sweep_response

UNEXPLAINED = 0.01  # largest residual beyond noise, as fraction of the rms of the record; above, add a pole
MAX_CLIPPED = 0.01  # largest fraction of clipped samples
HIGHEST_ORDER = 3
HIGHEST = 0.4  # highest frequency of the identification, as fraction of the sampling rate
BAND = 20.0  # ratio of highest to lowest frequency
RECORDED = ("command", "measured_displacement")
CYCLES = 30  # smallest number of samples per cycle of a decimated record
SMOOTHNESS = 4  # exponent of the mean by which the amplitude of a sweep falls
SCALING, MAX_SCALINGS = 0.95, 6  # a sweep with too large a force is repeated at this fraction of the bound
LONGEST_SWEEP = 30.0  # [s] largest duration of a sweep


@dataclasses.dataclass(frozen=True)
class IdentifiedAxis:
    """Identified model of one actuator."""

    model: LinearTransfer  # nominal, from command to measured displacement
    order: int  # number of poles of the model; 0: gain and delay
    unexplained: float  # rms residual of the model, as fraction of the measured rms
    noise: float  # [m] rms measured at rest
    departure: float  # [s] largest difference (95 %) of measured and modelled delay in the band
    response: SweepResponse

    def __str__(self) -> str:
        delay = 1e3 * float(self.model.low_frequency_delay)
        gain = abs(complex(self.model(np.asarray(0j))))
        what = "gain and delay" if self.order == 0 else f"order {self.order} and delay"
        return (
            f"{what}: gain {gain:.4g}, delay {delay:.4g} ms at low frequency, residual "
            f"{100 * self.unexplained:.2g} % of the rms, delay uncertainty {1e3 * self.departure:.2g} ms"
        )


@dataclasses.dataclass(frozen=True)
class Identification:
    """Identified rig, with one entry for each actuator."""

    axes: tuple[IdentifiedAxis, ...]
    low: float  # [Hz] lowest frequency
    high: float  # [Hz] highest frequency
    peaks: MotionPeaks  # of the command, and of the measured force
    record: xr.Dataset  # command and measured displacement
    source: str  # "sweep" or "recording"

    @property
    def models(self) -> tuple[LinearTransfer, ...]:
        """Nominal models, one for each actuator."""
        return tuple(axis.model for axis in self.axes)

    @property
    def uncertainty(self) -> float:
        """Largest difference of measured and modelled delay over all axes [s]."""
        return max(axis.departure for axis in self.axes)


def identify(
    test: Test,
    *,
    high: float,
    needed: MotionPeaks,
    order: int | None = None,
    recording: Run | xr.Dataset | None = None,
) -> Identification:
    """Identify the rig of a test, from a simulated sweep or a recording.

    Parameters
    ----------
    high
        Highest frequency of interest [Hz].
    needed
        Peaks of the motion of the test. The sweep starts with its amplitude, since friction makes the rig
        amplitude-dependent.
    order
        Number of poles of the model, 0 to 3 (default: the lowest that fits the record).
    recording
        A run, or the dataset of `testing.read_recording`: its `command` and `measured_displacement` are fitted.
    """
    amplitude = float(needed.displacement.max())
    if not (high > 0 and amplitude > 0):
        raise ParameterError(
            f"identify: got highest frequency {high:g} Hz and amplitude {amplitude:g} m; both must be above 0. "
            "Check that the test moves"
        )
    if recording is None:
        high = min(high, HIGHEST / test.dt)
        record, quiet = sweep(test, low=high / BAND, high=high, needed=needed)
        return _identified(record, test.dt, quiet, high, order, "sweep")
    axes, recorded = math.prod(test.shape), recording_of_run(recording).sizes.get("axis", 1)
    if recorded != axes:
        raise AnalysisError(
            f"the recording has {recorded} axes, the test has {axes}; give two columns for each axis"
        )
    return identify_recording(recording, high=high, order=order)


def identify_recording(
    recording: Run | xr.Dataset, *, high: float | None = None, order: int | None = None
) -> Identification:
    """Identify a rig from a recording alone.

    Parameters
    ----------
    recording
        A run, or the dataset of `testing.read_recording`, with `command` and `measured_displacement`.
    high
        Highest frequency of interest [Hz] (default: 99.9 % of the power of the command is below it).
    order
        Number of poles of the model, 0 to 3 (default: the lowest that fits the record).
    """
    record = recording_of_run(recording).to_dataset()
    missing = [name for name in RECORDED if name not in record]
    if missing:
        raise AnalysisError(
            f"the recording has no {' and no '.join(missing)}; name the columns (testing.read_recording)"
        )
    record = record[list(RECORDED)]
    if record.sizes["time"] < 64:
        raise AnalysisError(
            f"the recording has {record.sizes['time']} samples; the identification needs at least 64"
        )
    step, command = period(record), record["command"].values
    if high is None:
        high = spectrum(command, step).highest
    return _identified(record, step, 0, min(high, HIGHEST / step), order, "recording")


def _identified(record, step, quiet, high, order, source) -> Identification:
    if order is not None and not 0 <= order <= HIGHEST_ORDER:
        raise ParameterError(f"model order: got {order}. Expected 0 (gain and delay) to {HIGHEST_ORDER}")
    low = high / BAND
    command, measured = (record[n].values.reshape(record.sizes["time"], -1) for n in RECORDED)
    axes = tuple(
        _axis(command[:, i], measured[:, i], step, quiet, low, high, order) for i in range(command.shape[1])
    )
    force = record["measured_force"].values if "measured_force" in record else None
    peaks = MotionPeaks.from_samples(command, step, force)
    return Identification(axes, low, high, peaks, record, source)


def recorded_rig(test: Test, identification: Identification) -> Test:
    """Return the test with the identified model as actuator, including the position sensor.

    The command was recorded at ticks, so the model contains the hold of the converter; no command hold is added.
    """
    if not isinstance(test.rig, Rig):
        return test
    made = identified_actuator(identification, test.shape, test.dt)
    rig = dataclasses.replace(test.rig, actuator=made, position_sensor=Series(()), command_hold="quadratic")
    return dataclasses.replace(test, rig=rig)


def identified_actuator(
    identification: Identification, shape: tuple[int, ...] | None = None, dt: float | None = None
) -> Series:
    """Return the identified rig as an actuator: a delay and a transfer function or gain for each axis.

    `shape` is the shape of the interface and `dt` [s] the tick of the test. By default they follow from the recording.
    """
    models = identification.models
    shape = shape if shape is not None else (len(models),) if len(models) > 1 else ()
    order = max(len(model.denominator) for model in models)
    # [rad/s] of an added pole and zero that cancel, for axes with fewer poles
    beyond = 1.0 / (dt or period(identification.record))

    def filled(model: LinearTransfer) -> tuple[np.ndarray, np.ndarray]:
        b, a = np.atleast_1d(model.numerator), np.atleast_1d(model.denominator)
        for _ in range(order - len(a)):
            b, a = (np.polymul(c, [1 / beyond, 1.0]) for c in (b, a))
        return np.concatenate([np.zeros(order - len(b)), b]), a

    numerators, denominators = zip(*map(filled, models), strict=True)
    shaped = (lambda each: each[0]) if not shape else (lambda each: np.stack(each, axis=-1))
    delay = Delay(jnp.asarray(shaped([np.asarray(model.delay) for model in models])))
    lag = TransferFunction(jnp.asarray(shaped(numerators)), jnp.asarray(shaped(denominators)))
    gain = Gain(jnp.asarray(shaped([b[-1] / a[-1] for b, a in zip(numerators, denominators, strict=True)])))
    return Series((delay, lag if order > 1 else gain))


def to_toml(identification: Identification) -> str:
    """Return the identified rig as `[rig.actuator]` of a test file, with the results in comment lines."""
    table = {"rig": {"actuator": dump_part(identified_actuator(identification))}}
    source = identification.record.attrs.get("source", identification.source)
    lines = [f"# identified from {source}, {identification.low:.3g} to {identification.high:.3g} Hz:"]
    lines += [f"# {axis}" for axis in identification.axes]
    return "\n".join([*lines, tomli_w.dumps(table)])


def sweep(test: Test, *, low: float, high: float, needed: MotionPeaks) -> tuple[xr.Dataset, int]:
    """Return the recording of a sweep that starts with a pause at rest, and the number of samples of the pause.

    `needed` has the peaks of the motion of the test. The amplitude of the sweep is that of the test at the lowest
    frequency. It falls where velocity, acceleration or force would exceed 1.2 times that of the test, or a limit.
    """
    if not isinstance(test.rig, Rig):
        raise AnalysisError(
            "a rig without a model cannot be swept in simulation; give the recording of a sweep"
        )
    dt, shape, rig = test.dt, test.shape, test.prepare().require_rig()
    quiet = round(0.25 / dt)
    length = min(max(10.0, 10.0 / low), LONGEST_SWEEP)
    t = dt * np.arange(round(length / dt))
    omega = 2 * np.pi * (low + (high - low) * t / length)
    phase = 2 * np.pi * (low * t + (high - low) * t**2 / (2 * length))
    fade = np.clip(np.minimum(t, length - t) * low, 0.0, 1.0)
    sine = (np.sin(phase) * (1 - np.cos(np.pi * fade)) / 2)[:, None]
    bounds = needed.bounds(test.limits, rotary_axes(test))
    largest = [
        np.where(peak > 0, peak, np.inf) / omega[:, None] ** power
        for power, peak in enumerate((needed.displacement, bounds.velocity, bounds.acceleration))
    ]
    # smooth and below the smallest of the three
    amplitude = sum(each**-SMOOTHNESS for each in largest) ** (-1 / SMOOTHNESS)
    commands = np.concatenate([np.zeros((quiet, amplitude.shape[1])), amplitude * sine])
    for _ in range(MAX_SCALINGS):
        readings = _response(rig, dt, jnp.asarray(commands.reshape(-1, *shape)))
        force = np.asarray(readings["measured_force"])
        ratio = MotionPeaks.from_samples(commands, dt, force).largest_ratio(bounds)
        if ratio <= 1.0 or not math.isfinite(ratio):
            break
        commands = commands * SCALING / ratio
    dims = ("time", *(["axis"] if shape else []))
    arrays = {"command": commands.reshape(-1, *shape), **{n: np.asarray(v) for n, v in readings.items()}}
    return (
        xr.Dataset(
            {name: (dims, values) for name, values in arrays.items()},
            {"time": dt * np.arange(1, len(commands) + 1)},
        ),
        quiet,
    )


@eqx.filter_jit
def _response(rig: AbstractRig, dt: float, commands: jax.Array) -> dict[str, jax.Array]:
    """Return the measured displacement and force after each command."""
    measured = respond(rig, dt, commands)
    return {name: measured[name] for name in READING}


def _axis(u, y, dt: float, quiet: int, low: float, high: float, order: int | None) -> IdentifiedAxis:
    noise = float(np.std(y[:quiet])) if quiet else 0.0
    if np.std(y) <= 3 * noise or np.std(u) == 0:
        raise AnalysisError("the response of the rig to the sweep is below its noise; increase the amplitude")
    if (clipped := clipped_samples(u, y).mean()) > MAX_CLIPPED:
        raise AnalysisError(
            f"the measured displacement is clipped in {100 * clipped:.2g} % of the record, which then shows the limit "
            "and not the actuator; reduce the amplitude or increase the range of the sensor"
        )
    sweep_result = sweep_response(u, y, dt)
    inside = (sweep_result.frequency >= low) & (sweep_result.frequency <= high)
    arrays = (sweep_result.time, sweep_result.frequency, sweep_result.gain, sweep_result.delay)
    response = SweepResponse(*(array[inside] for array in arrays))
    if len(response.frequency) < 5:
        raise AnalysisError(
            f"the record holds {len(response.frequency)} points between {low:g} and {high:g} Hz, "
            "expected at least 5; sweep slower"
        )
    floor = noise / float(np.std(y))

    def beyond(left: float) -> float:  # residual that noise does not explain
        return math.sqrt(max(left**2 - floor**2, 0.0))

    models: list[tuple[LinearTransfer, int, float]] = []
    for poles in range(HIGHEST_ORDER + 1) if order is None else [order]:
        try:
            model, left = _fit(u, y, dt, poles, response, high)
        except AnalysisError:
            continue
        models.append((model, poles, left))
        if beyond(left) <= UNEXPLAINED:
            break
    if not models:
        raise AnalysisError("no model fits the record; check that the rig follows its command")
    # the simplest model whose residual is within UNEXPLAINED of the smallest one: the difference is noise
    best = min(left for _, _, left in models)
    model, poles, left = next(one for one in models if one[2] ** 2 - best**2 <= UNEXPLAINED**2)
    modelled = np.array([float(model.phase_delay(2 * np.pi * f)) for f in response.frequency])
    departure = float(np.quantile(np.abs(response.delay - modelled), 0.95))
    return IdentifiedAxis(model, poles, left, noise, departure, response)


def _fit(u, y, dt: float, poles: int, response: SweepResponse, high: float) -> tuple[LinearTransfer, float]:
    """Return a model with this number of poles, and its residual as fraction of the rms of the record."""
    if poles == 0:
        weight = response.frequency**2  # the phase of a delay is proportional to the frequency
        delay = float(np.sum(weight * response.delay) / np.sum(weight))
        delay = max(delay, 0.0)
        t = dt * np.arange(len(u))
        late = np.interp(t - delay, t, u, left=0.0)
        gain = float(late @ y / (late @ late))
        left = float(np.std(y - gain * late) / np.std(y))
        return LinearTransfer([gain], [1.0], delay), left
    every = max(int(1 / (CYCLES * high * dt)), 1)
    longest = 2 * max(float(response.delay.max()), dt)
    fitted = fit_transfer_function(u[::every], y[::every], every * dt, poles=poles, max_delay=longest)
    if np.any(np.roots(fitted.denominator).real >= 0):
        raise AnalysisError("unstable model")
    return LinearTransfer(
        fitted.numerator, fitted.denominator, fitted.delay
    ), 1.0 - fitted.fit.explained_fraction
