"""Assessment of a test: whether it would work, and how much more delay of the rig it tolerates.

The assessment is computed in one place, here, and quoted by command line, report, comparison, design, rig check, studio
and campaigns. It keeps apart

- the linear result at rest (`Stability`): exact for a linear specimen;
- the tangents of the specimen along the reference motion, and their worst linear loop (`specimen_tangents`);
- the rehearsed margin: additional delay at which the rehearsal grows, leaves the reference, or meets a limit
  (`rehearsed_margin`).

For a linear specimen the linear result governs. For any other, and for an adaptive compensator, the rehearsed margin
governs, because it has the size of the motion of the test.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import jax
import numpy as np

from dovetail.core.advance import Progress
from dovetail.core.errors import AnalysisError, ConvergenceError, DovetailError
from dovetail.stability import stability_switches
from dovetail.testing.linearised import is_linear, sampled_loop
from dovetail.testing.rehearsed_margin import (
    RehearsedMargin,
    reference_motion,
    rehearsed_margin,
)
from dovetail.testing.rig import Rig
from dovetail.testing.specimen_tangents import TangentFamily, sine, tangent_family
from dovetail.testing.stability_at_rest import LoopStability, Stability, margin_text, stability_at_rest

if TYPE_CHECKING:
    from dovetail.testing.test import Test

NEAR_MARGIN = (
    0.02  # margin over loop delay, and change of a disturbance in the test, below which a loop is marginal
)


@dataclasses.dataclass(frozen=True)
class Assessment(LoopStability):
    """Assessment of a test.

    The fields of `Stability` are those of the linear loop at rest, except for the margin, which is the governing one.
    """

    at_rest: Stability | None = None  # linear result at rest, with its own margin
    tangents: TangentFamily | None = None  # None: linear specimen, or size of the motion not known
    rehearsed: RehearsedMargin | None = None  # None: linear specimen, or not rehearsed
    governs: str = (
        ""  # analysis that gives the margin: linear, at rest, tangents, rehearsed; empty if none does
    )
    size: str = ""  # motion along which the tangents were computed
    marginal: bool = False  # so close to the limit that the test is too short to show on which side it is

    @property
    def stable(self) -> bool:
        """True if the loop does not grow as given, by the analysis that governs."""
        if self.rehearsed is not None:
            return self.rehearsed.grows > 0
        return self.margin > 0 if self.governs == "tangents" else self.growth_rate < 0

    @property
    def is_determined(self) -> bool:
        """True if one of the analyses gives a verdict."""
        return bool(self.governs)

    @property
    def word(self) -> str:
        """Verdict in one to four words."""
        if not self.governs:
            return "Not determined"
        if self.marginal:
            return "Marginal"
        where = {"at rest": " for small motion", "tangents": " by its tangents"}.get(self.governs, "")
        if not self.stable:
            return f"Unstable{where}"
        if self.rehearsed is not None and self.rehearsed.margin <= 0:
            return "Leaves the reference" if self.rehearsed.leaves <= 0 else "Limit reached"
        return f"Stable{where}"

    @property
    def validity(self) -> str:
        """What the verdict is valid for."""
        return {
            "": "",
            "linear": "linear analysis",
            "at rest": "linear analysis at rest; the specimen is nonlinear and the size of its motion is not known",
            "tangents": f"worst tangent of the nonlinear specimen along {self.size}, not rehearsed",
            "rehearsed": "rehearsed with the excitation and limits of the test",
        }[self.governs]

    @property
    def verdict(self) -> str:
        """Verdict as a sentence: conclusion, number, validity."""
        if not self.governs:
            return f"{self.word}: {'; '.join(self.remarks) or 'the loop was not analysed'}"
        return f"{self.word}: {self.margin_text} ({self.validity})"

    @property
    def margin_text(self) -> str:
        """Governing delay margin as text."""
        return margin_text(self.margin, math.inf if self.rehearsed is None else self.rehearsed.up_to)

    def __str__(self) -> str:
        linear = str(self.at_rest or "").split("\n")
        if self.governs in ("", "linear"):
            return "\n".join([self.verdict, *linear] if self.governs else linear)
        parts = {"additional delay": self.rehearsed, f"tangents along {self.size}": self.tangents}
        lines = [f"{name}: {part}" for name, part in parts.items() if part is not None]
        remarks = [remark for remark in self.remarks if remark not in linear]
        return "\n".join([self.verdict, *lines, *(f"at rest: {line}" for line in linear), *remarks])


def assess(test: Test, progress: Progress | None = None, *, quick: bool = False) -> Assessment:
    """Return the assessment of a test.

    With `quick`, and for a large numerical substructure, neither the reference solution nor a rehearsal is computed:
    the size of the motion is then that of the displacement limits.
    """
    at_rest = stability_at_rest(test)
    linear = has_linear_specimen(test)
    result = linear_assessment(at_rest, test, "linear" if linear else "at rest")
    if not isinstance(test.rig, Rig) or (result.governs == "linear" and not is_adaptive(test)):
        return result
    result = dataclasses.replace(result, small_motion_only=not linear)
    if test.pseudodynamic is not None:
        return result
    if quick or test.numerical.large:
        return _with_remarks(_at_limits(result, test, linear), "not rehearsed")
    return _rehearsed(result, test, linear, progress)


def has_linear_specimen(test: Test) -> bool:
    """Return whether the specimen model of a test is linear for motion of every size; True without a model."""
    return not isinstance(test.rig, Rig) or is_linear(
        test.with_shapes().require_rig().as_model().specimen, test.shape
    )


def is_adaptive(test: Test) -> bool:
    """Return whether the compensator of a test adapts, so that the linear loop is that of its initial parameters."""
    fixed, adaptive = (
        str(jax.tree.structure(part)) for part in (test.compensator.without_adaptation(), test.compensator)
    )
    return fixed != adaptive


def linear_assessment(at_rest: Stability, test: Test, governs: str = "linear") -> Assessment:
    """Return the assessment that consists of the linear result at rest, if it was determined."""
    values = {field.name: getattr(at_rest, field.name) for field in dataclasses.fields(LoopStability)}
    result = Assessment(**values, at_rest=at_rest)
    if math.isnan(at_rest.growth_rate):
        return result
    near = abs(at_rest.margin) < NEAR_MARGIN * at_rest.loop_delay
    marginal = near and abs(at_rest.growth_rate) * test.duration < NEAR_MARGIN
    return dataclasses.replace(result, governs=governs, marginal=marginal)


def _rehearsed(result: Assessment, test: Test, linear: bool, progress: Progress | None) -> Assessment:
    """Return the assessment with the tangents along the reference motion, and the rehearsed margin."""
    try:
        motion = reference_motion(test, progress)
        if not linear:
            result = _with_tangents(result, test, motion, "the reference motion")
        delay = 0.0 if math.isnan(result.loop_delay) else result.loop_delay
        rehearsed = rehearsed_margin(
            test, motion["displacement"], delay, progress, grows_at_rest=_growth_at_rest(test)
        )
    except DovetailError as error:
        return _with_remarks(_at_limits(result, test, linear), f"not rehearsed: {error}")
    near = abs(rehearsed.grows) < NEAR_MARGIN * delay and abs(rehearsed.decay - 1) < NEAR_MARGIN
    return dataclasses.replace(
        result,
        rehearsed=rehearsed,
        margin=rehearsed.margin,
        governs="rehearsed",
        marginal=near or rehearsed.undecided,
    )


def _growth_at_rest(test: Test) -> Callable[[float], bool]:
    """Return the function that says whether small motion about rest grows with an additional delay [s]."""
    if is_adaptive(test):  # the linear loop is that of the initial parameters
        return lambda extra: False
    try:
        switches = stability_switches(sampled_loop(test), test.dt)
    except (AnalysisError, ConvergenceError, np.linalg.LinAlgError):
        return lambda extra: False
    return lambda extra: switches.roots(extra) > 0


def _at_limits(result: Assessment, test: Test, linear: bool) -> Assessment:
    """Return the assessment with the tangents along a sine of the size of the displacement limits."""
    size, omega = np.asarray(test.limits.displacement), 2 * math.pi * result.pole_frequency
    if linear or not np.isfinite(size).all() or not 0 < omega < 2 * math.pi * test.rate:
        return result
    motion, _ = sine(size, omega, test.shape)
    try:
        result = _with_tangents(result, test, motion, "a motion of the size of the displacement limit")
    except DovetailError as error:
        return _with_remarks(result, str(error))
    assert result.tangents is not None
    return dataclasses.replace(result, margin=min(result.margin, result.tangents.margin), governs="tangents")


def _with_tangents(result: Assessment, test: Test, motion: dict[str, np.ndarray], size: str) -> Assessment:
    return dataclasses.replace(result, tangents=tangent_family(test, motion), size=size)


def _with_remarks(result: Assessment, *remarks: str) -> Assessment:
    return dataclasses.replace(result, remarks=(*result.remarks, *remarks))
