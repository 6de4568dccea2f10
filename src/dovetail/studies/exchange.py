"""What can be exchanged for what: families of laws and chains, and the places in the studies that take each member.

A place is a part of a test that declares a field by its family, `law: NormalLaw`, `friction: Friction` or
`chain: Chain`. The documentation prints the table, and tests walk it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from dovetail.core.registry import kinds
from dovetail.mechanics.chain import Chain, ElasticChain
from dovetail.mechanics.chain.lumped import LumpedChain
from dovetail.mechanics.contact import NormalLaw
from dovetail.mechanics.friction import Friction

FAMILIES: dict[str, type] = {"law": NormalLaw, "friction": Friction}
NO_MEMORY = "it asks for the speed of the impact, and a load has no memory of it"


@dataclass(frozen=True)
class Place:
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
        return NO_MEMORY if getattr(member, "latches", False) and not self.memory else ""


PLACES = (
    Place("impact on a line", "docking/impact-1dof", "rig.specimen", "on one line nothing slips"),
    Place("probe in a drogue", "docking/six-dof", "rig.specimen"),
    Place("funnel", "refuelling/full-scale", "rig.specimen"),
    Place("ribs", "refuelling/full-scale", "rig.specimen", kind="rib-basket"),
    Place(
        "falling plate", "refuelling/drop", "rig.specimen", "on one line nothing slips", kind="impact-pair"
    ),
    Place("skid on deck, clamp", "shipboard/case-1", "system"),
    Place(
        "probe in a grid",
        "shipboard/probe-and-grid",
        "system.loads[0]",
        "a tip that is gripped on all sides does not slide",
        memory=False,
    ),
    Place("feet of a gear", "shipboard/hybrid-drop", "rig.specimen.body"),
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


def places(family: str) -> tuple[Place | ChainPlace, ...]:
    """Where members of a family can be."""
    return CHAIN_PLACES if family == "chain" else PLACES


def _members(family: str) -> dict[str, type]:
    return kinds(Chain if family == "chain" else FAMILIES[family])


def cross_table(family: str) -> Iterator[tuple[str, ...]]:
    """Rows: a head with the places, then each member of a family (`law`, `friction`, `chain`); `yes`, or why not."""
    yield ("kind", *(place.name for place in places(family)))
    for name, member in _members(family).items():
        refusals = (place.refusal(family, member) for place in places(family))
        yield (name, *(f"no: {why}" if why else "yes" for why in refusals))


def law_table(family: str) -> Iterator[tuple[str, ...]]:
    """Rows: a head, then each member of a family with the first sentence that its file and its class say of it."""
    yield "kind", "class", "what it is"
    for name, member in _members(family).items():
        said = inspect.getdoc(inspect.getmodule(member)) or ""
        yield name, member.__name__, said.split("\n\n")[0].replace("\n", " ")
