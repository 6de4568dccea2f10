"""Waves and ship motion: recorded decks, wave spectra, ship response, load of a securing device.

Depends on: core, mechanics, air.

Axes: x forward, y to port, z up, in a frame that travels with the ship's mean speed and heading.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.sea.operating_envelope import SecuringEnvelope
    from dovetail.sea.recorded_deck import RecordedDeck, read_motion
    from dovetail.sea.response import (
        BoxShip,
        ShipResponse,
        TabulatedResponse,
        WaveFollower,
        encounter_omega,
    )
    from dovetail.sea.seaway import Seaway
    from dovetail.sea.spectrum import SEA_STATES, Bretschneider, Jonswap, WaveSpectrum, sea_state
    from dovetail.sea.statistics import Waves, estimate_spectrum, find_waves

lazily(__name__)


__all__ = [
    "SEA_STATES",
    "BoxShip",
    "Bretschneider",
    "Jonswap",
    "RecordedDeck",
    "Seaway",
    "SecuringEnvelope",
    "ShipResponse",
    "TabulatedResponse",
    "WaveFollower",
    "WaveSpectrum",
    "Waves",
    "encounter_omega",
    "estimate_spectrum",
    "find_waves",
    "read_motion",
    "sea_state",
]
