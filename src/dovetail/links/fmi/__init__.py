"""FMI: models of other tools as substructures, and models and tests of Dovetail as FMUs.

Depends on: core, mechanics, specimens, testing. FMPy is required only to read or build an FMU.
"""

from typing import TYPE_CHECKING

from dovetail.lazily import lazily

if TYPE_CHECKING:
    from dovetail.links.fmi.export import export
    from dovetail.links.fmi.model import CoSimulation, FmuSpecimen, FmuSubstructure

lazily(__name__)


__all__ = ["CoSimulation", "FmuSpecimen", "FmuSubstructure", "export"]
