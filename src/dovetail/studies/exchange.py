"""What can be exchanged for what: families of laws, chains, blades, motions and winds, and the places that take each.

A place is a part of a test that declares a field by its family, `law: NormalLaw`, `friction: Friction`, `chain: Chain`,
`structure: BladeStructure`, `wind: WindField`, or a body that is free or told to move, `second: Mover`. The
documentation prints the tables, and tests walk them.
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
from dovetail.mechanics.motion import FrameMotion, Mover

Rule = tuple[Callable[[Any], bool], str]  # which members cannot be there, and why


@dataclass(frozen=True)
class ExchangePlace:
    """Where members of a family can be: a test, and the table in it that is one of them or holds it."""

    name: str
    test: str
    table: str
    cannot: tuple[Rule, ...] = ()
    kind: str = ""  # of the part in the table, where the test has another by itself

    def refusal(self, member: type) -> str:
        """Why a member cannot be there; empty where it can."""
        return next((why for those, why in self.cannot if those(member)), "")


def _no_friction(why: str) -> Rule:
    return lambda member: issubclass(member, Friction), why


def _not_free(why: str) -> Rule:
    return lambda member: not issubclass(member, FrameMotion), why


LINE = _no_friction("on one line nothing slips")
GRIPPED = _no_friction("a tip that is gripped on all sides does not slide")
NO_MEMORY: Rule = (
    lambda member: issubclass(member, NormalLaw) and member.latches,
    "it asks for the speed of the impact, and a load has no memory of it",
)
REELED: Rule = (lambda member: not member.variable, "its length cannot change")
BODY: Rule = (
    lambda member: not issubclass(member, LumpedChain),
    "it has no last link of its own that could be a body",
)
STRETCHED: Rule = (
    lambda member: not issubclass(member, ElasticChain),
    "it cannot stretch link by link and go slack",
)
DAMPED: Rule = (lambda member: not member.gives, "it has no modes that could move a damper")
FLOWN: Rule = (lambda member: not member.everywhere, "it knows its shapes at the lag damper only")
NO_STREAM: Rule = (lambda member: member.carried, "it asks for the stream that carries it")

CONTACTS = (
    ExchangePlace("impact on a line", "docking/impact-1dof", "rig.specimen", (LINE,)),
    ExchangePlace("probe in a drogue", "docking/six-dof", "rig.specimen"),
    ExchangePlace("funnel", "refuelling/full-scale", "rig.specimen"),
    ExchangePlace("ribs", "refuelling/full-scale", "rig.specimen", kind="rib-basket"),
    ExchangePlace("falling plate", "refuelling/drop", "rig.specimen", (LINE,), kind="impact-pair"),
    ExchangePlace("skid on deck, clamp", "shipboard/case-1", "system"),
    ExchangePlace("probe in a grid", "shipboard/probe-and-grid", "system.loads[0]", (GRIPPED, NO_MEMORY)),
    ExchangePlace("feet of a gear", "shipboard/hybrid-drop", "rig.specimen.body"),
)
CHAINS = (
    ExchangePlace("rope let out", "capture/deploy", "system", (REELED,)),
    ExchangePlace("rope that settles", "capture/settle", "system"),
    ExchangePlace("sling load", "capture/sling-load", "system"),
    ExchangePlace("glider tow", "capture/glider-tow", "system"),
    ExchangePlace("hose with drogue", "refuelling/full-scale", "numerical", (BODY,)),
    ExchangePlace("hose in an S reeled in", "refuelling/reel-in", "system", (BODY,)),
    ExchangePlace("hose after the latch", "refuelling/latched", "system", (STRETCHED,)),
    ExchangePlace("hung drogue", "refuelling/validation", "numerical", (BODY,)),
)
BLADES = (
    ExchangePlace(
        "blade on its lag damper", "substructuring/lag-damper-kinematics", "numerical.modes", (DAMPED,)
    ),
    ExchangePlace("rotor on a deck", "shipboard/case-6-rotor", "system.loads[0].rotor", (FLOWN,)),
    ExchangePlace("rotor with a pilot", "shipboard/case-8", "system.loads[1].rotor", (FLOWN,)),
)
MOTIONS = (
    ExchangePlace("target of a docking", "docking/six-dof", "numerical.second"),
    ExchangePlace("deck under an airframe", "shipboard/hybrid-drop", "numerical.second"),
    ExchangePlace(
        "deck, device, clamp",
        "shipboard/case-1",
        "system.platforms[0].motion",
        (_not_free("feet push on it, and only along a drive does a platform give way"),),
    ),
    ExchangePlace(
        "deck with a grid",
        "shipboard/probe-and-grid",
        "system.loads[0].deck",
        (_not_free("a load does not push what it is tied to"),),
    ),
    ExchangePlace(
        "tow point of a hose",
        "refuelling/full-scale",
        "numerical.tow",
        (_not_free("the tanker's mass is no part of it"),),
    ),
    ExchangePlace(
        "nozzle after the latch",
        "refuelling/latched",
        "system.nozzle",
        (_not_free("the receiver's mass is no part of it"),),
    ),
    ExchangePlace(
        "support of a rope",
        "capture/settle",
        "system.motion",
        (_not_free("the aircraft's mass is no part of it; take a tug"),),
    ),
)
WINDS = (
    ExchangePlace("wake on a rope", "capture/wake", "system.wake"),
    ExchangePlace("gusts on a rope", "capture/deploy", "system.gusts"),
    ExchangePlace("wake on a hose", "refuelling/full-scale", "numerical.air.wake"),
    ExchangePlace("gusts on a hose", "refuelling/full-scale", "numerical.air.gusts"),
    ExchangePlace("wind on an airframe", "shipboard/case-6", "system.loads[0].wind", (NO_STREAM,)),
    ExchangePlace("wind on a rotor", "shipboard/case-6-rotor", "system.loads[0].wind", (NO_STREAM,)),
)
FAMILIES: dict[str, tuple[type, tuple[ExchangePlace, ...]]] = {
    "law": (NormalLaw, CONTACTS),
    "friction": (Friction, CONTACTS),
    "chain": (Chain, CHAINS),
    "structure": (BladeStructure, BLADES),
    "motion": (Mover, MOTIONS),
    "wind": (WindField, WINDS),
}


def cross_table(family: str) -> Iterator[tuple[str, ...]]:
    """Rows: a head with the places, then each member of a family (`law`, `chain`, ...); `yes`, or why not."""
    base, places = FAMILIES[family]
    yield ("kind", *(place.name for place in places))
    for name, member in parts_by_kind(base).items():
        refusals = (place.refusal(member) for place in places)
        yield (name, *(f"no: {why}" if why else "yes" for why in refusals))


def law_table(family: str) -> Iterator[tuple[str, ...]]:
    """Rows: a head, then each member of a family with the first sentence that its file and its class say of it."""
    yield "kind", "class", "what it is"
    for name, member in parts_by_kind(FAMILIES[family][0]).items():
        said = inspect.getdoc(inspect.getmodule(member)) or ""
        own = inspect.getdoc(member) if family in ("structure", "wind") else ""  # some of which share a file
        yield name, member.__name__, (own or said).split("\n\n")[0].replace("\n", " ")
