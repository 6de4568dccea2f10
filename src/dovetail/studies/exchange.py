"""What can be exchanged for what: families of laws, chains, blades, motions and winds, and the places that take each.

A place is a part of a test that declares a field by its family, `law: NormalLaw`, `friction: Friction`, `chain: Chain`,
`structure: BladeStructure`, `wind: WindField`, or a body that is free or told to move, `second: Mover`. The
documentation prints the tables, and tests walk them.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from dovetail.air.rotor import BladeStructure
from dovetail.air.wind import WindField
from dovetail.core.registry import kinds
from dovetail.mechanics.chain import Chain, ElasticChain
from dovetail.mechanics.chain.lumped import LumpedChain
from dovetail.mechanics.contact import NormalLaw
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.motion import FrameMotion, Mover

FAMILIES: dict[str, type] = {"law": NormalLaw, "friction": Friction}
NO_MEMORY = "it asks for the speed of the impact, and a load has no memory of it"


@dataclass(frozen=True)
class ContactPlace:
    """Where bodies touch: a test, and the table in it that holds `law` and `friction`."""

    name: str
    test: str
    table: str
    without_friction: str = ""  # why nothing rubs there
    memory: bool = True  # whether the speed of an impact is remembered
    kind: str = ""  # of the part in the table, where the test has another by itself

    def refusal(self, family: str, member: type) -> str:
        """Why a member of a family cannot be there; empty where it can."""
        if family == "friction":
            return self.without_friction
        return NO_MEMORY if issubclass(member, NormalLaw) and member.latches and not self.memory else ""


PLACES = (
    ContactPlace("impact on a line", "docking/impact-1dof", "rig.specimen", "on one line nothing slips"),
    ContactPlace("probe in a drogue", "docking/six-dof", "rig.specimen"),
    ContactPlace("funnel", "refuelling/full-scale", "rig.specimen"),
    ContactPlace("ribs", "refuelling/full-scale", "rig.specimen", kind="rib-basket"),
    ContactPlace(
        "falling plate", "refuelling/drop", "rig.specimen", "on one line nothing slips", kind="impact-pair"
    ),
    ContactPlace("skid on deck, clamp", "shipboard/case-1", "system"),
    ContactPlace(
        "probe in a grid",
        "shipboard/probe-and-grid",
        "system.loads[0]",
        "a tip that is gripped on all sides does not slide",
        memory=False,
    ),
    ContactPlace("feet of a gear", "shipboard/hybrid-drop", "rig.specimen.body"),
)


@dataclass(frozen=True)
class ChainPlace:
    """Where a chain is towed, reeled or held: a test, the table in it that holds `chain`, and what that asks for."""

    name: str
    test: str
    table: str
    needs: str = (
        ""  # nothing, that its length changes (`reel`), that it carries a body (`body`), that it stretches
    )

    def refusal(self, family: str, member: type) -> str:
        """Why a formulation cannot be there; empty where it can."""
        asked = {
            "reel": (not issubclass(member, Chain) or member.variable, "its length cannot change"),
            "body": (issubclass(member, LumpedChain), "it has no last link of its own that could be a body"),
            "stretch": (issubclass(member, ElasticChain), "it cannot stretch link by link and go slack"),
        }
        can, why_not = asked.get(self.needs, (True, ""))
        return "" if can else why_not


CHAIN_PLACES = (
    ChainPlace("rope let out", "capture/deploy", "system", "reel"),
    ChainPlace("rope that settles", "capture/settle", "system"),
    ChainPlace("sling load", "capture/sling-load", "system"),
    ChainPlace("glider tow", "capture/glider-tow", "system"),
    ChainPlace("hose with drogue", "refuelling/full-scale", "numerical", "body"),
    ChainPlace("hose in an S reeled in", "refuelling/reel-in", "system", "body"),
    ChainPlace("hose after the latch", "refuelling/latched", "system", "stretch"),
    ChainPlace("hung drogue", "refuelling/validation", "numerical", "body"),
)


@dataclass(frozen=True)
class BladePlace:
    """Where a blade gives: a test, the table in it that holds `structure`, and what that asks for."""

    name: str
    test: str
    table: str
    needs: str  # that it has modes (`gives`), that they are known along the blade (`everywhere`)

    def refusal(self, family: str, member: type) -> str:
        """Why a blade cannot be there; empty where it can."""
        if getattr(member, self.needs):
            return ""
        return {
            "gives": "it has no modes that could move a damper",
            "everywhere": "it knows its shapes at the lag damper only",
        }[self.needs]


BLADE_PLACES = (
    BladePlace("blade on its lag damper", "substructuring/lag-damper-kinematics", "numerical.modes", "gives"),
    BladePlace("rotor on a deck", "shipboard/case-6-rotor", "system.loads[0].rotor", "everywhere"),
    BladePlace("rotor with a pilot", "shipboard/case-8", "system.loads[1].rotor", "everywhere"),
)


@dataclass(frozen=True)
class MotionPlace:
    """Where a body is free or told to move: a test, and the table in it that is the body or its motion."""

    name: str
    test: str
    table: str
    not_free: str = ""  # why a free body cannot be there

    def refusal(self, family: str, member: type) -> str:
        """Why a member cannot be there; empty where it can."""
        return "" if issubclass(member, FrameMotion) else self.not_free


MOTION_PLACES = (
    MotionPlace("target of a docking", "docking/six-dof", "numerical.second"),
    MotionPlace("deck under an airframe", "shipboard/hybrid-drop", "numerical.second"),
    MotionPlace(
        "deck, device, clamp",
        "shipboard/case-1",
        "system.platforms[0].motion",
        "feet push on it, and only along a drive does a platform give way",
    ),
    MotionPlace(
        "deck with a grid",
        "shipboard/probe-and-grid",
        "system.loads[0].deck",
        "a load does not push what it is tied to",
    ),
    MotionPlace(
        "tow point of a hose", "refuelling/full-scale", "numerical.tow", "the tanker's mass is no part of it"
    ),
    MotionPlace(
        "nozzle after the latch",
        "refuelling/latched",
        "system.nozzle",
        "the receiver's mass is no part of it",
    ),
    MotionPlace(
        "support of a rope",
        "capture/settle",
        "system.motion",
        "the aircraft's mass is no part of it; take a tug",
    ),
)


@dataclass(frozen=True)
class WindPlace:
    """Where air moves: a test, and the field in it that is a wind."""

    name: str
    test: str
    table: str
    stream: bool = True  # whether a stream is there, which carries what is in it

    def refusal(self, family: str, member: type) -> str:
        """Why a field cannot be there; empty where it can."""
        carried = issubclass(member, WindField) and member.carried
        return "it asks for the stream that carries it" if carried and not self.stream else ""


WIND_PLACES = (
    WindPlace("wake on a rope", "capture/wake", "system.wake"),
    WindPlace("gusts on a rope", "capture/deploy", "system.gusts"),
    WindPlace("wake on a hose", "refuelling/full-scale", "numerical.air.wake"),
    WindPlace("gusts on a hose", "refuelling/full-scale", "numerical.air.gusts"),
    WindPlace("wind on an airframe", "shipboard/case-6", "system.loads[0].wind", stream=False),
    WindPlace("wind on a rotor", "shipboard/case-6-rotor", "system.loads[0].wind", stream=False),
)
_BESIDE: dict[str, tuple[type, tuple]] = {
    "chain": (Chain, CHAIN_PLACES),
    "structure": (BladeStructure, BLADE_PLACES),
    "motion": (Mover, MOTION_PLACES),
    "wind": (WindField, WIND_PLACES),
}


def places(family: str) -> tuple[ContactPlace | ChainPlace | BladePlace | MotionPlace | WindPlace, ...]:
    """Where members of a family can be."""
    return _BESIDE[family][1] if family in _BESIDE else PLACES


def _members(family: str) -> dict[str, type]:
    return kinds(_BESIDE[family][0] if family in _BESIDE else FAMILIES[family])


def cross_table(family: str) -> Iterator[tuple[str, ...]]:
    """Rows: a head with the places, then each member of a family (`law`, `chain`, ...); `yes`, or why not."""
    yield ("kind", *(place.name for place in places(family)))
    for name, member in _members(family).items():
        refusals = (place.refusal(family, member) for place in places(family))
        yield (name, *(f"no: {why}" if why else "yes" for why in refusals))


def law_table(family: str) -> Iterator[tuple[str, ...]]:
    """Rows: a head, then each member of a family with the first sentence that its file and its class say of it."""
    yield "kind", "class", "what it is"
    for name, member in _members(family).items():
        said = inspect.getdoc(inspect.getmodule(member)) or ""
        own = inspect.getdoc(member) if family in ("structure", "wind") else ""  # some of which share a file
        yield name, member.__name__, (own or said).split("\n\n")[0].replace("\n", " ")
