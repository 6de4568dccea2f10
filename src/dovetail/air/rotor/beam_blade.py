r"""A blade of beam elements in rotation: flap, lag and twist with the tension that keeps the blade out.

At the rotor speed :math:`\Omega` the elements of `mechanics.beam` carry the tension
:math:`T(r) = \Omega^2\int_r^R \rho A\,s\,ds`. It stiffens bending in both planes and twist; what moves in the plane of
rotation is drawn outwards, and a section that is wide in that plane turns back into it [Johnson 1980, ch. 9]:

.. math:: \big[K + \Omega^2(K_T - M_{xy} + K_p)\big]\phi = \omega^2 M\phi

with the stiffness :math:`K_T` of a unit speed's tension, the mass :math:`M_{xy}` of motions in the plane, and the
propeller moment :math:`K_p` of :math:`\rho(I_v - I_w)`. Left out: built-in twist and offsets of the sections' centres,
which couple flap, lag and twist; stretch, and the Coriolis force of the shortening. Shapes are those at
`design_speed`; at other speeds the frequencies are Rayleigh's with these shapes, an upper bound of second order.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air.rotor.structure import BladeStructure, Shapes
from dovetail.core import choice, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import known
from dovetail.mechanics.beam import BeamMesh, hermite, modes

FREEDOMS = 6  # of a node: u, v, w along x, y, z and the rotations about them


@kind("beam-blade")
class BeamBlade(BladeStructure):
    """Beam elements outwards along x, from the node at the root to the tip; y along the blade's path, z up.

    Of the mesh, `I` is for bending in the plane of rotation and `I_z` for flap. The root is hinged in flap and lag
    (`hinged`: twist held by the control rod) or held (`clamped`).
    """

    mesh: BeamMesh
    design_speed: jax.Array = parameter("rad/s", "rotor speed whose shapes are taken", at_least=0.0)
    number: int = count("modes to keep, slowest first", default=4, at_least=1)
    root: str = choice("hinged", "clamped", about="how the first node is held", default="hinged")
    flap_spring: jax.Array = parameter("N m/rad", "of a flap hinge", default=0.0, at_least=0.0)
    lag_spring: jax.Array = parameter("N m/rad", "of a lag hinge", default=0.0, at_least=0.0)
    built: Any = eqx.field(default=None, kw_only=True, repr=False)  # follows from the rest, whatever is given

    def __post_init__(self):
        mesh = self.mesh
        values = (
            mesh.nodes,
            mesh.E,
            mesh.I,
            mesh.A,
            mesh.rho,
            self.design_speed,
            self.flap_spring,
            self.lag_spring,
        )
        if known(*values):
            self._check()
            self.built = self._modes()

    def _check(self) -> None:
        x = np.asarray(self.mesh.nodes)
        rising = [(i, i + 1) for i in range(1, len(x))]
        straight = (
            x.shape[1] == 3 and np.allclose(x[:, 1:], 0.0) and np.all(np.diff(x[:, 0]) > 0) and x[0, 0] >= 0
        )
        if not straight or list(self.mesh.elements) != rising:
            raise ParameterError(
                "BeamBlade.mesh: must lie along x from the root to the tip, [[0.4, 0, 0], [2.0, 0, 0], ...] with the "
                "elements [[1, 2], [2, 3], ...]"
            )
        if self.number > (FREEDOMS - 1) * len(rising):
            raise ParameterError(
                f"BeamBlade.number: got {self.number}; {len(rising)} elements have fewer modes"
            )

    def _modes(self):
        mesh, r = self.mesh, np.asarray(self.mesh.nodes)[:, 0]
        M, K = mesh.assemble()
        for freedom, spring in ((4, self.flap_spring), (5, self.lag_spring)):
            K[freedom, freedom] += float(spring)
        by_speed = self._by_speed(mesh, r, M)
        held = {
            *range(FREEDOMS if self.root == "clamped" else 4),
            *range(0, len(M), FREEDOMS),
        }  # it does not stretch
        shapes = modes(M, K + float(self.design_speed) ** 2 * by_speed, np.array(sorted(held)))[1][
            :, : self.number
        ]
        tip = shapes[-FREEDOMS:]
        shapes = shapes / np.max(
            np.abs([tip[1] / r[-1], tip[2] / r[-1], tip[3]]), axis=0
        )  # one radius, or one radian
        inertia, own, more = (np.einsum("im,ij,jm->m", shapes, A, shapes) for A in (M, K, by_speed))
        raised = np.zeros((len(r), FREEDOMS))  # the whole blade turned up by a radian about the axis
        raised[:, 2], raised[:, 4] = r, -1.0
        return {
            "r": r,
            "u": shapes.reshape(len(r), FREEDOMS, -1) / r[-1],
            "inertia": inertia,
            "lever": raised.ravel() @ M @ shapes,
            "own": own / inertia,
            "more": more / inertia,
        }

    @staticmethod
    def _by_speed(mesh, r, M):
        """What a unit of the squared rotor speed adds to the stiffness."""
        rho_A, l = mesh.of("rho") * mesh.of("A"), np.diff(r)
        pulled = rho_A * (r[1:] ** 2 - r[:-1] ** 2) / 2  # of each element by itself, at its inner end
        beyond = np.append(np.cumsum(pulled[::-1])[::-1][1:], 0.0)
        mean = beyond + rho_A * l * (r[:-1] / 2 + l / 3)  # mean of T along the element
        in_plane = np.isin(np.arange(len(M)) % FREEDOMS, (0, 1, 5))
        lag, flap = mesh.seconds()
        stiffened = mesh.tension_stiffness(mean) + mesh.turning(mesh.of("rho") * (lag - flap))
        return stiffened - np.where(np.outer(in_plane, in_plane), M, 0.0)

    @property
    def count(self):
        return self.number

    @property
    def reach(self):
        return self.mesh.nodes[-1, 0]

    @property
    def inertias(self):
        return jnp.asarray(self.built["inertia"])

    @property
    def levers(self):
        return jnp.asarray(self.built["lever"])

    def squares(self, speed):
        return self.built["own"] + self.built["more"] * jnp.asarray(speed) ** 2

    def at(self, r):
        nodes, u = jnp.asarray(self.built["r"]), jnp.asarray(self.built["u"])
        e = jnp.clip(jnp.searchsorted(nodes, r, side="right") - 1, 0, nodes.size - 2)
        length = (nodes[1:] - nodes[:-1])[e]
        s = (r - nodes[e]) / length
        inner, outer = (jnp.moveaxis(u[k], -1, 0) for k in (e, e + 1))  # (modes, ..., freedoms)

        def bent(place, slope, sign):
            ends = inner[..., place], sign * inner[..., slope], outer[..., place], sign * outer[..., slope]
            return hermite(s, length, *ends)

        (flap, flap_slope), (lag, lag_slope) = bent(2, 4, -1.0), bent(1, 5, 1.0)
        twist = inner[..., 3] + s * (outer[..., 3] - inner[..., 3])
        return Shapes(*(jnp.where(s >= 0, a, 0.0) for a in (flap, lag, flap_slope, lag_slope, twist)))

    def flap_mode(self):
        _, lag, flap, twist, *_ = jnp.abs(jnp.asarray(self.built["u"])[-1])
        return jnp.argmax((flap > lag) & (flap > twist * self.reach))
