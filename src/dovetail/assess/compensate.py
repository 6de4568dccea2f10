r"""Design step 2 of 4, compensate: compensator candidates from the identified model, evaluated before the rig moves.

A candidate is evaluated by two numbers: its *tracking error* :math:`|C(j\omega) G(j\omega) - 1|` with the identified
G, as rms over the spectrum of the reference motion, and the *growth rate* of the dominant pole of the sampled loop.
Among the stable candidates, the simplest one is proposed whose error is below a tenth of the tolerance or within 10 %
of the smallest error. Where the poles do not decide (nonlinear specimen, adaptive compensator), the proposed candidate
is rehearsed, and the next one is proposed if it is unstable. A candidate that cannot be built (a zero in the right
half-plane, a horizon beyond the usable range) stays in the list with the reason.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.assess.identify import Identification
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
    check_predictor,
    design_predictor,
    make_inverse,
    noise_gain,
)
from dovetail.core.errors import AnalysisError, DovetailError
from dovetail.testing import Test
from dovetail.testing.assessment import is_adaptive
from dovetail.transfer import LinearTransfer

NAMES = (  # the simplest first
    "none",
    "keep",
    "forward-prediction",
    "inverse",
    "adaptive-forward-prediction",
    "adaptive-time-series",
)
ALIKE = 1.1  # errors within this factor count as equal, and the simpler compensator is proposed


@dataclasses.dataclass(frozen=True)
class Predictor:
    """Order and window of a polynomial predictor chosen by the user; None: chosen by the design."""

    order: int | None = None
    window: int | None = None


@dataclasses.dataclass(frozen=True)
class Candidate:
    """Compensator candidate with its predicted performance, or the reason why it cannot be built."""

    name: str
    test: Test | None  # with the compensator
    error: float  # predicted rms tracking error, as fraction of the rms motion; NaN if not determined
    growth: float  # [1/s] growth rate of the sampled loop at rest
    stable: bool  # by the poles of the loop, or by a rehearsal; True if that is necessary but not made yet
    noise: float  # gain on white noise of the demand; NaN if not determined
    remark: str
    rehearsed: bool | None = None  # None: the poles of the loop are sufficient

    @property
    def usable(self) -> bool:
        """True if the compensator can be built and its loop is stable."""
        return self.test is not None and self.stable

    @property
    def summary(self) -> str:
        """Tracking error and stability, or the reason why it is not possible."""
        if self.test is None:
            return f"not possible: {self.remark}"
        error = "not determined" if math.isnan(self.error) else f"{100 * self.error:.2g} %"
        what = {None: "loop", True: "rehearsal", False: "not rehearsed"}[self.rehearsed]
        stable = "" if self.rehearsed is False else " stable" if self.stable else " UNSTABLE"
        at_rest = " at rest" if self.rehearsed is not None else ""
        rate = "not determined" if math.isnan(self.growth) else f"{self.growth:+.3g} 1/s"
        verdict = f"{what}{stable}, growth rate {rate}{at_rest}"
        text = f"tracking error {error}, {verdict}"
        return f"{text}; {self.remark}" if self.remark else text

    def __str__(self) -> str:
        return f"{self.name}: {self.summary}"


def candidates(
    test: Test,
    identification: Identification,
    motion: Spectrum,
    *,
    frequency: float,
    tolerance: float,
    predictor: Predictor | None = None,
) -> list[Candidate]:
    """Return all compensator candidates for this rig, evaluated.

    Parameters
    ----------
    frequency
        Highest frequency of the test [Hz].
    tolerance
        Largest prediction error accepted at that frequency.
    predictor
        Order and window chosen by the user.
    """
    predictor = predictor or Predictor()
    build: dict[str, Callable[[], tuple[Compensator, float, str]]] = {
        "none": lambda: (NoCompensation(), 1.0, ""),
        "forward-prediction": lambda: _prediction(test, identification, frequency, tolerance, predictor),
        "inverse": lambda: _inverse(test, identification, frequency, tolerance, predictor),
        "adaptive-forward-prediction": lambda: _adaptive(
            test, identification, motion, frequency, tolerance, predictor
        ),
        "adaptive-time-series": lambda: _time_series(identification, motion),
    }
    if not isinstance(test.compensator, NoCompensation):
        build["keep"] = lambda: (
            test.compensator,
            math.nan,
            f"{type(test.compensator).__name__} of the test file",
        )
    return [_evaluate(name, build[name], test, identification, motion) for name in NAMES if name in build]


def propose(considered: list[Candidate], *, uncertain: float, tolerance: float) -> str:
    """Return the name of the proposed candidate.

    `uncertain` is the tracking error that the delay uncertainty may add. If it exceeds half of the tolerance, adaptive
    compensators are preferred.
    """
    usable = [c for c in considered if c.usable and not math.isnan(c.error)] or [
        c for c in considered if c.usable
    ]
    if not usable:
        raise AnalysisError("no compensator stabilises this loop: " + "; ".join(str(c) for c in considered))
    learns = [c for c in usable if c.name.startswith("adaptive")]
    if uncertain > tolerance / 2 and learns:
        usable = learns
    best = min(c.error if not math.isnan(c.error) else math.inf for c in usable)
    return next(c.name for c in usable if not c.error > max(ALIKE * best, tolerance / 10))


def confirmed(
    considered: list[Candidate], propose_name: Callable[[list[Candidate]], str]
) -> tuple[str, list[Candidate]]:
    """Return the first proposed name whose complete assessment is stable, and the candidates with what it showed."""
    while True:
        name = propose_name(considered)
        candidate = next(c for c in considered if c.name == name)
        assert candidate.test is not None
        if candidate.rehearsed is not None:
            checked = dataclasses.replace(candidate, stable=candidate.test.stability().stable, rehearsed=True)
            considered = [checked if c is candidate else c for c in considered]
            candidate = checked
        if candidate.stable:
            return name, considered


def _evaluate(name, build, test: Test, identification: Identification, motion: Spectrum) -> Candidate:
    try:
        compensator, noise, remark = build()
        varied = dataclasses.replace(test, compensator=compensator)
        assessment = varied.stability(quick=True)
        linear = assessment.governs == "linear" and not is_adaptive(varied)
    except DovetailError as error:
        return Candidate(name, None, math.nan, math.nan, False, math.nan, str(error))
    try:
        tracking = tracking_error(compensator, identification.models, motion, test.dt)
    except AnalysisError:
        tracking = math.nan
    growth, stable = assessment.growth_rate, assessment.stable or not linear
    return Candidate(name, varied, tracking, growth, stable, noise, remark, None if linear else False)


def tracking_error(
    compensator: Compensator, models: tuple[LinearTransfer, ...], motion: Spectrum, dt: float
) -> float:
    """Return the predicted rms of demand minus measured, as fraction of the rms motion, of the worst axis."""
    inside = motion.frequency <= 2 * motion.highest
    omega = 2 * np.pi * motion.frequency[inside]
    errors = []
    for i, model in enumerate(models):
        response = np.asarray(_axis(compensator, i, len(models)).response(omega, dt))
        miss = np.abs(response * model(1j * omega) - 1.0) ** 2
        errors.append(math.sqrt(float(np.sum(motion.power[inside, i] * miss))))
    return max(errors)


def _axis(compensator: Compensator, i: int, count: int) -> Compensator:
    """Return the compensator of one actuator."""
    if count == 1:
        return compensator
    return jax.tree.map(lambda a: a[i] if jnp.shape(a) == (count,) else a, compensator)


def _delays(identification: Identification, frequency: float) -> np.ndarray:
    return np.array([float(model.phase_delay(2 * np.pi * frequency)) for model in identification.models])


def _per_axis(values) -> jax.Array:
    values = jnp.asarray(values, dtype=float)
    return values[0] if values.shape == (1,) else values


def _shape(test: Test, delay: float, frequency: float, tolerance: float, chosen: Predictor):
    """Return order, window and noise gain of a predictor over `delay` [s], and the remarks of its design."""
    samples = test.tick_count
    if chosen.order is not None and chosen.window is not None:
        order, window = chosen.order, chosen.window
        remarks = check_predictor(
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
            dt=test.dt,
            frequency=frequency,
            delay=delay,
            safety_factor=1.0,
            tolerance=tolerance,
            recording=samples,
        )
        order, window, remarks = designed.order, designed.window, designed.remarks
    refused = [r for r in remarks if "beyond the usable range" in r or "longer than the recording" in r]
    if refused:
        raise AnalysisError("; ".join(refused))
    gain = float(noise_gain(order, window, delay / test.dt))
    text = f"order {order}, {window} samples, noise gain {gain:.3g}"
    return order, window, gain, "; ".join([text, *remarks])


def _prediction(test, identification: Identification, frequency, tolerance, chosen):
    delays = _delays(identification, frequency)
    order, window, noise, remark = _shape(test, float(delays.max()), frequency, tolerance, chosen)
    gains = [1.0 / abs(complex(m(np.asarray(2j * np.pi * frequency)))) for m in identification.models]
    built = ForwardPrediction(_per_axis(delays), _per_axis(gains), order=order, window=window)
    return built, noise, f"prediction {_ms(delays)}, {remark}"


def _inverse(test, identification: Identification, frequency, tolerance, chosen):
    models = identification.models
    order, window, noise, remark = 4, 10, 1.0, ""
    if max(float(m.delay) for m in models) > 0:
        order, window, noise, remark = _shape(
            test, max(float(m.delay) for m in models), frequency, tolerance, chosen
        )
    if len(models) == 1:
        try:
            return make_inverse(models[0], order=order, window=window), noise, remark
        except AnalysisError as error:
            approximate = make_inverse(models[0], approximate=True, order=order, window=window)
            return approximate, noise, f"approximate: {error}"
    return _inverses(models, order, window), noise, remark


def _inverses(models: tuple[LinearTransfer, ...], order: int, window: int) -> Compensator:
    """Return the inverses of several actuators: all of first or all of second order, without zeros."""
    poles = {len(m.denominator) - 1 for m in models}
    zeros = {len(np.trim_zeros(m.numerator, "f")) - 1 for m in models}
    if zeros != {0} or poles not in ({0}, {1}, {2}):
        raise AnalysisError(
            "the inverse needs actuator models without zeros, all of first or all of second order"
        )
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


def _adaptive(test, identification: Identification, motion: Spectrum, frequency, tolerance, chosen):
    fixed, noise, remark = _prediction(test, identification, frequency, tolerance, chosen)
    built = AdaptiveForwardPrediction(
        fixed.delay,
        fixed.gain,
        order=fixed.order,
        window=fixed.window,
        alpha=10.0,
        beta=0.5,
        length_unit=motion.peak,
        max_horizon=float(2 * jnp.max(fixed.delay) + 10 * test.dt),
    )
    return built, noise, f"initial: {remark}"


def _time_series(identification: Identification, motion: Spectrum):
    delays = np.array([float(m.low_frequency_delay) for m in identification.models])
    longest = float(delays.max())
    bends = [_bend(m) for m in identification.models]
    built = AdaptiveTimeSeries(
        _per_axis(delays),
        smoothing_window=33,
        min_motion=motion.peak / 20,
        min_coefficients=(0.8, 0.5 * float(delays.min()), 0.5 * min(bends)),
        max_coefficients=(1.25, 1.5 * longest, 1.5 * max(bends)),
    )
    return built, 1.0, f"initial delay {_ms(delays)}"


def _bend(model: LinearTransfer) -> float:
    """Return the coefficient p2 [s^2] of the inverse, 1/G = p0 (1 + p1 s + p2 s^2 + ...) about s = 0."""
    h = 1e-3 / max(float(model.low_frequency_delay), 1e-9)
    values = [1.0 / complex(model(np.asarray(s))) for s in (-h, 0.0, h)]
    return float(((values[0] - 2 * values[1] + values[2]) / values[1]).real) / (2 * h**2)


def _ms(seconds: np.ndarray) -> str:
    return ", ".join(f"{1e3 * s:.4g}" for s in seconds) + " ms"
