"""Spacecraft, drogue and scenarios of the six-degree-of-freedom chapters of Bondoky's thesis.

Sizes of the bodies follow from the printed inertias and offsets. The drawings with the drogue's radius and angle are
lost: 32.5 mm and 27 degrees were chosen so that the impact count, the first penetration and the boundary of the success
map agree with the printed values, which are therefore not independent results.
"""

from __future__ import annotations

import numpy as np

from dovetail.mechanics.bodies import (
    FreeBodies,
    MassProperties,
    combine,
    cube,
    cylinder,
    half_sphere,
)
from dovetail.mechanics.contact import Aluminium, Flores, HertzPair, Polyimide
from dovetail.mechanics.friction import Tustin
from dovetail.mechanics.geometry import Drogue
from dovetail.specimens.probe_in_drogue import BallInCavity

TIP_RADIUS = 25e-3  # [m]
CONE_LENGTH = 195e-3  # [m] to the mouth, from table 6.10
SPEED = 0.1  # [m/s]
INITIAL_ENERGY = 0.5 * 360.466 * SPEED**2  # [J]


def chaser(as_printed: bool = False) -> MassProperties:
    """Return the chaser of table 6.1, about the middle of its main body.

    As printed, the two cylinders have their inertia about one end and are shifted again: 145.76 kg m^2 across.
    With cylinders about their centres it is 122.43 kg m^2, the value of the case study (table 6.8).
    """
    if as_printed:
        parts = [
            MassProperties(300.0, [50.0, 50.0, 50.0]),
            MassProperties(60.0, [0.3, 31.25, 31.25], (1.1235, 0, 0)),
            MassProperties(0.366, [0.028e-3, 9.24e-3, 9.24e-3], (1.8845, 0, 0)),
            MassProperties(0.1, [0.25e-4, 0.16e-4, 0.16e-4], (2.0314, 0, 0)),
        ]
    else:
        parts = [
            cube(300.0, 1.0),
            cylinder(60.0, 0.1, 1.247).translated_by((1.1235, 0, 0)),
            cylinder(0.366, 12.5e-3, 0.275).translated_by((1.8845, 0, 0)),
            half_sphere(0.1, TIP_RADIUS).translated_by((2.022, 0, 0)),
        ]
    return combine(*parts)


def target() -> MassProperties:
    """Return the target of table 6.3, about the middle of its main body."""
    return combine(
        MassProperties(759.99, [374.726] * 3),
        MassProperties(0.77, [1e-3, 0.7e-3, 0.7e-3], (-0.885, 0, 0)),
        MassProperties(9.24, [0.0023, 0.2782, 0.2782], (-0.949, 0, 0)),
    )


def ball(cylinder_length: float = 50e-3) -> BallInCavity:
    """Return the contact of a polyimide tip in an aluminium drogue: Flores' law, restitution 0.8.

    The length of the cylinder is 50 mm, and 30 mm in the case study.
    """
    return BallInCavity(
        Drogue(32.5e-3, cylinder_length, CONE_LENGTH, np.radians(27)),
        Flores(HertzPair(Polyimide(), Aluminium(), TIP_RADIUS), restitution=0.8),
        Tustin(),
        TIP_RADIUS,
    )


def published(pitch_deg: float = -7.5, height: float = 75e-3) -> FreeBodies:
    """Return the scenario of section 6.5.2 with the bodies of tables 6.2 and 6.4: the tip in the mouth."""
    return FreeBodies(
        MassProperties(360.466, [50.3001, 145.76, 145.76]),
        MassProperties(770.0, [374.729, 383.82, 383.82]),
        tip=(1.8325, 0, 0),
        base=(-0.8477, 0, 0),
        position=(50e-3 + CONE_LENGTH, 0, height),
        attitude=(0, np.radians(pitch_deg), 0),
        velocity=(SPEED, 0, 0),
    )


def case_study(pitch_deg: float = 0.0, height: float = 0.0) -> FreeBodies:
    """Return a scenario of the case study (table 6.8), where yaw and lateral offset are zero."""
    return FreeBodies(
        MassProperties(360.0, [50.341, 122.433, 122.433]),
        MassProperties(770.0, [374.734, 385.391, 385.391]),
        tip=(1.833, 0, 0),
        base=(-0.847, 0, 0),
        position=(30e-3 + CONE_LENGTH, 0, height),
        attitude=(0, np.radians(pitch_deg), 0),
        velocity=(SPEED, 0, 0),
    )
