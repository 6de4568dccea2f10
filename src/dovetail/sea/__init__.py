"""Waves, and the motion of a deck in them: harmonics, records, spectra with a ship's response.

Depends on: core, mechanics, air.

Axes: x forward, y to port, z up, in a frame that travels with the ship's mean speed and heading.
"""

from typing import TYPE_CHECKING

from dovetail import core as _core  # noqa: F401  (sets float64 before any array is made)
from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.sea.deck_airframe import DeckAirframe
    from dovetail.sea.deck_body import DeckBody, DeckFeel
    from dovetail.sea.envelope import SecuringEnvelope
    from dovetail.sea.harmonic import HarmonicDeck
    from dovetail.sea.motion import DeckMotion, DeckState, PointMotion
    from dovetail.sea.recorded import RecordedDeck, read_motion
    from dovetail.sea.response import BoxShip, ShipResponse, TabulatedResponse, WaveFollower, encounter
    from dovetail.sea.seaway import Seaway
    from dovetail.sea.spectrum import SEA_STATES, Bretschneider, Jonswap, WaveSpectrum, sea_state
    from dovetail.sea.statistics import Waves, spectrum_of, waves

lazily(__name__)


__all__ = [
    "SEA_STATES",
    "BoxShip",
    "Bretschneider",
    "DeckAirframe",
    "DeckBody",
    "DeckFeel",
    "DeckMotion",
    "DeckState",
    "HarmonicDeck",
    "Jonswap",
    "PointMotion",
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
