"""Chain models of rope, hose, tether and cable: five formulations with one interface.

Depends on: core, and of this package `spatial`.

=============== ==================================================================================
`LinkChain`     inextensible links, Cartesian nodes: fast, any orientation, variable length
`AngleChain`    inextensible links with angles as coordinates, no drift: hoses; variable length
`RodChain`      rods with global angles and one visco-elastic element at the top, dense closed form
`ElasticChain`  spring and damper in each link: stretch along the rope, slack; variable length
`AncfCable`     cable elements with nodal slopes: accurate reference
=============== ==================================================================================

Further modules: `link_chain_batch` (link chains in a batch, for sweeps), `attach_body` (a body caught at the tip),
`remesh` (change of the number of links, and `AdaptiveElements`), `single_rod` (one straight rod), `torsion` (twist),
`equilibrium` and `trim` (states at rest), `identify` (damping from a measurement), `energy_terms` (energy balance).
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.chain.angled import AngleChain
    from dovetail.mechanics.chain.base import Chain, ChainLoads, ChainNodes, ChainSolution
    from dovetail.mechanics.chain.cable import AncfCable
    from dovetail.mechanics.chain.drum import Drum, HoseDrum, IdealDrum
    from dovetail.mechanics.chain.elastic import ElasticChain
    from dovetail.mechanics.chain.length import ContactReel, FixedReel, ReelLaw, SmoothReel, TimedReel
    from dovetail.mechanics.chain.link_chain_batch import LinkChainBatch
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
    "ChainLoads",
    "ChainNodes",
    "ChainSolution",
    "ContactReel",
    "Drum",
    "ElasticChain",
    "FixedReel",
    "HoseDrum",
    "IdealDrum",
    "LinkChain",
    "LinkChainBatch",
    "ReelLaw",
    "RodChain",
    "SmoothReel",
    "TimedReel",
    "TwistLine",
]
