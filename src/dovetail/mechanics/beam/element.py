r"""Matrices of a beam element: bar and cubic Hermite beam, in the plane and in space.

With the shape functions :math:`N` of a bar (linear) and of a Hermite beam (cubic),

.. math:: K = \int_0^L \beta^T D\,\beta\,dx, \qquad M = \rho A\int_0^L N^T N\,dx

[Schock 2020, sec. 4.1; the sign of its entry (3, 5) is corrected here]. Local axes: x along the element. A planar
node has three degrees of freedom, :math:`u, v, \theta`. A spatial node has six,
:math:`u, v, w, \theta_x, \theta_y, \theta_z`, with torsion as a second bar and bending in both planes.
Limits: slender beams (no shear deformation, no rotary inertia of bending), small rotations of the element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PLANAR, SPATIAL = 3, 6  # degrees of freedom per node


def bar(stiffness: float, mass: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness and mass (2, 2) of a bar: axial with E A and rho A, or torsion with G J and rho J."""
    k = stiffness / length * np.array([[1.0, -1.0], [-1.0, 1.0]])
    return k, mass * length / 6 * np.array([[2.0, 1.0], [1.0, 2.0]])


def bending(stiffness: float, mass: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness and mass (4, 4) of a Hermite beam with E I and rho A: deflection and slope at both ends."""
    l = length
    k = (
        stiffness
        / l**3
        * np.array(
            [
                [12.0, 6 * l, -12.0, 6 * l],
                [6 * l, 4 * l**2, -6 * l, 2 * l**2],
                [-12.0, -6 * l, 12.0, -6 * l],
                [6 * l, 2 * l**2, -6 * l, 4 * l**2],
            ]
        )
    )
    m = (
        mass
        * l
        / 420
        * np.array(
            [
                [156.0, 22 * l, 54.0, -13 * l],
                [22 * l, 4 * l**2, 13 * l, -3 * l**2],
                [54.0, 13 * l, 156.0, -22 * l],
                [-13 * l, -3 * l**2, -22 * l, 4 * l**2],
            ]
        )
    )
    return k, m


def string(tension: float, length: float) -> np.ndarray:
    """Return the geometric stiffness (4, 4) of a Hermite beam under tension [N]."""
    l = length
    shape = [
        [36.0, 3 * l, -36.0, 3 * l],
        [3 * l, 4 * l**2, -3 * l, -(l**2)],
        [-36.0, -3 * l, 36.0, -3 * l],
        [3 * l, -(l**2), -3 * l, 4 * l**2],
    ]
    return tension / (30 * l) * np.array(shape)


def hermite(s: Any, length: Any, *ends: Any) -> tuple[Any, Any]:
    """Return deflection and slope at the fraction s of an element, from deflection and slope at its ends."""
    y0, d0, y1, d1 = ends
    bump = s * (1 - s)
    value = y0 + (y1 - y0) * s**2 * (3 - 2 * s) + length * bump * ((1 - s) * d0 - s * d1)
    slope = 6 * bump * (y1 - y0) / length + (1 - s) * (1 - 3 * s) * d0 + s * (3 * s - 2) * d1
    return value, slope


STRETCH, UP = [0, 3], [1, 2, 4, 5]  # planar element: indices of axial and of bending degrees of freedom
PULL, TURN, SIDE, RISE = (
    [0, 6],
    [3, 9],
    [1, 5, 7, 11],
    [2, 4, 8, 10],
)  # spatial element: axial, torsion, bending
LOWERS = np.diag([1.0, -1.0, 1.0, -1.0])  # a positive rotation about y lowers w along x


def placed(size: int, *pieces: tuple[list[int], np.ndarray]) -> np.ndarray:
    """Return an element matrix assembled from pieces (indices of the degrees of freedom, matrix)."""
    matrix = np.zeros((size, size))
    for places, piece in pieces:
        matrix[np.ix_(places, places)] += LOWERS @ piece @ LOWERS if places == RISE else piece
    return matrix


def planar_element(E: float, A: float, I: float, rho: float, length: float) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness and consistent mass (6, 6) in local axes, with u, v, theta at both ends."""
    along, across = bar(E * A, rho * A, length), bending(E * I, rho * A, length)
    k, m = (placed(6, (STRETCH, along[i]), (UP, across[i])) for i in (0, 1))
    return k, m


def spatial_element(
    E: float, A: float, I_y: float, I_z: float, G: float, J: float, rho: float, length: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return stiffness and consistent mass (12, 12) in local axes, with u, v, w and three rotations at both ends.

    `J` [m^4] is the torsion constant; the polar moment of the section is `I_y + I_z`.
    """
    along, turned = bar(E * A, rho * A, length), bar(G * J, rho * (I_y + I_z), length)
    side, rise = bending(E * I_z, rho * A, length), bending(E * I_y, rho * A, length)
    k, m = (placed(12, (PULL, along[i]), (TURN, turned[i]), (SIDE, side[i]), (RISE, rise[i])) for i in (0, 1))
    return k, m


def planar_tension(tension: float, length: float) -> np.ndarray:
    """Return the geometric stiffness (6, 6) under tension [N]."""
    return placed(6, (UP, string(tension, length)))


def spatial_tension(tension: float, polar: float, length: float) -> np.ndarray:
    """Return the geometric stiffness (12, 12) under tension [N]; `polar` is polar moment over area [m^2]."""
    bent = string(tension, length)
    return placed(12, (TURN, bar(tension * polar, 0.0, length)[0]), (SIDE, bent), (RISE, bent))


def planar_turn(direction: np.ndarray) -> np.ndarray:
    """Return the global-to-local matrix (6, 6) of an element along the unit vector `direction` (2,)."""
    c, s = direction
    t = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    return np.kron(np.eye(2), t)


def spatial_turn(direction: np.ndarray, reference: np.ndarray | None = None) -> np.ndarray:
    """Return the global-to-local matrix (12, 12); local z lies in the plane of the element and `reference` (3,).

    The default reference is the global axis most perpendicular to the element.
    """
    if reference is None:
        reference = np.eye(3)[int(np.argmin(np.abs(direction)))]
    y = np.cross(reference, direction)
    y = y / np.linalg.norm(y)
    t = np.stack([direction, y, np.cross(direction, y)])
    return np.kron(np.eye(4), t)
