"""FMI: models of other tools as substructures, and our models and tests as FMUs.

Depends on: core, mechanics, specimens, testing. FMPy is needed where an FMU is read or built, not before.
"""

from dovetail.links.fmi.export import export
from dovetail.links.fmi.model import CoSimulation, FmuSpecimen, FmuSubstructure

__all__ = ["CoSimulation", "FmuSpecimen", "FmuSubstructure", "export"]
