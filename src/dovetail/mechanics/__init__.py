"""Bodies and what acts between them; knows no study.

Depends on: core.
"""

from dovetail.mechanics.base import Substructure
from dovetail.mechanics.oscillator import Oscillator

__all__ = ["Oscillator", "Substructure"]
