"""Runs in continuous time: step sizes for the fastest lag, and shorter ones for short contacts."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.core import Method
from dovetail.core.advance import Progress, Rows, advance, chunk_length
from dovetail.core.clock import LoopState
from dovetail.core.errors import StepSizeError
from dovetail.core.linear import state_matrix
from dovetail.core.system import FlowSystem
from dovetail.testing.coupled import TRANSFERS, Coupled
from dovetail.testing.outcome import Outcome
from dovetail.testing.recorder import Records
from dovetail.testing.step_checks import RESOLVING_STEPS, min_contact_steps

if TYPE_CHECKING:
    from dovetail.testing.modes import Mode

REFINEMENTS = 6  # largest number of refinements for a contact, each by a factor of up to 64
MAX_PHASE = (
    0.25  # largest product of step and fastest rate of a lag: relative error of its transient 1e-4 with RK4
)


def _default_method() -> Method:
    from dovetail.core import DormandPrince8  # loaded for a reference solution only

    return DormandPrince8()


@dataclasses.dataclass(frozen=True)
class ReferenceSettings:
    """Settings of the reference solution: integration method and steps in a tick."""

    method: Method = dataclasses.field(default_factory=_default_method)
    substeps: int = 2


def continuous_settings(test: Any, coupled: Coupled) -> ReferenceSettings:
    """Return the settings of the numerical substructure, with steps that resolve the fastest lag."""
    settings = ReferenceSettings(**test.numerical.reference_settings)
    fastest = 0.0
    for name in TRANSFERS:
        model = getattr(coupled, name).continuous_model()
        x = model.init()
        if x:
            slopes = np.asarray(state_matrix(model, x, (np.zeros(coupled.shape),)))
            fastest = max(fastest, float(np.max(np.abs(np.linalg.eigvals(slopes)))))
    return dataclasses.replace(
        settings, substeps=max(settings.substeps, math.ceil(test.dt * fastest / MAX_PHASE))
    )


def record_resolved(
    mode: Mode,
    test: Any,
    coupled: Coupled,
    chosen: ReferenceSettings | None,
    records: Records,
    progress: Progress | None,
) -> tuple[LoopState, int]:
    """Run a coupled system with steps that resolve each contact; return the final state and the code of the outcome.

    Steps that are too long for a contact are refined; if the user chose the steps, this is an error.
    """
    settings = chosen or continuous_settings(test, coupled)
    size = chunk_length(test.tick_count, *mode.chunks)
    for _ in range(REFINEMENTS):
        h = test.dt / settings.substeps
        system = FlowSystem(coupled, settings.method, settings.substeps)
        state, code = advance(system, mode.clock(test), mode.monitor(test), Rows(), records, size, progress)
        contact = records.every_tick("contact_time")
        steps = math.inf if contact is None else float(min_contact_steps(contact, h))
        if steps >= RESOLVING_STEPS or code == Outcome.NOT_FINITE.code:
            return state, code
        needed = math.ceil(settings.substeps * RESOLVING_STEPS / max(steps, RESOLVING_STEPS / 64))
        if chosen is not None:
            break
        settings = dataclasses.replace(settings, substeps=needed)
    raise StepSizeError(
        f"{mode.name}: the shortest contact lasts {steps:.3g} steps of {h:.3g} s; {RESOLVING_STEPS} steps are needed "
        f"to resolve it. Use ReferenceSettings(substeps={needed}) or more, a higher rate, or a softer contact."
    )
