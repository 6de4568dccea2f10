"""Step 1 of four, identify: what the rig makes of a command, as a nominal model and what it leaves open.

The whole rig, specimen attached, is swept through the band of the test without the numerical substructure.
The simplest of a few models that explains the record is the nominal one: a gain and a delay, then a lag of
first, second, third order with a delay. What the delay does that the model does not is the uncertainty
that the later steps must live with [wallace2006thesis, sec. 5.2].
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
from dovetail.core.errors import AnalysisError, ParameterError
from dovetail.fidelity.traces import dataset, period
from dovetail.testing import AbstractRig, Rig, Run, Test
from dovetail.testing.test_file import dump_part
from dovetail.transfer import Delay, Gain, LinearTransfer, Series, TransferFunction
from dovetail.transfer.identification import SweepResponse, fit_transfer_function, sweep_response

UNEXPLAINED = 0.01  # of the record's rms, beyond its noise: more asks for a richer model
HIGHEST_ORDER = 3
HIGHEST = 0.4  # of the sampling rate: the highest frequency that is looked at
BAND = 20.0  # highest over lowest frequency
RECORDED = ("command", "measured_displacement")
CYCLES = 30  # samples in a cycle that a fitted record keeps at least
LONGEST_SWEEP = 30.0  # [s]


@dataclasses.dataclass(frozen=True)
class IdentifiedAxis:
    """What was found of one actuator."""

    model: LinearTransfer  # nominal, from command to measured displacement
    order: int  # poles of the model; 0 for a gain and a delay
    unexplained: float  # rms that the model leaves, over the rms measured
    noise: float  # [m] rms measured at rest
    departure: float  # [s] how far the delay strays from the model's within the band
    response: SweepResponse

    def __str__(self) -> str:
        delay = 1e3 * float(self.model.low_frequency_delay)
        gain = abs(complex(self.model(np.asarray(0j))))
        what = "a gain and a delay" if self.order == 0 else f"order {self.order} and a delay"
        return (
            f"{what}: gain {gain:.4g}, {delay:.4g} ms at low frequency, leaves "
            f"{100 * self.unexplained:.2g} %; the delay strays by {1e3 * self.departure:.2g} ms"
        )


@dataclasses.dataclass(frozen=True)
class Identification:
    """The rig as identified: one entry for each actuator."""

    axes: tuple[IdentifiedAxis, ...]
    low: float  # [Hz] of the sweep
    high: float  # [Hz]
    amplitude: float  # [m]
    record: xr.Dataset  # command and measured displacement
    source: str  # "sweep" or "recording"

    @property
    def models(self) -> tuple[LinearTransfer, ...]:
        """Nominal models, one for each actuator."""
        return tuple(axis.model for axis in self.axes)

    @property
    def uncertainty(self) -> float:
        """Largest departure of a delay from its model [s]."""
        return max(axis.departure for axis in self.axes)


def identify(
    test: Test,
    *,
    high: float,
    amplitude: float,
    order: int | None = None,
    recording: Run | xr.Dataset | None = None,
) -> Identification:
    """Sweep the test's virtual rig, or take the recording of a real one, and fit.

    Parameters
    ----------
    high
        Highest frequency of interest [Hz].
    amplitude
        Of the sweep [m]: that of the test, since a rig with friction is another one at another size.
    order
        Poles of the model, 0 to 3; the lowest that explains the record if not given.
    recording
        A run, or what `testing.read_recording` gives, whose `command` and `measured_displacement` are fitted instead.
    """
    if not (high > 0 and amplitude > 0):
        raise ParameterError(
            f"identify: high = {high:g} Hz and amplitude = {amplitude:g} m must be positive; "
            "does the test move?"
        )
    if recording is None:
        high = min(high, HIGHEST / test.dt)
        record, quiet = sweep(test, low=high / BAND, high=high, amplitude=amplitude)
        return _identified(record, test.dt, quiet, high, amplitude, order, "sweep")
    axes, recorded = math.prod(test.shape), dataset(recording).sizes.get("axis", 1)
    if recorded != axes:
        raise AnalysisError(
            f"the recording has {recorded} axes and the test {axes}; give command and measured displacement of each"
        )
    return dataclasses.replace(identify_recording(recording, high=high, order=order), amplitude=amplitude)


def identify_recording(
    recording: Run | xr.Dataset, *, high: float | None = None, order: int | None = None
) -> Identification:
    """Fit what a rig made of its commands, from a recording alone.

    Parameters
    ----------
    recording
        A run, or what `testing.read_recording` gives: `command` and `measured_displacement` over equally spaced times.
    high
        Highest frequency of interest [Hz]; that below which 99.9 % of the command's power lies if not given.
    order
        Poles of the model, 0 to 3; the lowest that explains the record if not given.
    """
    record = dataset(recording)
    missing = [name for name in RECORDED if name not in record]
    if missing:
        raise AnalysisError(
            f"the recording has no {' and no '.join(missing)}; name its columns (testing.read_recording)"
        )
    record = record[list(RECORDED)]
    if record.sizes["time"] < 64:
        raise AnalysisError(
            f"the recording has {record.sizes['time']} samples; an identification needs 64 or more"
        )
    step, command = period(record), record["command"].values
    if high is None:
        high = spectrum(command, step).highest
    return _identified(
        record, step, 0, min(high, HIGHEST / step), float(np.abs(command).max()), order, "recording"
    )


def _identified(record, step, quiet, high, amplitude, order, source) -> Identification:
    if order is not None and not 0 <= order <= HIGHEST_ORDER:
        raise ParameterError(f"identify.order: got {order}; from 0 (a gain and a delay) to {HIGHEST_ORDER}")
    low = high / BAND
    command, measured = (record[n].values.reshape(record.sizes["time"], -1) for n in RECORDED)
    axes = tuple(
        _axis(command[:, i], measured[:, i], step, quiet, low, high, order) for i in range(command.shape[1])
    )
    return Identification(axes, low, high, amplitude, record, source)


def recorded_rig(test: Test, found: Identification) -> Test:
    """The test on the rig that was identified: actuator and position sensor as the recording has them, as one.

    The command was recorded at ticks, so the hold of the converter is in the model; it is not added once more.
    """
    if not isinstance(test.rig, Rig):
        return test
    made = actuator(found, test.shape, test.dt)
    rig = dataclasses.replace(test.rig, actuator=made, position_sensor=Series(()), between_ticks="smooth")
    return dataclasses.replace(test, rig=rig)


def actuator(found: Identification, shape: tuple[int, ...] | None = None, dt: float | None = None) -> Series:
    """The identified rig as an actuator: a delay and a transfer function, or a gain, one for each axis.

    `shape` is that of the interface, and `dt` [s] the tick of the test; where they are not given, a recording of one
    axis is that of an interface of one, and its own sampling counts.
    """
    models = found.models
    shape = shape if shape is not None else (len(models),) if len(models) > 1 else ()
    order = max(len(model.denominator) for model in models)
    # [rad/s] of a pole and zero that cancel, where an axis has fewer poles than another
    beyond = 1.0 / (dt or period(found.record))

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


def as_toml(found: Identification) -> str:
    """The identified rig as the `[rig.actuator]` of a test file, with what was found in the lines above."""
    table = {"rig": {"actuator": dump_part(actuator(found))}}
    source = found.record.attrs.get("source", found.source)
    said = [f"# identified from {source}, {found.low:.3g} to {found.high:.3g} Hz:"]
    said += [f"# {axis}" for axis in found.axes]
    return "\n".join([*said, tomli_w.dumps(table)])


def sweep(test: Test, *, low: float, high: float, amplitude: float) -> tuple[xr.Dataset, int]:
    """The rig's answer to a sweep after a moment of rest, and the number of samples of rest."""
    if not isinstance(test.rig, Rig):
        raise AnalysisError("a rig without a model cannot be swept here; give the recording of a sweep")
    dt, shape = test.dt, test.shape
    quiet = round(0.25 / dt)
    length = min(max(10.0, 10.0 / low), LONGEST_SWEEP)
    t = dt * np.arange(round(length / dt))
    phase = 2 * np.pi * (low * t + (high - low) * t**2 / (2 * length))
    fade = np.clip(np.minimum(t, length - t) * low, 0.0, 1.0)
    signal = np.r_[np.zeros(quiet), amplitude * np.sin(phase) * (1 - np.cos(np.pi * fade)) / 2]
    commands = np.broadcast_to(signal.reshape(-1, *(1,) * len(shape)), (len(signal), *shape))
    measured = np.asarray(_answer(test.prepared().rig, dt, jnp.asarray(commands)))
    dims = ("time", *(["axis"] if shape else []))
    return (
        xr.Dataset(
            {"command": (dims, commands), "measured_displacement": (dims, measured)},
            {"time": dt * np.arange(1, len(signal) + 1)},
        ),
        quiet,
    )


