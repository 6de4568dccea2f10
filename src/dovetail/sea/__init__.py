"""Waves, and the motion of a ship in them: records, spectra with a ship's response; what a securing device must bear.

Depends on: core, mechanics, air.

Axes: x forward, y to port, z up, in a frame that travels with the ship's mean speed and heading.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.sea.operating_envelope import SecuringEnvelope
    from dovetail.sea.recorded_deck import RecordedDeck, read_motion
    from dovetail.sea.response import BoxShip, ShipResponse, TabulatedResponse, WaveFollower, encounter
    from dovetail.sea.seaway import Seaway
    from dovetail.sea.spectrum import SEA_STATES, Bretschneider, Jonswap, WaveSpectrum, sea_state
    from dovetail.sea.statistics import Waves, spectrum_of, waves

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
    "encounter",
    "read_motion",
    "sea_state",
    "spectrum_of",
    "waves",
]
