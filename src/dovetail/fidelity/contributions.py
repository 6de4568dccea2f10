"""Error contributions: each component of the rig alone, with all others ideal.

An ideal rig still samples: the force is held over a tick. This is the first line. The next lines take one
component of the actuator or the sensors at a time; the last line is the complete test. An actuator is always
simulated together with its compensator, because the compensator without the delay adds error.

The lines do not add up: two errors may cancel, and one error may change the growth of another.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dovetail.compensation import NoCompensation
from dovetail.core.errors import AnalysisError, DovetailError
from dovetail.core.kind_names import name_of
from dovetail.fidelity.errors import relative_errors
from dovetail.testing import Rig, Run, Test
from dovetail.transfer import Series, Transfer

IDEAL = Series(())
MIN_MOTION = 1e-9  # smallest motion that is not rounding, as a fraction of the largest axis motion


@dataclass(frozen=True)
class Contribution:
    """Effect of one rig component; rms errors as fractions of the rms reference displacement, worst axis."""

    component: str
    e1: float  # response error (reference - demand); NaN if the run is too short
    e2: float  # tracking error (demand - measured)
    completed: bool  # False if a limit stopped the run


def contributions(
    test: Test, reference: Run | None = None, progress: Callable[[float, str], None] | None = None
) -> list[Contribution]:
    """Simulate sampling alone, each rig component alone, and the complete test.

    Raises
    ------
    AnalysisError
        If the rig is not a simulated rig.
    """
    if not isinstance(test.rig, Rig):
        raise AnalysisError(
            "rig: error contributions need a simulated rig, with actuator and sensors in [rig]"
        )
    reference = reference or test.reference()
    variants = list(_variants(test, test.rig))
    results = []
    for i, (component, variant) in enumerate(variants):
        if progress is not None:
            progress(i / len(variants), component)
        results.append(_contribution(component, variant, reference))
    return results


def _variants(test: Test, rig: Rig) -> Iterator[tuple[str, Test]]:
    ideal = dataclasses.replace(rig, actuator=IDEAL, sensor=IDEAL, position_sensor=IDEAL)
    bare = dataclasses.replace(test, compensator=NoCompensation())
    yield "sampling only, ideal rig", dataclasses.replace(bare, rig=ideal)
    if isinstance(test.compensator, NoCompensation):
        for part in _parts(rig.actuator):
            alone = dataclasses.replace(ideal, actuator=part)
            yield f"actuator: {_name(part)}", dataclasses.replace(bare, rig=alone)
    elif _parts(rig.actuator):
        alone = dataclasses.replace(ideal, actuator=rig.actuator)
        yield (
            f"actuator with compensator ({_name(test.compensator)})",
            dataclasses.replace(test, rig=alone),
        )
    for part in _parts(rig.sensor):
        alone = dataclasses.replace(ideal, sensor=part)
        yield f"force sensor: {_name(part)}", dataclasses.replace(bare, rig=alone)
    for part in _parts(rig.position_sensor):
        alone = dataclasses.replace(ideal, position_sensor=part)
        yield f"position sensor: {_name(part)}", dataclasses.replace(bare, rig=alone)
    yield "complete test", test


def _parts(transfer: Transfer) -> list[Transfer]:
    if not isinstance(transfer, Series):
        return [transfer]
    return [inner for part in transfer.parts for inner in _parts(part)]


def _name(part: object) -> str:
    return (name_of(type(part)) or type(part).__name__).replace("-", " ")


def _contribution(component: str, test: Test, reference: Run) -> Contribution:
    run = test.rehearse(keep=False)
    try:
        relative = relative_errors(run, reference)
        moving = relative.scale.values > MIN_MOTION * relative.scale.values.max()
        e1, e2 = (float(relative.rms[name][moving].max()) for name in ("e1", "e2"))
    except DovetailError:
        e1 = e2 = float("nan")
    return Contribution(component, e1, e2, run.outcome.completed)
