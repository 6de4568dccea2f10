r"""Step 2 of four, compensate: candidates from the identified model, each judged before anything moves.

A candidate is judged by two numbers. The *tracking error* it leaves, :math:`|C(j\omega) G(j\omega) - 1|` with
the identified G, in the rms over the spectrum of the ideal motion; and the *growth* of the dominant pole of
the whole sampled loop with it. Of those that decay, the simplest is proposed whose error is a tenth of the
tolerance or about as small as any. A candidate that cannot be built (a zero in the right half-plane, a
horizon beyond the usable range) stays in the list with the reason.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.assess.identify import Identification
from dovetail.assess.margins import ByPoles, Judge, growths
from dovetail.assess.test_motion import Spectrum
from dovetail.compensation import (
    AdaptiveForwardPrediction,
    AdaptiveTimeSeries,
    Cascade,
    Compensator,
    FirstOrderInverse,
    ForwardPrediction,
    NoCompensation,
    SecondOrderInverse,
    design_predictor,
    inverse_of,
    noise_gain,
    predictor_remarks,
)
from dovetail.core.errors import AnalysisError, DovetailError
from dovetail.testing import Test
from dovetail.transfer import LinearTransfer

NAMES = (  # the simplest first
    "none",
    "keep",
    "forward-prediction",
    "inverse",
    "adaptive-forward-prediction",
    "adaptive-time-series",
)
ALIKE = 1.1  # errors within this factor are the same, and the simpler compensator is taken


@dataclasses.dataclass(frozen=True)
class Predictor:
    """Order and window of a polynomial predictor, where the user has decided them."""

    order: int | None = None
    window: int | None = None


@dataclasses.dataclass(frozen=True)
class Candidate:
    """A compensator, what it would do, or why there is none."""

    name: str
    compensator: Compensator | None
    error: float  # predicted rms tracking error over that of the motion; NaN where it is not known
    growth: float  # [1/s] of the sampled loop at rest
    stable: bool  # as the loop was judged: by its poles, or by a rehearsal
    noise: float  # factor on white noise of the demand; NaN where it is not known
    remark: str

    @property
    def usable(self) -> bool:
        """True if it could be built and its loop is stable."""
        return self.compensator is not None and self.stable

    @property
    def said(self) -> str:
        """What is to be said of it."""
        if self.compensator is None:
            return f"not possible, as {self.remark}"
        error = "not known" if math.isnan(self.error) else f"{100 * self.error:.2g} %"
        if self.stable == (self.growth < 0):
            verdict = f"the loop {'decays' if self.stable else 'GROWS'} at {self.growth:+.3g} 1/s"
        else:
            verdict = f"the rehearsal {'holds' if self.stable else 'is LOST'}, {self.growth:+.3g} 1/s at rest"
        text = f"tracking error {error}, {verdict}"
        return f"{text}; {self.remark}" if self.remark else text

    def __str__(self) -> str:
        return f"{self.name}: {self.said}"


def candidates(
    test: Test,
    found: Identification,
    motion: Spectrum,
    *,
    frequency: float,
    tolerance: float,
    predictor: Predictor | None = None,
    judge: Judge | None = None,
) -> list[Candidate]:
    """Every compensator that Dovetail would consider for this rig, judged.

    Parameters
    ----------
    frequency
        Highest frequency of the test [Hz].
    tolerance
        Largest prediction error accepted at that frequency.
    predictor
        Order and window, where they are not to be chosen.
    judge
        What decides whether a loop is stable; its poles if not given.
    """
    judge = judge or ByPoles()
    predictor = predictor or Predictor()
    build: dict[str, Callable[[], tuple[Compensator, float, str]]] = {
        "none": lambda: (NoCompensation(), 1.0, ""),
        "forward-prediction": lambda: _prediction(test, found, frequency, tolerance, predictor),
        "inverse": lambda: _inverse(test, found, frequency, tolerance, predictor),
        "adaptive-forward-prediction": lambda: _adaptive(
            test, found, motion, frequency, tolerance, predictor
        ),
        "adaptive-time-series": lambda: _time_series(found, motion),
    }
    if not isinstance(test.compensator, NoCompensation):
        build["keep"] = lambda: (test.compensator, math.nan, f"the file's {type(test.compensator).__name__}")
    return [_judged(name, build[name], test, found, motion, judge) for name in NAMES if name in build]


def propose(found: list[Candidate], *, uncertain: float, tolerance: float) -> str:
    """Name of the candidate to take.

    `uncertain` is the tracking error that the identified uncertainty of the delay may add: where it exceeds
    half of the tolerance, one that learns is preferred.
    """
    usable = [c for c in found if c.usable and not math.isnan(c.error)] or [c for c in found if c.usable]
    if not usable:
        raise AnalysisError("no compensator makes this loop stable: " + "; ".join(str(c) for c in found))
    learns = [c for c in usable if c.name.startswith("adaptive")]
    if uncertain > tolerance / 2 and learns:
        usable = learns
    best = min(c.error if not math.isnan(c.error) else math.inf for c in usable)
    return next(c.name for c in usable if not c.error > max(ALIKE * best, tolerance / 10))


def _judged(name, build, test: Test, found: Identification, motion: Spectrum, judge: Judge) -> Candidate:
    try:
        compensator, noise, remark = build()
        varied = dataclasses.replace(test, compensator=compensator)
        growth = float(growths([varied])[0])
        stable = growth < 0 if isinstance(judge, ByPoles) else bool(judge.bears(varied, np.zeros(1))[0])
    except DovetailError as error:
        return Candidate(name, None, math.nan, math.nan, False, math.nan, str(error))
    try:
        tracking = tracking_error(compensator, found.models, motion, test.dt)
    except AnalysisError:
        tracking = math.nan
    return Candidate(name, compensator, tracking, growth, stable, noise, remark)


def tracking_error(
    compensator: Compensator, models: tuple[LinearTransfer, ...], motion: Spectrum, dt: float
) -> float:
    """Predicted rms of demand minus measured, over the rms of the motion; the worst axis."""
    inside = motion.frequency <= 2 * motion.highest
    omega = 2 * np.pi * motion.frequency[inside]
    errors = []
    for i, model in enumerate(models):
        response = np.asarray(_axis(compensator, i, len(models)).response(omega, dt))
        miss = np.abs(response * model(1j * omega) - 1.0) ** 2
        errors.append(math.sqrt(float(np.sum(motion.power[inside, i] * miss))))
    return max(errors)


def _axis(compensator: Compensator, i: int, count: int) -> Compensator:
    """The compensator of one actuator."""
    if count == 1:
        return compensator
    return jax.tree.map(lambda a: a[i] if jnp.shape(a) == (count,) else a, compensator)


def _delays(found: Identification, frequency: float) -> np.ndarray:
    return np.array([float(model.phase_delay(2 * np.pi * frequency)) for model in found.models])


def _per_axis(values) -> jax.Array:
    values = jnp.asarray(values, dtype=float)
    return values[0] if values.shape == (1,) else values


def _shape(test: Test, delay: float, frequency: float, tolerance: float, chosen: Predictor):
    """Order and window of a predictor over `delay` [s], and what its design said."""
    samples = test.tick_count
    if chosen.order is not None and chosen.window is not None:
        order, window = chosen.order, chosen.window
        remarks = predictor_remarks(
            order,
            window,
            delay=delay,
            frequency=frequency,
            dt=test.dt,
            tolerance=tolerance,
            recording=samples,
        )
    else:
        designed = design_predictor(
            dt=test.dt, frequency=frequency, delay=delay, safety=1.0, tolerance=tolerance, recording=samples
        )
        order, window, remarks = designed.order, designed.window, designed.remarks
    refused = [r for r in remarks if "beyond the usable range" in r or "longer than the recording" in r]
    if refused:
        raise AnalysisError("; ".join(refused))
    gain = float(noise_gain(order, window, delay / test.dt))
    text = f"order {order} over {window} samples, noise times {gain:.3g}"
    return order, window, gain, "; ".join([text, *remarks])


def _prediction(test, found: Identification, frequency, tolerance, chosen):
    delays = _delays(found, frequency)
    order, window, noise, said = _shape(test, float(delays.max()), frequency, tolerance, chosen)
    gains = [1.0 / abs(complex(m(np.asarray(2j * np.pi * frequency)))) for m in found.models]
    built = ForwardPrediction(_per_axis(delays), _per_axis(gains), order=order, window=window)
    return built, noise, f"{_ms(delays)} ahead, {said}"


def _inverse(test, found: Identification, frequency, tolerance, chosen):
    models = found.models
    order, window, noise, said = 4, 10, 1.0, ""
    if max(float(m.delay) for m in models) > 0:
        order, window, noise, said = _shape(
            test, max(float(m.delay) for m in models), frequency, tolerance, chosen
        )
    if len(models) == 1:
        try:
            return inverse_of(models[0], order=order, window=window), noise, said
        except AnalysisError as error:
            approximate = inverse_of(models[0], approximate=True, order=order, window=window)
            return approximate, noise, f"approximate, as {error}"
    return _inverses(models, order, window), noise, said


def _inverses(models: tuple[LinearTransfer, ...], order: int, window: int) -> Compensator:
    """Inverses of several actuators side by side: all of first or all of second order, without zeros."""
    poles = {len(m.denominator) - 1 for m in models}
    zeros = {len(np.trim_zeros(m.numerator, "f")) - 1 for m in models}
    if zeros != {0} or poles not in ({0}, {1}, {2}):
        raise AnalysisError("the actuators' models are not of one order up to two without zeros")
    a = [m.denominator / m.numerator[-1] for m in models]
    delay = ForwardPrediction(_per_axis([float(m.delay) for m in models]), order=order, window=window)
    if poles == {0}:
        return dataclasses.replace(delay, gain=_per_axis([c[-1] for c in a]))
    if poles == {1}:
        first = FirstOrderInverse(_per_axis([c[1] / c[0] for c in a]), _per_axis([1 / c[0] for c in a]))
        return Cascade((first, delay))
    inverse = SecondOrderInverse(
        _per_axis([c[0] / c[2] for c in a]), _per_axis([c[1] / c[2] for c in a]), _per_axis([1.0] * len(a))
    )
    return Cascade((inverse, dataclasses.replace(delay, gain=_per_axis([c[2] for c in a]))))


def _adaptive(test, found: Identification, motion: Spectrum, frequency, tolerance, chosen):
    fixed, noise, said = _prediction(test, found, frequency, tolerance, chosen)
    built = AdaptiveForwardPrediction(
        fixed.delay,
        fixed.gain,
        order=fixed.order,
        window=fixed.window,
        alpha=10.0,
        beta=0.5,
        length_unit=motion.peak,
        longest=float(2 * jnp.max(fixed.delay) + 10 * test.dt),
    )
    return built, noise, f"starts {said}"


def _time_series(found: Identification, motion: Spectrum):
    delays = np.array([float(m.low_frequency_delay) for m in found.models])
    longest = float(delays.max())
    bends = [_bend(m) for m in found.models]
    built = AdaptiveTimeSeries(
        _per_axis(delays),
        smoothing=33,
        threshold=motion.peak / 20,
        lowest=(0.8, 0.5 * float(delays.min()), 0.5 * min(bends)),
        highest=(1.25, 1.5 * longest, 1.5 * max(bends)),
    )
    return built, 1.0, f"starts with {_ms(delays)}"


def _bend(model: LinearTransfer) -> float:
    """Second coefficient of the inverse's series about rest, 1/G = p0 (1 + p1 s + p2 s^2 + ...) [s^2]."""
    h = 1e-3 / max(float(model.low_frequency_delay), 1e-9)
    values = [1.0 / complex(model(np.asarray(s))) for s in (-h, 0.0, h)]
    return float(((values[0] - 2 * values[1] + values[2]) / values[1]).real) / (2 * h**2)


def _ms(seconds: np.ndarray) -> str:
    return ", ".join(f"{1e3 * s:.4g}" for s in seconds) + " ms"
