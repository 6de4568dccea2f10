"""Which part of a rig spoils a test how much: each of them alone on an otherwise perfect rig.

A perfect rig still samples: the force is held over a tick. That is the first line. Then comes each part of
the actuator and of the sensors by itself, and at the end the test as it is. A compensator belongs to its
actuator and is not split from it: without the delay it was made for it would do harm.

The lines do not add up. Two errors may cancel, and one may decide whether another grows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dovetail.compensation import NoCompensation
from dovetail.core import kinds
from dovetail.core.errors import AnalysisError, DovetailError
from dovetail.fidelity.errors import norms
from dovetail.testing import Rig, Run, Test
from dovetail.transfer import Series, Transfer

PERFECT = Series(())
STILL = 1e-9  # of the motion of the axis that moves most: nothing but rounding


@dataclass(frozen=True)
class Contribution:
    """What one part does to a test; rms errors as shares of the ideal's, the worst axis."""

    what: str
    e1: float  # ideal less demand; NaN where the run was too short to say
    e2: float  # demand less measured
    completed: bool  # False where the run met a limit


def contributions(
    test: Test, ideal: Run | None = None, progress: Callable[[float, str], None] | None = None
) -> list[Contribution]:
    """Sampling, each part of the rig alone, and the whole test.

    Raises
    ------
    AnalysisError
        If the rig is no virtual one, whose parts could be taken out.
    """
    if not isinstance(test.rig, Rig):
        raise AnalysisError("only a virtual rig can be taken apart; this test has another")
    ideal = ideal or test.emulate()
    variants = list(_variants(test, test.rig))
    found = []
    for i, (what, variant) in enumerate(variants):
        if progress is not None:
            progress(i / len(variants), what)
        found.append(_contribution(what, variant, ideal))
    return found


def _variants(test: Test, rig: Rig) -> Iterator[tuple[str, Test]]:
    perfect = dataclasses.replace(rig, actuator=PERFECT, sensor=PERFECT, position_sensor=PERFECT)
    bare = dataclasses.replace(test, compensator=NoCompensation())
    yield "sampling alone, on a perfect rig", dataclasses.replace(bare, rig=perfect)
    if isinstance(test.compensator, NoCompensation):
        for part in _parts(rig.actuator):
            alone = dataclasses.replace(perfect, actuator=part)
            yield f"actuator: {_name(part)}", dataclasses.replace(bare, rig=alone)
    elif _parts(rig.actuator):
        alone = dataclasses.replace(perfect, actuator=rig.actuator)
        yield (
            f"actuator with its compensator ({_name(test.compensator)})",
            dataclasses.replace(test, rig=alone),
        )
    for part in _parts(rig.sensor):
        alone = dataclasses.replace(perfect, sensor=part)
        yield f"force sensor: {_name(part)}", dataclasses.replace(bare, rig=alone)
    for part in _parts(rig.position_sensor):
        alone = dataclasses.replace(perfect, position_sensor=part)
        yield f"position sensor: {_name(part)}", dataclasses.replace(bare, rig=alone)
    yield "all together, the test as it is", test


def _parts(transfer: Transfer) -> list[Transfer]:
    if not isinstance(transfer, Series):
        return [transfer]
    return [inner for part in transfer.parts for inner in _parts(part)]


def _name(part: object) -> str:
    return (kinds.name_of(type(part)) or type(part).__name__).replace("-", " ")


def _contribution(what: str, test: Test, ideal: Run) -> Contribution:
    run = test.rehearse(keep=False)
    try:
        found = norms(run, ideal)
        moving = found["scale"] > STILL * found["scale"].max()
        e1, e2 = (float(found["rms"].sel(error=name).where(moving).max()) for name in ("e1", "e2"))
    except DovetailError:
        e1 = e2 = float("nan")
    return Contribution(what, e1, e2, run.outcome.completed)
