r"""Section loads of a deformed beam frame, and utilisation of the Euler buckling load.

End forces of an element in local axes are :math:`f = K_l\,T\,\delta`. Positive axial load is tension. The buckling
load is Euler's load of an element pinned at both ends, :math:`\pi^2 EI/L^2`.
"""

from __future__ import annotations

import numpy as np

from dovetail.mechanics.beam.mesh import BeamMesh


def section_loads(mesh: BeamMesh, displacement: np.ndarray) -> dict[str, np.ndarray]:
    """Return axial load [N], shear [N], end moments [N m] and compression over Euler load for each element.

    `displacement` holds all degrees of freedom. In space, shear and moment are resultants of both planes.
    """
    rows = []
    for e in range(len(mesh.elements)):
        k, _, turn = mesh.element(e)
        f = k @ turn @ np.asarray(displacement)[mesh.places(e)]
        length = mesh.lengths()[e]
        euler = np.pi**2 * float(mesh.element_values("E")[e] * mesh.element_values("I")[e]) / length**2
        if mesh.dimension == 2:
            axial, shear, first, second = f[3], abs(f[4]), abs(f[2]), abs(f[5])
        else:
            axial, shear = f[6], np.hypot(f[7], f[8])
            first, second = np.hypot(f[4], f[5]), np.hypot(f[10], f[11])
        rows.append((axial, shear, first, second, max(-axial, 0.0) / euler))
    names = ("axial", "shear", "moment_start", "moment_end", "buckling")
    return {name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
