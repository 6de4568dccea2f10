"""Chains: rope, hose, tether and cable in five formulations behind one interface.

Depends on: core, and of this package `spatial`.

=============== ==================================================================================
`LinkChain`     inextensible links, Cartesian nodes: fast, any orientation, length may change
`AngleChain`    inextensible links by their angles, without drift: hoses; length may change
`RodChain`      rods with global angles and one visco-elastic element at the top, dense closed form
`ElasticChain`  a spring and damper in every link: stretch along the rope, slack; length may change
`AncfCable`     cable elements with nodal slopes: the accurate reference
=============== ==================================================================================

Beside them: `ManyLinks` (link chains side by side, for sweeps), `catch.join` (a body caught at the tip), `remesh`
(another number of links, and `AdaptiveElements`: as many as a run needs), `taut` (one straight rod), `torsion` (twist),
`static` (equilibria), `identify` (damping from a measurement), `plain` (NumPy only), `ledger`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.chain.angled import AngleChain
    from dovetail.mechanics.chain.base import Chain, Loads, Nodes, Solved
    from dovetail.mechanics.chain.cable import AncfCable
    from dovetail.mechanics.chain.drum import Drum, ExactDrum, HoseDrum
    from dovetail.mechanics.chain.elastic import ElasticChain
    from dovetail.mechanics.chain.length import ContactReel, ReelLaw, SmoothReel, StillReel, TimedReel
    from dovetail.mechanics.chain.link_chain_batch import ManyLinks
    from dovetail.mechanics.chain.links import LinkChain
    from dovetail.mechanics.chain.remesh import AdaptiveElements
    from dovetail.mechanics.chain.rods import RodChain
    from dovetail.mechanics.chain.torsion import TwistLine

lazily(__name__)


__all__ = [
    "AdaptiveElements",
    "AncfCable",
    "AngleChain",
    "Chain",
    "ContactReel",
    "Drum",
    "ElasticChain",
    "ExactDrum",
    "HoseDrum",
    "LinkChain",
    "Loads",
    "ManyLinks",
    "Nodes",
    "ReelLaw",
    "RodChain",
    "SmoothReel",
    "Solved",
    "StillReel",
    "TimedReel",
    "TwistLine",
]
