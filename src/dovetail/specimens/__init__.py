"""Virtual stand-ins for the part under test: motion in, force out, with memory.

Depends on: core, mechanics.
"""

from dovetail.specimens.base import Specimen
from dovetail.specimens.spring import Spring

__all__ = ["Specimen", "Spring"]
