"""Interchangeable parts: families of laws, chains, blades, motions and winds, and the tests that accept each.

An exchange point is a field of a part that is declared by its family: `law: NormalLaw`, `friction: Friction`,
`chain: Chain`, `structure: BladeStructure`, `wind: WindField`, or `second: MotionModel` for a free body or a prescribed
motion. The documentation prints the tables, and tests check every cell.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dovetail.air.rotor import BladeStructure
from dovetail.air.wind import WindField
from dovetail.core.kinds import parts_by_kind
from dovetail.mechanics.chain import Chain, ElasticChain
from dovetail.mechanics.chain.lumped import LumpedChain
from dovetail.mechanics.contact import NormalLaw
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.motion import FrameMotion, MotionModel

Rule = tuple[Callable[[Any], bool], str]  # members that are not supported, and the reason


@dataclass(frozen=True)
class ExchangePlace:
    """Field of a test that accepts members of a family: the test and the path of the table."""

    name: str
    test: str
    table: str
    cannot: tuple[Rule, ...] = ()
    kind: str = ""  # kind of the part in the table, if it differs from that of the test

    def refusal(self, member: type) -> str:
        """Return the reason why a member is not supported; empty if it is."""
        return next((why for those, why in self.cannot if those(member)), "")


def _no_friction(why: str) -> Rule:
    return lambda member: issubclass(member, Friction), why


def _not_free(why: str) -> Rule:
    return lambda member: not issubclass(member, FrameMotion), why


LINE = _no_friction("motion along one line has no slip")
GRIPPED = _no_friction("a tip that is clamped on all sides does not slide")
NO_MEMORY: Rule = (
    lambda member: issubclass(member, NormalLaw) and member.needs_impact_speed,
    "it needs the impact speed, which a load without state does not store",
)
REELED: Rule = (lambda member: not member.variable, "its length cannot change")
BODY: Rule = (
    lambda member: not issubclass(member, LumpedChain),
    "its last link cannot be a body",
)
STRETCHED: Rule = (
    lambda member: not issubclass(member, ElasticChain),
    "its links cannot stretch and go slack",
)
DAMPED: Rule = (lambda member: not member.has_modes, "it has no modes that move a damper")
FLOWN: Rule = (
    lambda member: not member.has_spanwise_shapes,
    "its mode shapes are available at the lag damper only",
)
NO_STREAM: Rule = (lambda member: member.needs_stream, "it needs the stream that carries it")

CONTACTS = (
    ExchangePlace("impact on a line", "docking/impact-1dof", "rig.specimen", (LINE,)),
    ExchangePlace("probe in a drogue", "docking/six-dof", "rig.specimen"),
    ExchangePlace("funnel", "refuelling/full-scale", "rig.specimen"),
    ExchangePlace("rib basket", "refuelling/full-scale", "rig.specimen", kind="rib-basket"),
    ExchangePlace("falling plate", "refuelling/drop", "rig.specimen", (LINE,), kind="impact-pair"),
    ExchangePlace("skid on deck, clamp", "shipboard/case-1", "numerical"),
    ExchangePlace("probe in a grid", "shipboard/probe-and-grid", "numerical.loads[0]", (GRIPPED, NO_MEMORY)),
    ExchangePlace("feet of a gear", "shipboard/hybrid-drop", "rig.specimen.body"),
)
CHAINS = (
    ExchangePlace("rope let out", "capture/deploy", "numerical", (REELED,)),
    ExchangePlace("rope that settles", "capture/settle", "numerical"),
    ExchangePlace("sling load", "capture/sling-load", "numerical"),
    ExchangePlace("glider tow", "capture/glider-tow", "numerical"),
    ExchangePlace("hose with drogue", "refuelling/full-scale", "numerical", (BODY,)),
    ExchangePlace("hose in an S reeled in", "refuelling/reel-in", "numerical", (BODY,)),
    ExchangePlace("hose after the latch", "refuelling/latched", "numerical", (STRETCHED,)),
    ExchangePlace("hung drogue", "refuelling/validation", "numerical", (BODY,)),
)
BLADES = (
    ExchangePlace(
        "blade on its lag damper", "substructuring/lag-damper-kinematics", "numerical.modes", (DAMPED,)
    ),
    ExchangePlace("rotor on a deck", "shipboard/case-6-rotor", "numerical.loads[0].rotor", (FLOWN,)),
    ExchangePlace("rotor with a pilot", "shipboard/case-8", "numerical.loads[1].rotor", (FLOWN,)),
)
MOTIONS = (
    ExchangePlace("target of a docking", "docking/six-dof", "numerical.second"),
    ExchangePlace("deck under an airframe", "shipboard/hybrid-drop", "numerical.second"),
    ExchangePlace(
        "deck, device, clamp",
        "shipboard/case-1",
        "numerical.platforms[0].motion",
        (_not_free("the feet load it, and a platform is compliant only along a drive"),),
    ),
    ExchangePlace(
        "deck with a grid",
        "shipboard/probe-and-grid",
        "numerical.loads[0].deck",
        (_not_free("a load exerts no force on the body to which it is tied"),),
    ),
    ExchangePlace(
        "tow point of a hose",
        "refuelling/full-scale",
        "numerical.motion",
        (_not_free("the test has no tanker mass"),),
    ),
    ExchangePlace(
        "nozzle after the latch",
        "refuelling/latched",
        "numerical.nozzle",
        (_not_free("the test has no receiver mass"),),
    ),
    ExchangePlace(
        "support of a rope",
        "capture/settle",
        "numerical.motion",
        (_not_free("the test has no aircraft mass; use a tug"),),
    ),
)
WINDS = (
    ExchangePlace("wake on a rope", "capture/wake", "numerical.wake"),
    ExchangePlace("gusts on a rope", "capture/deploy", "numerical.gusts"),
    ExchangePlace("wake on a hose", "refuelling/full-scale", "numerical.wake"),
    ExchangePlace("gusts on a hose", "refuelling/full-scale", "numerical.gusts"),
    ExchangePlace("wind on an airframe", "shipboard/case-6", "numerical.loads[0].wind", (NO_STREAM,)),
    ExchangePlace("wind on a rotor", "shipboard/case-6-rotor", "numerical.loads[0].wind", (NO_STREAM,)),
)
FAMILIES: dict[str, tuple[type, tuple[ExchangePlace, ...]]] = {
    "law": (NormalLaw, CONTACTS),
    "friction": (Friction, CONTACTS),
    "chain": (Chain, CHAINS),
    "structure": (BladeStructure, BLADES),
    "motion": (MotionModel, MOTIONS),
    "wind": (WindField, WINDS),
}


def cross_table(family: str) -> Iterator[tuple[str, ...]]:
    """Yield a header with the tests, then a row for each member of a family: "yes", or "no" with the reason."""
    base, places = FAMILIES[family]
    yield ("kind", *(place.name for place in places))
    for name, member in parts_by_kind(base).items():
        refusals = (place.refusal(member) for place in places)
        yield (name, *(f"no: {why}" if why else "yes" for why in refusals))


def law_table(family: str) -> Iterator[tuple[str, ...]]:
    """Yield a header, then each member of a family with the first line of its class or module docstring."""
    yield "kind", "class", "description"
    for name, member in parts_by_kind(FAMILIES[family][0]).items():
        module_text = inspect.getdoc(inspect.getmodule(member)) or ""
        own = inspect.getdoc(member) if family in ("structure", "wind") else ""  # shared module
        yield name, member.__name__, (own or module_text).split("\n\n")[0].replace("\n", " ")
