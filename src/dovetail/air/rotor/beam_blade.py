r"""Rotating blade of beam elements: flap, lag and twist with centrifugal tension.

At the rotor speed :math:`\Omega` the elements of `mechanics.beam` carry the tension
:math:`T(r) = \Omega^2\int_r^R \rho A\,s\,ds`. The tension stiffens bending in both planes and twist. Motion in the
plane of rotation is driven outwards, and a section that is wide in that plane turns back into it [Johnson 1980, ch. 9]:

.. math:: \big[K + \Omega^2(K_T - M_{xy} + K_p)\big]\phi = \omega^2 M\phi

with the tension stiffness :math:`K_T` at unit speed, the mass :math:`M_{xy}` of motion in the plane, and the propeller
moment :math:`K_p` of :math:`\rho(I_v - I_w)`. Not modelled: built-in twist and offsets of the section centres, which
couple flap, lag and twist; axial stretch; the Coriolis force of the shortening. The mode shapes are those at
`design_speed`. At other speeds the frequencies are Rayleigh quotients with these shapes, an upper bound
of second order.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from dovetail.air.rotor.structure import BladeShapes, BladeStructure
from dovetail.core import Parameter, choice, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.core.parameter import all_concrete
from dovetail.mechanics.beam import BeamMesh, hermite, modes

FREEDOMS = 6  # degrees of freedom of a node: u, v, w along x, y, z and the rotations about them


@kind("beam-blade")
class BeamBlade(BladeStructure):
    """Blade of beam elements along x, from the root node to the tip; y along the blade's path, z up.

    Of the mesh, `I` is for bending in the plane of rotation and `I_z` for flap. The root is hinged in flap and lag
    (`hinged`: the control rod fixes the twist) or `clamped`.
    """

    mesh: BeamMesh
    design_speed: Parameter = parameter(
        "rad/s", "rotor speed at which the mode shapes are computed", at_least=0.0
    )
    mode_count: int = count("number of modes, lowest frequency first", default=4, at_least=1)
    root: str = choice("hinged", "clamped", about="support of the first node", default="hinged")
    flap_spring: Parameter = parameter(
        "N m/rad", "spring stiffness of the flap hinge", default=0.0, at_least=0.0
    )
    lag_spring: Parameter = parameter(
        "N m/rad", "spring stiffness of the lag hinge", default=0.0, at_least=0.0
    )
    mode_data: Any = eqx.field(default=None, kw_only=True, repr=False)  # computed; an input is ignored

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
        if all_concrete(*values):
            self._check()
            self.mode_data = self._modes()

    def _check(self) -> None:
        x = np.asarray(self.mesh.nodes)
        rising = [(i, i + 1) for i in range(1, len(x))]
        straight = (
            x.shape[1] == 3 and np.allclose(x[:, 1:], 0.0) and np.all(np.diff(x[:, 0]) > 0) and x[0, 0] >= 0
        )
        if not straight or list(self.mesh.elements) != rising:
            raise ParameterError(
                "BeamBlade.mesh: the nodes must lie along x from root to tip, [[0.4, 0, 0], [2.0, 0, 0], ...], with "
                "the elements [[1, 2], [2, 3], ...]"
            )
        if self.mode_count > (FREEDOMS - 1) * len(rising):
            raise ParameterError(
                f"BeamBlade.mode_count: got {self.mode_count}; expected at most {(FREEDOMS - 1) * len(rising)}, the "
                f"number of modes of {len(rising)} elements"
            )

    def _modes(self):
        mesh, r = self.mesh, np.asarray(self.mesh.nodes)[:, 0]
        M, K = mesh.assemble()
        for freedom, spring in ((4, self.flap_spring), (5, self.lag_spring)):
            K[freedom, freedom] += float(spring)
        by_speed = self._by_speed(mesh, r, M)
        fixed = {
            *range(FREEDOMS if self.root == "clamped" else 4),
            *range(0, len(M), FREEDOMS),
        }  # no axial stretch
        shapes = modes(M, K + float(self.design_speed) ** 2 * by_speed, np.array(sorted(fixed)))[1][
            :, : self.mode_count
        ]
        tip = shapes[-FREEDOMS:]
        shapes = shapes / np.max(
            np.abs([tip[1] / r[-1], tip[2] / r[-1], tip[3]]), axis=0
        )  # tip deflection of one radius, or twist of one radian
        inertia, static, by_speed_squared = (
            np.einsum("im,ij,jm->m", shapes, A, shapes) for A in (M, K, by_speed)
        )
        rigid_flap = np.zeros((len(r), FREEDOMS))  # rigid rotation upwards by one radian about the axis
        rigid_flap[:, 2], rigid_flap[:, 4] = r, -1.0
        return {
            "r": r,
            "u": shapes.reshape(len(r), FREEDOMS, -1) / r[-1],
            "inertia": inertia,
            "static_moment": rigid_flap.ravel() @ M @ shapes,
            "static": static / inertia,
            "by_speed_squared": by_speed_squared / inertia,
        }

    @staticmethod
    def _by_speed(mesh, r, M):
        """Stiffness added per unit of the squared rotor speed."""
        rho_A, l = mesh.element_values("rho") * mesh.element_values("A"), np.diff(r)
        element_tension = (
            rho_A * (r[1:] ** 2 - r[:-1] ** 2) / 2
        )  # tension at the inner end from the element's own mass
        outer_tension = np.append(np.cumsum(element_tension[::-1])[::-1][1:], 0.0)
        mean_tension = outer_tension + rho_A * l * (r[:-1] / 2 + l / 3)  # mean of T along the element
        in_plane = np.isin(np.arange(len(M)) % FREEDOMS, (0, 1, 5))
        lag, flap = mesh.seconds()
        stiffened = mesh.tension_stiffness(mean_tension) + mesh.rotation_stiffness(
            mesh.element_values("rho") * (lag - flap)
        )
        return stiffened - np.where(np.outer(in_plane, in_plane), M, 0.0)

    @property
    def count(self):
        return self.mode_count

    @property
    def reach(self):
        return self.mesh.nodes[-1, 0]

    @property
    def inertias(self):
        return jnp.asarray(self.mode_data["inertia"])

    @property
    def static_moments(self):
        return jnp.asarray(self.mode_data["static_moment"])

    def squared_frequencies(self, speed):
        return self.mode_data["static"] + self.mode_data["by_speed_squared"] * jnp.asarray(speed) ** 2

    def shapes_at(self, r):
        nodes, u = jnp.asarray(self.mode_data["r"]), jnp.asarray(self.mode_data["u"])
        e = jnp.clip(jnp.searchsorted(nodes, r, side="right") - 1, 0, nodes.size - 2)
        length = (nodes[1:] - nodes[:-1])[e]
        s = (r - nodes[e]) / length
        inner, outer = (jnp.moveaxis(u[k], -1, 0) for k in (e, e + 1))  # (modes, ..., freedoms)

        def bending(deflection, slope, sign):
            ends = (
                inner[..., deflection],
                sign * inner[..., slope],
                outer[..., deflection],
                sign * outer[..., slope],
            )
            return hermite(s, length, *ends)

        (flap, flap_slope), (lag, lag_slope) = bending(2, 4, -1.0), bending(1, 5, 1.0)
        twist = inner[..., 3] + s * (outer[..., 3] - inner[..., 3])
        return BladeShapes(*(jnp.where(s >= 0, a, 0.0) for a in (flap, lag, flap_slope, lag_slope, twist)))

    def flap_mode(self):
        _, lag, flap, twist, *_ = jnp.abs(jnp.asarray(self.mode_data["u"])[-1])
        return jnp.argmax((flap > lag) & (flap > twist * self.reach))
