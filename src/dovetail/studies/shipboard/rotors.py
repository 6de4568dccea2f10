"""Blade data of the rotors of the study: generic rotor, S-76 model rotor, rotor of Caradonna and Tung.

Blade profiles of the first two are lost with their figures. Lift slope times chord of the generic rotor was chosen so
that the published formulas give 590 N at 135 rad/s and 0.14 rad; a slope of 0.1 (that of a plate per degree) with a
chord of 0.15 m fulfils this [Schock 2020, sec. 6.3.6]. The S-76's chord follows from its solidity; twist, slope and
thickness are assumed.
"""

from __future__ import annotations

import numpy as np

from dovetail.air import Blade, Rotor
from dovetail.air.rotor import Section

GENERIC = Blade(
    radius=3.0, chord=0.15, lift_slope=0.1, root_cutout=0.2, effective_radius=0.9, elements=80
)  # table 6.3
SOUND = 340.3  # [m/s] not given

_R = 1.42  # [m] table C.1
_STATIONS = np.array([0.0, _R])
S76 = Blade(
    radius=_R,
    chord=0.0785,  # [m] of the solidity 0.0704
    root_cutout=0.189,
    effective_radius=0.972,
    stations=_STATIONS,
    twist=np.deg2rad(-10.0) * (_STATIONS / _R - 0.75),
    thickness=0.095,
    lift_slope=6.0,  # [1/rad]
    drag_offset=0.01,
    elements=160,
)
S76_SPEED = 0.65 * SOUND / _R  # [rad/s]
S76_PITCH = np.deg2rad([4.0, 5.0, 6.0, 7.0, 8.0, 9.0])

CARADONNA = Blade(
    radius=1.143,
    chord=0.1905,
    root_cutout=1 / 6,
    effective_radius=1.0,
    thickness=0.12,
    lift_slope=5.73,  # [1/rad] 0.1 per degree
    drag_offset=0.0107,
    elements=80,
)
MEASURED = {
    5.0: (0.434, 0.00213),
    8.0: (0.439, 0.00459),
    12.0: (0.439, 0.00796),
}  # pitch [deg]: tip Mach, C_T


def generic(form: str = "consistent", **fields) -> Rotor:
    """Return the generic rotor in the published or consistent form, both without Mach effects."""
    off = Section(compressibility="off")
    if form == "published":
        return Rotor.as_published(GENERIC, section=off, **fields)
    return Rotor(GENERIC, off, **fields)
