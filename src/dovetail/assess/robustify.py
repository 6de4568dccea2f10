"""Design step 3 of 4, robustify: sufficient delay margin for the uncertainty of the identification.

The delay margin is the additional delay at which the sampled loop becomes unstable. It must be at least the delay
uncertainty times a safety factor. A recording at ticks confirms a delay to a tenth of a tick, so a smaller uncertainty
counts as that. If it is smaller, the weakest sufficient option is proposed. Every
option reduces accuracy, so none is used without need [wallace2006thesis, secs 5.2, 5.3 and 5.5]:

====================  ==========================================================================
over-compensation     predict further than the delay: a spring force with phase lead adds damping
phase-advance         phase lead around the frequency of the instability; distorts the response there
damping               more damping in the numerical substructure; the response is over-damped
blending              part of the force from a model; hides part of the specimen
====================  ==========================================================================
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from dovetail.assess.compensate import tracking_error
from dovetail.assess.test_motion import Spectrum
from dovetail.compensation import (
    AdaptiveForwardPrediction,
    BlendedForce,
    Cascade,
    Compensator,
    ForwardPrediction,
    MeasuredForce,
    PhaseAdvance,
)
from dovetail.core.errors import AnalysisError
from dovetail.testing import Test
from dovetail.transfer import LinearTransfer

MEASURED_FRACTION = "feedback.measured_fraction"  # path of the gamma of a blended force, and of its ramp
RESOLUTION = 0.1  # [ticks] smallest difference of a delay that a recording confirms
NAMES = ("none", "over-compensation", "phase-advance", "damping", "blending")
STRENGTHS = {
    "over-compensation": (0.5, 1.0, 1.5, 2.0, 3.0),  # additional prediction, in units of the required margin
    "phase-advance": (1.05, 1.1, 1.2, 1.35, 1.5, 1.75),  # alpha
    "damping": (1.25, 1.5, 2.0, 3.0),  # factor on the numerical damping
    "blending": (0.9, 0.75, 0.5, 0.25),  # fraction of the measured force
}


@dataclasses.dataclass(frozen=True)
class RobustnessOption:
    """Option for a larger delay margin at the smallest sufficient strength, or the reason why it is not possible."""

    name: str
    strength: float  # NaN if not sufficient or not applicable
    test: Test | None
    cost: float  # predicted tracking error; NaN if the option does not act on tracking
    remark: str

    @property
    def summary(self) -> str:
        """Strength and tracking error, or the reason why it is not possible."""
        if self.test is None:
            return f"not possible: {self.remark}"
        cost = "" if math.isnan(self.cost) else f", tracking error {100 * self.cost:.2g} %"
        return f"{self.strength:.3g} {self.remark}{cost}"

    def __str__(self) -> str:
        return f"{self.name}: {self.summary}"


def required_margin(uncertainty: float, dt: float, safety: float) -> float:
    """Return the required delay margin [s]: safety factor times uncertainty, which is at least a tenth of a tick."""
    return safety * max(uncertainty, RESOLUTION * dt)


def robustness_options(
    test: Test,
    models: tuple[LinearTransfer, ...],
    motion: Spectrum,
    *,
    required: float,
    crossover: float,
) -> list[RobustnessOption]:
    """Return every robustness option at its smallest sufficient strength."""
    return [
        _smallest_sufficient(name, test, models, motion, required, crossover)
        for name in NAMES
        if name != "none"
    ]


def propose(considered: list[RobustnessOption]) -> str:
    """Return the name of the option with the smallest tracking error; blending only if no other is possible."""
    usable = [m for m in considered if m.test is not None]
    if not usable:
        raise AnalysisError(
            "no robustness option reaches the required margin: " + "; ".join(map(str, considered))
        )
    open_ones = [m for m in usable if m.name != "blending"] or usable
    return min(open_ones, key=lambda m: m.cost if not math.isnan(m.cost) else math.inf).name


def _smallest_sufficient(
    name, test: Test, models, motion: Spectrum, required: float, crossover: float
) -> RobustnessOption:
    apply, refusal = _apply_option(name, test, required, crossover)
    if apply is None:
        return RobustnessOption(name, math.nan, None, math.nan, refusal)
    strengths = STRENGTHS[name]
    strength = next((s for s in strengths if apply(s).stability().margin >= required), None)
    if strength is None:
        return RobustnessOption(name, math.nan, None, math.nan, f"{strengths[-1]:g} is not sufficient")
    varied = apply(strength)
    try:
        cost = tracking_error(varied.compensator, models, motion, test.dt)
    except AnalysisError:
        cost = math.nan
    return RobustnessOption(name, strength, varied, cost if name != "damping" else math.nan, refusal)


def _apply_option(name: str, test: Test, required: float, crossover: float) -> tuple[Callable | None, str]:
    """Return a function that applies an option with a given strength, and a remark; or None and the reason."""
    if name == "over-compensation":
        if test.require_rig().as_model().specimen.inertial:
            return None, "phase lead can destabilise a specimen with mass"
        return (
            lambda s: dataclasses.replace(test, compensator=further(test.compensator, s * required)),
            "times the required margin is sufficient; the response leads by that time",
        )
    if name == "phase-advance":
        if not math.isfinite(crossover) or crossover <= 0:
            return None, "the frequency of the instability is not determined"
        return (
            lambda s: dataclasses.replace(
                test, compensator=PhaseAdvance(jnp.asarray(s), 2 * np.pi * crossover, test.compensator)
            ),
            f"as alpha at {crossover:.3g} Hz is sufficient; distorts the response there",
        )
    if name == "damping":
        structure: Any = test.numerical  # any class with a damping `c`
        if "c" not in {f.name for f in dataclasses.fields(structure)}:
            return None, f"{type(structure).__name__} has no parameter c for damping"
        return (
            lambda s: dataclasses.replace(test, numerical=dataclasses.replace(structure, c=s * structure.c)),
            "times the numerical damping is sufficient; the tested structure is changed",
        )
    if isinstance(test.feedback, BlendedForce):
        return lambda s: _with_less_measured(
            test, s
        ), "of the present fraction of the measured force is sufficient"
    if not isinstance(test.feedback, MeasuredForce):
        return None, f"the feedback of the test is already {type(test.feedback).__name__}"
    return (
        lambda s: dataclasses.replace(
            test,
            feedback=BlendedForce(
                model=test.require_rig().as_model().specimen, measured_fraction=jnp.asarray(s)
            ),
        ),
        "of the measured force, completed by a model, is sufficient; hides part of the specimen",
    )


def _with_less_measured(test: Test, fraction: float) -> Test:
    """Return the test with a smaller fraction of the measured force, also at the end of its ramp."""
    blended: Any = test.feedback
    ramp: Any = test.schedule.get(MEASURED_FRACTION)
    if hasattr(ramp, "final"):
        schedule = {
            **test.schedule,
            MEASURED_FRACTION: dataclasses.replace(ramp, final=fraction * ramp.final),
        }
        return dataclasses.replace(test, schedule=schedule)
    less = dataclasses.replace(blended, measured_fraction=fraction * blended.measured_fraction)
    return dataclasses.replace(test, feedback=less)


def further(compensator: Compensator, lead: float) -> Compensator:
    """Return the compensator with an additional prediction of `lead` [s]."""
    if isinstance(compensator, AdaptiveForwardPrediction):
        return dataclasses.replace(
            compensator, delay=compensator.delay + lead, target_lead=compensator.target_lead + lead
        )
    if isinstance(compensator, ForwardPrediction):
        return dataclasses.replace(compensator, delay=compensator.delay + lead)
    if isinstance(compensator, Cascade) and isinstance(compensator.parts[-1], ForwardPrediction):
        *before, last = compensator.parts
        return Cascade((*before, further(last, lead)))
    return Cascade((compensator, ForwardPrediction(jnp.asarray(lead), order=2, window=10)))
