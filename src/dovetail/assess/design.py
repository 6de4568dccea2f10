"""Design of a hybrid test in four steps: identify, compensate, robustify, verify; the result is go or no-go.

Each step is a pure function in its own module. This module runs them in order and records every decision with its
reason and alternatives. A caller can decide differently: `choose` is called at every decision and returns the proposal
by default.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from dovetail.assess import robustify
from dovetail.assess.compensate import Candidate, Predictor, candidates, confirmed
from dovetail.assess.compensate import propose as propose_candidate
from dovetail.assess.identify import Identification, identify, recorded_rig
from dovetail.assess.robustify import RobustnessOption
from dovetail.assess.test_motion import Spectrum, spectrum
from dovetail.assess.verify import Verification, accepted, max_accepted_error, verify
from dovetail.compensation import Decision
from dovetail.core.errors import AnalysisError, ParameterError, UnknownNameError
from dovetail.testing import Accept, Assessment, Run, Test
from dovetail.testing.motion_peaks import MotionPeaks

STEPS = ("identify", "compensate", "robustify", "verify")
Choose = Callable[
    [str, str, Mapping[str, str]], str
]  # decision, proposal, options with their text: the choice
Report = Callable[[str], None]  # progress text


def accept_proposal(fork: str, proposal: str, options: Mapping[str, str]) -> str:
    """Return the proposal."""
    return proposal


@dataclasses.dataclass(frozen=True)
class DesignOptions:
    """Decisions of the user; None leaves the decision to the design.

    Attributes
    ----------
    compensator
        One of `compensate.NAMES`.
    robustness
        One of `robustify.NAMES`.
    max_frequency
        Highest frequency of the test [Hz].
    model_order
        Number of poles of the identified model, 0 to 3.
    predictor_order, predictor_window
        Polynomial order and number of samples of the predictor.
    max_error
        Largest error for a go, as fraction of the reference solution; replaces the errors in the acceptance criteria.
    safety_factor
        Factor on the delay uncertainty.
    """

    compensator: str | None = None
    robustness: str | None = None
    max_frequency: float | None = None
    model_order: int | None = None
    predictor_order: int | None = None
    predictor_window: int | None = None
    max_error: float | None = None
    safety_factor: float = 2.0

    def __post_init__(self):
        max_error = 0.1 if self.max_error is None else self.max_error
        if not 0 < max_error < 10 or not self.safety_factor >= 1:
            raise ParameterError(
                f"largest error {max_error:g}: must be above 0 and below 10 (0.1 is 10 % of the reference); "
                f"safety factor {self.safety_factor:g}: must be at least 1"
            )
        if (self.predictor_order is None) != (self.predictor_window is None):
            raise ParameterError("predictor: order and window belong together; give both or neither")


@dataclasses.dataclass(frozen=True)
class Design:
    """Designed test with the results and decisions of every step."""

    test: Test
    stability: Assessment  # of the test without compensation, on the recorded rig if there is a recording
    motion: Spectrum
    identification: Identification
    candidates: tuple[Candidate, ...]
    robustness_options: tuple[RobustnessOption, ...]
    assessment: Assessment  # of the designed test
    required: float  # [s] required delay margin
    verification: Verification
    decisions: dict[str, tuple[Decision, ...]]  # by step
    options: DesignOptions

    @property
    def go(self) -> bool:
        """True if every check of the verification passed."""
        return self.verification.go

    @property
    def verdict(self) -> str:
        """Go or no-go as a sentence."""
        failed = [check.what for check in self.verification.checks if not check.passed]
        return "GO: all checks passed." if self.go else f"NO-GO: {', '.join(failed)} failed."

    def __str__(self) -> str:
        lines = []
        for step, decided in self.decisions.items():
            lines += [step.upper(), *(f"  {decision}" for decision in decided)]
        return "\n".join([*lines, self.verdict])


def design(
    test: Test,
    options: DesignOptions | None = None,
    *,
    recording: Run | xr.Dataset | None = None,
    choose: Choose = accept_proposal,
    report: Report = lambda text: None,
) -> Design:
    """Design a test with a simulated rig.

    Parameters
    ----------
    recording
        A run on the real rig, or the dataset of `testing.read_recording`. Its command and measured displacement are
        identified instead of a simulated sweep. The identified model replaces the actuator of the test, also in the
        test that is written.
    choose
        Called at every decision; `accept_proposal` returns the proposal.
    report
        Called with a text at the start of every step.

    Raises
    ------
    AnalysisError
        If no design is possible: no motion, a rig that does not follow its command, an unstable inner loop, or no
        compensator with a stable loop.
    """
    options, notes = options or DesignOptions(), _Notes()
    every, test = test.record_every, dataclasses.replace(test, record_every=1)  # the design uses all ticks

    report("identify: reference solution and sweep of the rig")
    test, first_step = _identified(test, recording, options, notes)

    report("compensate: candidates and poles of their loops")
    test, considered = _compensated(test, first_step, options, choose, notes)

    report("robustify: delay margin of the loop")
    required = robustify.required_margin(
        first_step.identification.uncertainty, test.dt, options.safety_factor
    )
    test, assessment, robustness = _robust(test, first_step, required, options, choose, notes)

    report("verify: rehearsal, and rehearsal with additional rig delay")
    verification = _verified(test, first_step, assessment, required, options, notes)
    return Design(
        dataclasses.replace(test, record_every=every),
        first_step.stability,
        first_step.motion,
        first_step.identification,
        tuple(considered),
        tuple(robustness),
        assessment,
        required,
        verification,
        notes.decisions(),
        options,
    )


class _Notes:
    """Decisions by step, with consecutive numbers."""

    def __init__(self):
        self._by_step: dict[str, list[Decision]] = {step: [] for step in STEPS}

    def add(self, step: str, subject: str, choice: str, reason: str) -> None:
        number = sum(map(len, self._by_step.values())) + 1
        self._by_step[step].append(Decision(number, subject, choice, reason))

    def decisions(self) -> dict[str, tuple[Decision, ...]]:
        return {step: tuple(decided) for step, decided in self._by_step.items()}


def _choose(
    fork: str, wanted: str | None, proposal: Callable[[], str], options: Mapping[str, str], choose: Choose
) -> str:
    name = wanted if wanted is not None else choose(fork, proposal(), options)
    if name not in options:
        raise UnknownNameError(fork, name, options)
    return name


@dataclasses.dataclass(frozen=True)
class _FirstStep:
    """Results of the first step, used by the other steps."""

    reference: Run
    accept: Accept  # criteria for a go
    motion: Spectrum
    stability: Assessment  # of the test without compensation
    frequency: float  # [Hz] highest frequency of the test
    identification: Identification


def _identified(
    test: Test, recording: Run | xr.Dataset | None, options: DesignOptions, notes: _Notes
) -> tuple[Test, _FirstStep]:
    """Return the test, on the recorded rig if there is a recording, and the results of the first step."""
    test.prepare()  # first, to report an unstable inner loop or an invalid parameter
    stability = test.stability()
    reference = test.reference()
    motion = spectrum(reference.data["displacement"].values, test.dt)
    frequency = _frequency(options, motion, stability, test, notes)
    identification = identify(
        test,
        high=frequency,
        needed=MotionPeaks.from_recording(reference.recording),
        order=options.model_order,
        recording=recording,
    )
    if recording is not None:
        test = recorded_rig(test, identification)
        stability = test.stability()
        notes.add(
            "identify",
            "actuator",
            "identified from the recording",
            "the identified model replaces actuator and position sensor of the test, in all following steps and in "
            "the test that is written",
        )
    _note_identification(identification, stability, options, notes)
    notes.add(
        "identify",
        "specimen",
        "linear" if stability.governs == "linear" else "nonlinear or not known to be linear",
        f"stability is decided by: {stability.validity or 'none of the analyses'}",
    )
    accept = accepted(test, reference, options.max_error)
    return test, _FirstStep(reference, accept, motion, stability, frequency, identification)


def _compensated(
    test: Test, first_step: _FirstStep, options: DesignOptions, choose: Choose, notes: _Notes
) -> tuple[Test, list[Candidate]]:
    """Return the test with the chosen compensator, and all candidates."""
    tolerance = max_accepted_error(first_step.accept)
    considered = candidates(
        test,
        first_step.identification,
        first_step.motion,
        frequency=first_step.frequency,
        tolerance=tolerance / 2,
        predictor=Predictor(options.predictor_order, options.predictor_window),
    )
    if options.compensator is None:
        uncertain = 2 * np.pi * _centre(first_step.motion) * first_step.identification.uncertainty
        proposal, considered = confirmed(
            considered,
            lambda those: propose_candidate(those, uncertain=uncertain, tolerance=tolerance),
        )
    name = _choose(
        "compensator",
        options.compensator,
        lambda: proposal,
        {c.name: str(c) for c in considered},
        choose,
    )
    chosen = next(c for c in considered if c.name == name)
    if chosen.test is None:
        raise AnalysisError(f"compensator {chosen}")
    notes.add("compensate", "compensator", name, chosen.summary)
    for other in considered:
        if other.name != name:
            notes.add("compensate", "not chosen", other.name, other.summary)
    return chosen.test, considered


def _verified(
    test: Test,
    first_step: _FirstStep,
    assessment: Assessment,
    required: float,
    options: DesignOptions,
    notes: _Notes,
) -> Verification:
    """Verify the designed test and note every check."""
    verification = verify(
        test,
        first_step.reference,
        assessment=assessment,
        required=required,
        uncertainty=first_step.identification.uncertainty,
        accept=first_step.accept,
    )
    for check in verification.checks:
        outcome = "passed" if check.passed else "failed"
        notes.add("verify", check.what, outcome, f"{check.value}; limit: {check.limit}")
    return verification


def _centre(motion: Spectrum) -> float:
    """Return the rms frequency [Hz] of the spectrum, at which a delay causes the same error as over the spectrum."""
    return float(np.sqrt((motion.power.mean(axis=1) * motion.frequency**2).sum()))


def _frequency(
    options: DesignOptions, motion: Spectrum, stability: Assessment, test: Test, notes: _Notes
) -> float:
    if options.max_frequency is not None:
        notes.add("identify", "test frequency", f"{options.max_frequency:.4g} Hz", "chosen by the user")
        return options.max_frequency
    critical = stability.critical_frequency if math.isfinite(stability.critical_frequency) else 0.0
    frequency = min(1.5 * max(motion.highest, critical), 0.2 * test.rate)
    notes.add(
        "identify",
        "test frequency",
        f"{frequency:.4g} Hz",
        f"1.5 times the larger of {motion.highest:.3g} Hz, the highest frequency of the reference motion, and "
        f"{critical:.3g} Hz, the critical frequency",
    )
    return frequency


def _note_identification(
    identification: Identification, stability: Assessment, options: DesignOptions, notes: _Notes
) -> None:
    how = (
        f"sweep from {identification.low:.3g} to {identification.high:.3g} Hz; peaks {identification.peaks}"
        if identification.source == "sweep"
        else "from the recording"
    )
    for i, axis in enumerate(identification.axes):
        name = "nominal model" if len(identification.axes) == 1 else f"nominal model of axis {i + 1}"
        why = (
            "chosen by the user" if options.model_order is not None else "simplest model that fits the record"
        )
        notes.add("identify", name, str(axis), f"{how}; {why}")
    notes.add(
        "identify",
        "uncertainty",
        f"{1e3 * identification.uncertainty:.2g} ms",
        "in 95 % of the band the delay differs by no more than this from the nominal model",
    )
    critical = stability.critical_delay
    what = (
        "none"
        if math.isinf(critical)
        else "not determined"
        if math.isnan(critical)
        else f"{1e3 * critical:.4g} ms"
    )
    notes.add(
        "identify",
        "critical delay",
        what,
        f"of the substructures alone; the test without further compensation: {stability.verdict}",
    )


def _robust(
    test: Test, first_step: _FirstStep, required: float, options: DesignOptions, choose: Choose, notes: _Notes
) -> tuple[Test, Assessment, list[RobustnessOption]]:
    """Return the test with a robustness option if needed or chosen, its margin, and all options."""
    assessment = test.stability()
    margin = assessment.margin
    notes.add(
        "robustify",
        "required margin",
        f"{1e3 * required:.3g} ms",
        f"{options.safety_factor:g} times the uncertainty; compensated loop: {assessment.margin_text}",
    )
    if options.robustness == "none" or (options.robustness is None and margin >= required):
        why = (
            "the margin is sufficient"
            if margin >= required
            else "chosen by the user, although the margin is too small"
        )
        notes.add("robustify", "option", "none", f"{why}; every option reduces accuracy")
        return test, assessment, []
    stability = first_step.stability
    crossover = (
        stability.critical_frequency
        if math.isfinite(stability.critical_frequency)
        else stability.pole_frequency
    )
    considered = robustify.robustness_options(
        test,
        first_step.identification.models,
        first_step.motion,
        required=required,
        crossover=crossover,
    )
    texts = {"none": "no change", **{m.name: str(m) for m in considered}}
    if not any(m.test is not None for m in considered) and options.robustness is None:
        for one in considered:
            notes.add("robustify", "not chosen", one.name, one.summary)
        return test, assessment, considered  # the verification then fails
    name = _choose(
        "robustness option", options.robustness, lambda: robustify.propose(considered), texts, choose
    )
    if name == "none":
        notes.add("robustify", "option", "none", "chosen by the user, although the margin is too small")
        return test, assessment, considered
    chosen = next(m for m in considered if m.name == name)
    if chosen.test is None:
        raise AnalysisError(f"robustness option {chosen}")
    assessment = chosen.test.stability()
    notes.add("robustify", "option", name, f"{chosen.summary}; then: {assessment.margin_text}")
    for other in considered:
        if other.name != name:
            notes.add("robustify", "not chosen", other.name, other.summary)
    return chosen.test, assessment, considered
