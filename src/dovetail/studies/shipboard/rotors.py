"""The rotors of the study: the generic one, the S-76 model, and Caradonna and Tung's, as blade data.

Blade profiles of the first two are lost with their figures. Lift slope times chord of the generic rotor was chosen so
that the printed formulas give 590 N at 135 rad/s and 0.14 rad; a slope of 0.1, which is that of a plate per degree,
with a chord of 0.15 m does it [Schock 2020, sec. 6.3.6]. The S-76's chord follows from its solidity; twist, slope and
thickness are assumed.
"""

from __future__ import annotations

import numpy as np

from dovetail.air import Blade, Rotor
from dovetail.air.rotor import Section

GENERIC = Blade(radius=3.0, chord=0.15, lift_slope=0.1, inner=0.2, outer=0.9, elements=80)  # table 6.3
SOUND = 340.3  # [m/s] not given

_R = 1.42  # [m] table C.1
_STATIONS = np.array([0.0, _R])
S76 = Blade(
    radius=_R,
    chord=0.0785,  # [m] of the solidity 0.0704
    inner=0.189,
    outer=0.972,
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
    inner=1 / 6,
    outer=1.0,
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
    """The generic rotor, as printed or consistent; no Mach number in either."""
    off = Section(compressibility="off")
    if form == "printed":
        return Rotor.as_printed(GENERIC, section=off, **fields)
    return Rotor(GENERIC, off, **fields)
