"""Contact of bodies: materials, stiffness, normal laws, restitution, contact with a surface.

Depends on: core, and of this package `friction`.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.mechanics.contact.damping_factor import DampingFactor
    from dovetail.mechanics.contact.flores import Flores
    from dovetail.mechanics.contact.free_pair import FreePair
    from dovetail.mechanics.contact.gonthier import Gonthier, GonthierExact
    from dovetail.mechanics.contact.herbert_mcwhannell import HerbertMcWhannell
    from dovetail.mechanics.contact.hertz import Hertz
    from dovetail.mechanics.contact.hunt_crossley import HuntCrossley
    from dovetail.mechanics.contact.hysteretic_spring import HystereticSpring
    from dovetail.mechanics.contact.impact_speed_memory import ImpactSpeedMemory
    from dovetail.mechanics.contact.kelvin_voigt import KelvinVoigt
    from dovetail.mechanics.contact.lankarani_nikravesh import LankaraniNikravesh
    from dovetail.mechanics.contact.lee_wang import LeeWang
    from dovetail.mechanics.contact.material import (
        PEEK,
        PTFE,
        Aluminium,
        Aluminium2007,
        Material,
        Polyimide,
        Rubber,
        Steel,
    )
    from dovetail.mechanics.contact.normal_law import DissipativeLaw, NormalLaw
    from dovetail.mechanics.contact.realised_restitution import realised_restitution, restitution_of_law
    from dovetail.mechanics.contact.restitution import (
        Goldsmith,
        HerbertMcWhannellRestitution,
        RestitutionLaw,
    )
    from dovetail.mechanics.contact.stiffness import ConstantStiffness, ContactStiffness, HertzPair
    from dovetail.mechanics.contact.surface_contact import (
        ContactForces,
        ContactKinematics,
        SurfaceContact,
        contact_kinematics,
    )
    from dovetail.mechanics.contact.zhiying_qishao import ZhiyingQishao

lazily(__name__)


__all__ = [
    "PEEK",
    "PTFE",
    "Aluminium",
    "Aluminium2007",
    "ConstantStiffness",
    "ContactForces",
    "ContactKinematics",
    "ContactStiffness",
    "DampingFactor",
    "DissipativeLaw",
    "Flores",
    "FreePair",
    "Goldsmith",
    "Gonthier",
    "GonthierExact",
    "HerbertMcWhannell",
    "HerbertMcWhannellRestitution",
    "Hertz",
    "HertzPair",
    "HuntCrossley",
    "HystereticSpring",
    "ImpactSpeedMemory",
    "KelvinVoigt",
    "LankaraniNikravesh",
    "LeeWang",
    "Material",
    "NormalLaw",
    "Polyimide",
    "RestitutionLaw",
    "Rubber",
    "Steel",
    "SurfaceContact",
    "ZhiyingQishao",
    "contact_kinematics",
    "realised_restitution",
    "restitution_of_law",
]
