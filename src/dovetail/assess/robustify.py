"""Step 3 of four, robustify: enough margin for what the identification could not tell.

The margin is the extra delay that the sampled loop still bears. It must exceed the uncertainty of the rig's
delay by a safety factor, and a tick. Where it does not, the weakest measure that mends it is proposed; every
one of them costs accuracy, so none is taken without need [wallace2006thesis, secs 5.2, 5.3 and 5.5]:

====================  ==========================================================================
over-compensation     predict further than the delay: an early spring is added damping
phase-advance         lead around the frequency of the instability; distorts there
damping               more damping in the numerical substructure; over-damps the result
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
from dovetail.assess.margins import ByPoles, Judge, reach
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

NAMES = ("none", "over-compensation", "phase-advance", "damping", "blending")
STRENGTHS = {
    "over-compensation": (0.5, 1.0, 1.5, 2.0, 3.0),  # times the required margin, predicted further
    "phase-advance": (1.05, 1.1, 1.2, 1.35, 1.5, 1.75),  # alpha
    "damping": (1.25, 1.5, 2.0, 3.0),  # factor on the numerical damping
    "blending": (0.9, 0.75, 0.5, 0.25),  # share of the measured force
}


@dataclasses.dataclass(frozen=True)
class RobustnessMeasure:
    """A way to more margin, at the least strength that suffices, or why there is none."""

    name: str
    strength: float  # NaN where it does not suffice or does not apply
    test: Test | None
    cost: float  # tracking error that it adds, predicted; NaN where it acts on something else
    remark: str

    @property
    def said(self) -> str:
        """What is to be said of it."""
        if self.test is None:
            return f"not possible, as {self.remark}"
        cost = "" if math.isnan(self.cost) else f", tracking error {100 * self.cost:.2g} %"
        return f"{self.strength:.3g} {self.remark}{cost}"

    def __str__(self) -> str:
        return f"{self.name}: {self.said}"


def required_margin(uncertainty: float, dt: float, safety: float) -> float:
    """Extra delay [s] that the loop must bear: the uncertainty with a safety factor, and a tick."""
    return safety * uncertainty + dt


def margin_of(test: Test, required: float, judge: Judge | None = None) -> float:
    """Extra delay [s] that the loop bears, looked for up to ten times what is required."""
    return (judge or ByPoles()).margin(test, min(10 * required, reach(test)))


def measures(
    test: Test,
    models: tuple[LinearTransfer, ...],
    motion: Spectrum,
    *,
    required: float,
    crossover: float,
    judge: Judge | None = None,
) -> list[RobustnessMeasure]:
    """Every measure at its least sufficient strength, judged."""
    judge = judge or ByPoles()
    return [
        _least(name, test, models, motion, required, crossover, judge) for name in NAMES if name != "none"
    ]


def propose(found: list[RobustnessMeasure]) -> str:
    """Name of the measure to take: the least tracking error; blending, which hides, only as the last."""
    usable = [m for m in found if m.test is not None]
    if not usable:
        raise AnalysisError("no measure gives the margin that is required: " + "; ".join(map(str, found)))
    open_ones = [m for m in usable if m.name != "blending"] or usable
    return min(open_ones, key=lambda m: m.cost if not math.isnan(m.cost) else math.inf).name


def _least(
    name, test: Test, models, motion: Spectrum, required: float, crossover: float, judge: Judge
) -> RobustnessMeasure:
    apply, refusal = _how(name, test, required, crossover)
    if apply is None:
        return RobustnessMeasure(name, math.nan, None, math.nan, refusal)
    strengths = STRENGTHS[name]
    varied = [apply(strength) for strength in strengths]
    # bearing a delay means bearing every shorter one: a few on the way are looked at
    delays = np.linspace(0.0, min(required, reach(test)), 4)
    enough = np.array([judge.bears(one, delays).all() for one in varied])
    if not enough.any():
        return RobustnessMeasure(name, math.nan, None, math.nan, f"even {strengths[-1]:g} does not suffice")
    i = int(np.argmax(enough))
    try:
        cost = tracking_error(varied[i].compensator, models, motion, test.dt)
    except AnalysisError:
        cost = math.nan
    return RobustnessMeasure(name, strengths[i], varied[i], cost if name != "damping" else math.nan, refusal)


def _how(name: str, test: Test, required: float, crossover: float) -> tuple[Callable | None, str]:
    """How a measure of some strength is applied to the test, and a remark; or None and why not."""
    if name == "over-compensation":
        if test.rig.modelled().specimen.inertial:
            return None, "a specimen with mass may be destabilised by a lead"
        return (
            lambda s: dataclasses.replace(test, compensator=further(test.compensator, s * required)),
            "times the required margin suffices; the response is early by that",
        )
    if name == "phase-advance":
        if not math.isfinite(crossover) or crossover <= 0:
            return None, "the frequency of the instability is not known"
        return (
            lambda s: dataclasses.replace(
                test, compensator=PhaseAdvance(jnp.asarray(s), 2 * np.pi * crossover, test.compensator)
            ),
            f"as alpha at {crossover:.3g} Hz suffices; distorts there",
        )
    if name == "damping":
        structure: Any = test.numerical  # of any class that calls its damping c
        if "c" not in {f.name for f in dataclasses.fields(structure)}:
            return None, f"{type(structure).__name__} has no single damping to raise"
        return (
            lambda s: dataclasses.replace(test, numerical=dataclasses.replace(structure, c=s * structure.c)),
            "times the numerical damping suffices; the structure tested is another one",
        )
    if not isinstance(test.feedback, MeasuredForce):
        return None, f"the test's feedback is {type(test.feedback).__name__} already"
    return (
        lambda s: dataclasses.replace(
            test, feedback=BlendedForce(model=test.rig.modelled().specimen, share=jnp.asarray(s))
        ),
        "of the force measured and the rest from a model suffices; hides part of the specimen",
    )


def further(compensator: Compensator, lead: float) -> Compensator:
    """The compensator predicting `lead` [s] further."""
    if isinstance(compensator, AdaptiveForwardPrediction):
        return dataclasses.replace(compensator, delay=compensator.delay + lead, lead=compensator.lead + lead)
    if isinstance(compensator, ForwardPrediction):
        return dataclasses.replace(compensator, delay=compensator.delay + lead)
    if isinstance(compensator, Cascade) and isinstance(compensator.parts[-1], ForwardPrediction):
        *before, last = compensator.parts
        return Cascade((*before, further(last, lead)))
    return Cascade((compensator, ForwardPrediction(jnp.asarray(lead), order=2, window=10)))
