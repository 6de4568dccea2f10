"""The four steps one after another: identify, compensate, robustify, verify; a go or a no-go at the end.

Each step is a pure function in a module of its own. Here they are joined, every decision is put into words
with its reason and its alternatives, and a caller may decide otherwise: `choose` is asked at every fork, and
takes the proposal unless it is told better.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping

import numpy as np
import xarray as xr

from dovetail.assess import robustify
from dovetail.assess.compensate import Candidate, Predictor, candidates
from dovetail.assess.compensate import propose as propose_candidate
from dovetail.assess.identify import Identification, identify, recorded_rig
from dovetail.assess.margins import ByPoles, ByRehearsal, Judge, departure
from dovetail.assess.robustify import RobustnessMeasure
from dovetail.assess.test_motion import Spectrum, spectrum
from dovetail.assess.verify import Verification, verify
from dovetail.compensation import Decision
from dovetail.core.errors import AnalysisError, ParameterError, UnknownNameError
from dovetail.stability.linearity import NOT_LINEAR
from dovetail.testing import Run, Stability, Test

STEPS = ("identify", "compensate", "robustify", "verify")
Choose = Callable[[str, str, Mapping[str, str]], str]  # fork, proposal, options with their text: the choice
Tell = Callable[[str], None]  # what is going on


def accept(fork: str, proposal: str, options: Mapping[str, str]) -> str:
    """Take the proposal."""
    return proposal


@dataclasses.dataclass(frozen=True)
class Wishes:
    """What the user has decided already; None leaves it to the design.

    Attributes
    ----------
    compensator
        One of `compensate.NAMES`.
    robustness
        One of `robustify.NAMES`.
    frequency
        Highest frequency of the test [Hz].
    model_order
        Poles of the identified model, 0 to 3.
    order, window
        Of a polynomial predictor.
    tolerance
        Largest rms error against the ideal that is a go.
    safety
        Factor on the uncertainty of the delay.
    """

    compensator: str | None = None
    robustness: str | None = None
    frequency: float | None = None
    model_order: int | None = None
    order: int | None = None
    window: int | None = None
    tolerance: float = 0.1
    safety: float = 2.0

    def __post_init__(self):
        if not 0 < self.tolerance < 10 or not self.safety >= 1:
            raise ParameterError(
                f"tolerance {self.tolerance:g} must be above 0 (0.1 is 10 %), "
                f"safety {self.safety:g} at least 1"
            )
        if (self.order is None) != (self.window is None):
            raise ParameterError("a predictor is given by order and window together; give both or none")


@dataclasses.dataclass(frozen=True)
class Design:
    """A designed test with everything that led to it."""

    test: Test
    stability: Stability  # of the test as it was given, on the recorded rig where there is a recording
    motion: Spectrum
    identification: Identification
    candidates: tuple[Candidate, ...]
    measures: tuple[RobustnessMeasure, ...]
    margin: float  # [s] extra delay that the loop bears
    required: float  # [s]
    verification: Verification
    decisions: dict[str, tuple[Decision, ...]]  # by step
    wishes: Wishes

    @property
    def go(self) -> bool:
        """True if every check of the verification holds."""
        return self.verification.go

    @property
    def verdict(self) -> str:
        """The last word, in a sentence."""
        failed = [check.what for check in self.verification.checks if not check.holds]
        return "GO: every check holds." if self.go else f"NO-GO: {', '.join(failed)} failed."

    def __str__(self) -> str:
        lines = []
        for step, decided in self.decisions.items():
            lines += [step.upper(), *(f"  {decision}" for decision in decided)]
        return "\n".join([*lines, self.verdict])


def design(
    test: Test,
    wishes: Wishes | None = None,
    *,
    recording: Run | xr.Dataset | None = None,
    choose: Choose = accept,
    tell: Tell = lambda text: None,
) -> Design:
    """Walk the four steps for a test with a virtual rig.

    Parameters
    ----------
    recording
        A run of the real rig, or what `testing.read_recording` gives of any other record of it, whose command and
        measured displacement are identified instead of a sweep. The model takes the place of the file's actuator: what
        is judged, and written, is the rig that was recorded.
    choose
        Asked at every fork; `accept` takes what is proposed.
    tell
        Called with a line at the start of every step.

    Raises
    ------
    AnalysisError
        Where there is nothing to design: no motion, a rig that does not follow, an unstable inner loop, no
        compensator that makes the loop decay.
    """
    wishes, notes = wishes or Wishes(), _Notes()
    every, test = test.record_every, dataclasses.replace(test, record_every=1)  # all ticks are looked at here

    tell("identify: the ideal motion, and a sweep of the rig")
    test, known = _identified(test, recording, wishes, notes)

    tell("compensate: candidates, and the poles of the loop with each")
    test, considered = _compensated(test, known, wishes, choose, notes)

    tell("robustify: the delay that the loop still bears")
    required = robustify.required_margin(known.identification.uncertainty, test.dt, wishes.safety)
    test, margin, measures = _robust(test, known, required, wishes, choose, notes)

    tell("verify: rehearsal against the ideal, and on a later rig")
    verification = _verified(test, known, margin, required, wishes, notes)
    return Design(
        dataclasses.replace(test, record_every=every),
        known.stability,
        known.motion,
        known.identification,
        tuple(considered),
        tuple(measures),
        margin,
        required,
        verification,
        notes.decisions(),
        wishes,
    )


class _Notes:
    """Decisions by step, numbered through."""

    def __init__(self):
        self._by_step: dict[str, list[Decision]] = {step: [] for step in STEPS}

    def add(self, step: str, subject: str, choice: str, reason: str) -> None:
        number = sum(map(len, self._by_step.values())) + 1
        self._by_step[step].append(Decision(number, subject, choice, reason))

    def decisions(self) -> dict[str, tuple[Decision, ...]]:
        return {step: tuple(decided) for step, decided in self._by_step.items()}


def _chosen(
    fork: str, wish: str | None, proposal: Callable[[], str], options: Mapping[str, str], choose: Choose
) -> str:
    name = wish if wish is not None else choose(fork, proposal(), options)
    if name not in options:
        raise UnknownNameError(fork, name, options)
    return name


@dataclasses.dataclass(frozen=True)
class _Known:
    """What the first step finds out, and the others build on."""

    ideal: Run
    motion: Spectrum
    stability: Stability  # of the test before it is compensated
    frequency: float  # [Hz] highest of the test
    identification: Identification
    judge: Judge


def _identified(
    test: Test, recording: Run | xr.Dataset | None, wishes: Wishes, notes: _Notes
) -> tuple[Test, _Known]:
    """The test, on the recorded rig where there is a recording, and what is known of it."""
    test.prepared()  # an unstable inner loop, a bad parameter: told before anything else
    stability = test.stability()
    ideal = test.emulate()
    motion = spectrum(ideal.data["displacement"].values, test.dt)
    frequency = _frequency(wishes, motion, stability, test, notes)
    identification = identify(
        test, high=frequency, amplitude=motion.peak, order=wishes.model_order, recording=recording
    )
    if recording is not None:
        test = recorded_rig(test, identification)
        stability = test.stability()
        notes.add(
            "identify",
            "actuator",
            "the recorded one",
            "the rig of the file is replaced by what the recording says of it, in all that follows and in the test "
            "that is written; a position sensor is part of it",
        )
    _note_identification(identification, stability, wishes, notes)
    judge = _judge(test, ideal, notes)
    return test, _Known(ideal, motion, stability, frequency, identification, judge)


def _compensated(
    test: Test, known: _Known, wishes: Wishes, choose: Choose, notes: _Notes
) -> tuple[Test, list[Candidate]]:
    """The test with the compensator that is taken, and all that were considered."""
    considered = candidates(
        test,
        known.identification,
        known.motion,
        frequency=known.frequency,
        tolerance=wishes.tolerance / 2,
        predictor=Predictor(wishes.order, wishes.window),
        judge=known.judge,
    )
    uncertain = 2 * np.pi * _centre(known.motion) * known.identification.uncertainty
    name = _chosen(
        "compensator",
        wishes.compensator,
        lambda: propose_candidate(considered, uncertain=uncertain, tolerance=wishes.tolerance),
        {c.name: str(c) for c in considered},
        choose,
    )
    taken = next(c for c in considered if c.name == name)
    if taken.compensator is None:
        raise AnalysisError(f"compensator {taken}")
    notes.add("compensate", "compensator", name, taken.said)
    for other in considered:
        if other.name != name:
            notes.add("compensate", "not taken", other.name, other.said)
    return dataclasses.replace(test, compensator=taken.compensator), considered


def _verified(
    test: Test, known: _Known, margin: float, required: float, wishes: Wishes, notes: _Notes
) -> Verification:
    """Every check of the designed test, noted."""
    verification = verify(
        test,
        known.ideal,
        margin=margin,
        required=required,
        uncertainty=known.identification.uncertainty,
        tolerance=wishes.tolerance,
        by_rehearsal=isinstance(known.judge, ByRehearsal),
    )
    for check in verification.checks:
        outcome = "holds" if check.holds else "fails"
        notes.add("verify", check.what, outcome, f"{check.value}; wanted: {check.wanted}")
    return verification


def _judge(test: Test, ideal: Run, notes: _Notes) -> Judge:
    """Poles, unless the specimen is another one when it moves."""
    share = departure(test, ideal)
    if share <= NOT_LINEAR:
        notes.add("identify", "specimen", "linear", "poles at rest decide on stability")
        return ByPoles()
    notes.add(
        "identify",
        "specimen",
        "not linear at the size of the test",
        f"its force is {100 * share:.2g} % from that of a small motion, scaled; poles at rest are no "
        "verdict, so a rehearsal decides on stability",
    )
    return ByRehearsal(ideal)


def _centre(motion: Spectrum) -> float:
    """Frequency [Hz] at which a delay costs what it costs over the whole spectrum."""
    return float(np.sqrt((motion.power.mean(axis=1) * motion.frequency**2).sum()))


def _frequency(wishes: Wishes, motion: Spectrum, stability: Stability, test: Test, notes: _Notes) -> float:
    if wishes.frequency is not None:
        notes.add("identify", "test frequency", f"{wishes.frequency:.4g} Hz", "as wished")
        return wishes.frequency
    critical = stability.frequency if math.isfinite(stability.frequency) else 0.0
    frequency = min(1.5 * max(motion.highest, critical), 0.2 * test.rate)
    notes.add(
        "identify",
        "test frequency",
        f"{frequency:.4g} Hz",
        f"1.5 times the larger of {motion.highest:.3g} Hz, below which the ideal motion lies, and "
        f"{critical:.3g} Hz, at which a delay would destabilise",
    )
    return frequency


def _note_identification(found: Identification, stability: Stability, wishes: Wishes, notes: _Notes) -> None:
    how = (
        f"swept from {found.low:.3g} to {found.high:.3g} Hz at {1e3 * found.amplitude:.3g} mm, "
        "the size of the test"
        if found.source == "sweep"
        else "from the recording"
    )
    for i, axis in enumerate(found.axes):
        name = "nominal model" if len(found.axes) == 1 else f"nominal model of axis {i + 1}"
        why = "as wished" if wishes.model_order is not None else "the simplest that explains the record"
        notes.add("identify", name, str(axis), f"{how}; {why}")
    notes.add(
        "identify",
        "uncertainty",
        f"{1e3 * found.uncertainty:.2g} ms",
        "95 % of the band lies within it of the nominal model's delay",
    )
    critical = stability.critical_delay
    what = (
        "none"
        if math.isinf(critical)
        else "not known"
        if math.isnan(critical)
        else f"{1e3 * critical:.4g} ms"
    )
    notes.add(
        "identify",
        "critical delay",
        what,
        f"of the substructures alone; the loop as given is {'stable' if stability.stable else 'unstable'}: "
        f"{stability.growth_rate:+.3g} 1/s",
    )


def _robust(
    test: Test, known: _Known, required: float, wishes: Wishes, choose: Choose, notes: _Notes
) -> tuple[Test, float, list[RobustnessMeasure]]:
    """The test with a measure where one is needed or wished, its margin, and what was considered."""
    margin = robustify.margin_of(test, required, known.judge)
    bears = "bears more than ten times that" if math.isinf(margin) else f"bears {1e3 * margin:.3g} ms"
    notes.add(
        "robustify",
        "required margin",
        f"{1e3 * required:.3g} ms",
        f"{wishes.safety:g} times the uncertainty, and a tick; the compensated loop {bears}",
    )
    if wishes.robustness == "none" or (wishes.robustness is None and margin >= required):
        why = "the margin suffices" if margin >= required else "as wished, though the margin falls short"
        notes.add("robustify", "measure", "none", f"{why}; every measure costs accuracy")
        return test, margin, []
    stability = known.stability
    crossover = stability.frequency if math.isfinite(stability.frequency) else stability.pole_frequency
    considered = robustify.measures(
        test,
        known.identification.models,
        known.motion,
        required=required,
        crossover=crossover,
        judge=known.judge,
    )
    options = {"none": "leave it", **{m.name: str(m) for m in considered}}
    if not any(m.test is not None for m in considered) and wishes.robustness is None:
        for one in considered:
            notes.add("robustify", "not taken", one.name, one.said)
        return test, margin, considered  # the verification says no
    name = _chosen(
        "robustness measure", wishes.robustness, lambda: robustify.propose(considered), options, choose
    )
    if name == "none":
        notes.add("robustify", "measure", "none", "as wished, though the margin falls short")
        return test, margin, considered
    taken = next(m for m in considered if m.name == name)
    if taken.test is None:
        raise AnalysisError(f"robustness measure {taken}")
    margin = robustify.margin_of(taken.test, required, known.judge)
    bears = "more than ten times that" if math.isinf(margin) else f"{1e3 * margin:.3g} ms"
    notes.add("robustify", "measure", name, f"{taken.said}; the loop then bears {bears}")
    for other in considered:
        if other.name != name:
            notes.add("robustify", "not taken", other.name, other.said)
    return taken.test, margin, considered
