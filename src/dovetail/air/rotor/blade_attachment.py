r"""Motion of a lag damper from the flap, lag and pitch of its blade.

The blade rotates about its hinge B by flap, lag and pitch, in this order,

.. math:: D = B + T_\beta T_\zeta T_\theta\,d_0, \qquad
   T_\beta = \begin{bmatrix} c_\beta & 0 & -s_\beta\\ 0 & 1 & 0\\ s_\beta & 0 & c_\beta \end{bmatrix},\;
   T_\zeta = \begin{bmatrix} c_\zeta & -s_\zeta & 0\\ s_\zeta & c_\zeta & 0\\ 0 & 0 & 1 \end{bmatrix},\;
   T_\theta = \begin{bmatrix} 1 & 0 & 0\\ 0 & c_\theta & -s_\theta\\ 0 & s_\theta & c_\theta \end{bmatrix}

and the damper connects E on the hub with D on the blade. Its axis has the angles
:math:`\delta = \mathrm{atan2}(Z, X)` and :math:`\gamma = \arcsin(Y/L)` of :math:`(X, Y, Z) = D - E`, so the
piston's velocity, the first component of :math:`(T_\delta T_\gamma)^T \dot D`, is the rate of the length L
[Wallace 2006, eqs 6.9-6.19]. There are three differences from the published code and text: the first row of
:math:`T_\theta` is printed as 0 0 1; the source computes gamma from an arc cosine, which loses its sign; and its code
computes the position of D with the x component of d0 only.

x points outwards along the blade, y against the direction of lag, z up.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.typing import ArrayLike

from dovetail.core import Parameter, Part, kind, parameter


def about_flap(angle: ArrayLike) -> jax.Array:
    """T_beta; T_delta has the same form."""
    c, s = jnp.cos(angle), jnp.sin(angle)
    return jnp.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])


def about_lag(angle: ArrayLike) -> jax.Array:
    """T_zeta; T_gamma has the same form."""
    c, s = jnp.cos(angle), jnp.sin(angle)
    return jnp.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def about_pitch(angle: ArrayLike) -> jax.Array:
    """T_theta."""
    c, s = jnp.cos(angle), jnp.sin(angle)
    return jnp.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


@kind("damper-attachment")
class Attachment(Part):
    """Attachment points of a lag damper on hub and blade, in axes that rotate with the rotor."""

    hub_point: Parameter = parameter("m", "E, the end on the hub")
    hinge: Parameter = parameter("m", "B, the hinge of the blade")
    arm: Parameter = parameter("m", "d0, from the hinge to the end on the blade, in blade axes")

    def outboard(self, flap: ArrayLike, lag: ArrayLike, pitch: ArrayLike) -> jax.Array:
        """D [m], the end on the blade."""
        return self.hinge + about_flap(flap) @ about_lag(lag) @ about_pitch(pitch) @ self.arm

    def length(self, flap: ArrayLike, lag: ArrayLike, pitch: ArrayLike) -> jax.Array:
        """Distance [m] between the damper's ends."""
        return jnp.linalg.norm(self.outboard(flap, lag, pitch) - self.hub_point)

    def axis_angles(self, flap: ArrayLike, lag: ArrayLike, pitch: ArrayLike) -> tuple[jax.Array, jax.Array]:
        """delta and gamma [rad] of the damper's axis."""
        x, y, z = self.outboard(flap, lag, pitch) - self.hub_point
        return jnp.arctan2(z, x), jnp.arctan2(y, jnp.hypot(x, z))

    def axis(self, flap: ArrayLike, lag: ArrayLike, pitch: ArrayLike) -> jax.Array:
        """Unit vector from E to D: the first column of T_delta T_gamma."""
        delta, gamma = self.axis_angles(flap, lag, pitch)
        return (about_flap(delta) @ about_lag(gamma))[:, 0]


def piston_velocity(
    arm: ArrayLike,
    angles: tuple[ArrayLike, ...],
    rates: tuple[ArrayLike, ...],
    delta: ArrayLike,
    gamma: ArrayLike,
) -> jax.Array:
    """First component of (T_delta T_gamma)^T dD/dt for any axis angles delta and gamma.

    `angles` and `rates` are those of flap, lag and pitch [rad, rad/s]. The result is the rate of the damper's length
    if delta and gamma are the angles of its axis.
    """

    def outboard(flap, lag, pitch):
        return about_flap(flap) @ about_lag(lag) @ about_pitch(pitch) @ jnp.asarray(arm, dtype=float)

    primals = tuple(jnp.asarray(a, dtype=float) for a in angles)
    velocity = jax.jvp(outboard, primals, tuple(jnp.asarray(r, dtype=float) for r in rates))[1]
    return (about_flap(delta) @ about_lag(gamma)).T[0] @ velocity