@eqx.filter_jit
def _answer(rig: AbstractRig, dt: float, commands: jax.Array) -> jax.Array:
    """Measured displacement after each command."""

    def step(x, k_and_command):
        k, command = k_and_command
        x, reading = rig.step(k * dt, dt, x, command)
        return x, reading["measured_displacement"]

    return jax.lax.scan(step, rig.init(), (jnp.arange(len(commands)), commands))[1]


def _axis(u, y, dt: float, quiet: int, low: float, high: float, order: int | None) -> IdentifiedAxis:
    noise = float(np.std(y[:quiet])) if quiet else 0.0
    if np.std(y) <= 3 * noise or np.std(u) == 0:
        raise AnalysisError("the rig does not follow the sweep beyond its noise; raise the amplitude")
    found = sweep_response(u, y, dt)
    inside = (found.frequency >= low) & (found.frequency <= high)
    response = SweepResponse(*(a[inside] for a in (found.time, found.frequency, found.gain, found.delay)))
    if len(response.frequency) < 5:
        raise AnalysisError(
            f"the record holds {len(response.frequency)} points between {low:g} and {high:g} Hz; sweep slower"
        )
    floor = noise / float(np.std(y))

    def beyond(left: float) -> float:  # what noise does not explain
        return math.sqrt(max(left**2 - floor**2, 0.0))

    tried: list[tuple[LinearTransfer, int, float]] = []
    for poles in range(HIGHEST_ORDER + 1) if order is None else [order]:
        try:
            model, left = _fit(u, y, dt, poles, response, high)
        except AnalysisError:
            continue
        tried.append((model, poles, left))
        if beyond(left) <= UNEXPLAINED:
            break
    if not tried:
        raise AnalysisError("no model resembles the record; check that the rig follows its command at all")
    # the simplest of which no other explains more than that share of the record beside it: the rest is noise
    best = min(left for _, _, left in tried)
    model, poles, left = next(one for one in tried if one[2] ** 2 - best**2 <= UNEXPLAINED**2)
    modelled = np.array([float(model.phase_delay(2 * np.pi * f)) for f in response.frequency])
    departure = float(np.quantile(np.abs(response.delay - modelled), 0.95))
    return IdentifiedAxis(model, poles, left, noise, departure, response)


def _fit(u, y, dt: float, poles: int, response: SweepResponse, high: float) -> tuple[LinearTransfer, float]:
    """A model with that many poles, and the share of the record's rms that it leaves."""
    if poles == 0:
        weight = response.frequency**2  # a delay shows in proportion to the frequency
        delay = float(np.sum(weight * response.delay) / np.sum(weight))
        delay = max(delay, 0.0)
        t = dt * np.arange(len(u))
        late = np.interp(t - delay, t, u, left=0.0)
        gain = float(late @ y / (late @ late))
        left = float(np.std(y - gain * late) / np.std(y))
        return LinearTransfer([gain], [1.0], delay), left
    every = max(int(1 / (CYCLES * high * dt)), 1)
    longest = 2 * max(float(response.delay.max()), dt)
    fitted = fit_transfer_function(u[::every], y[::every], every * dt, poles=poles, longest=longest)
    if np.any(np.roots(fitted.denominator).real >= 0):
        raise AnalysisError("unstable model")
    return LinearTransfer(fitted.numerator, fitted.denominator, fitted.delay), 1.0 - fitted.fit.share
