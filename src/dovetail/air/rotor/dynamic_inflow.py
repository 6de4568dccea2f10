r"""Dynamic inflow: three states of the wake, after Pitt and Peters.

The induced velocity has a uniform part and a gradient across the disc,
:math:`v_i = v_0 + (r/R)\,g\cdot\hat r`, and follows the loads on the disc,

.. math:: M R\,\dot v + V \tilde L^{-1} v = \frac{1}{\rho\pi R^2}\{T, \tau/R\}, \qquad
   \tau = \sum r\hat r\,dT

with the apparent masses :math:`M = \mathrm{diag}(8/3\pi, 16/45\pi, 16/45\pi)`, the mass flow V and the gains of a
wake skewed by :math:`\chi`, downstream and across:

.. math:: \tilde L = \begin{bmatrix} 1/2 & -\tfrac{15\pi}{64}\tan\tfrac\chi2 & 0\\
    \tfrac{15\pi}{64}\tan\tfrac\chi2 & \tfrac{4\cos\chi}{1+\cos\chi} & 0\\
    0 & 0 & \tfrac{4}{1+\cos\chi}\end{bmatrix}

[Pitt & Peters 1981]. The vector form needs no wind axes and no division by the rotor speed.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import Part, kind

MASS = np.array([8 / (3 * np.pi), 16 / (45 * np.pi), 16 / (45 * np.pi)])


@kind("pitt-peters")
class PittPeters(Part):
    """Three-state inflow. The state is (3,) [m/s]: uniform part, gradient forward and to port."""

    def init(self) -> jax.Array:
        """Return zero induced velocity."""
        return jnp.zeros(3)

    def velocity(self, x: jax.Array, positions: jax.Array, radius: jax.Array) -> jax.Array:
        """Induced velocity [m/s], positive down, at positions (..., 3) [m] from the hub."""
        return x[0] + (positions[..., 0] * x[1] + positions[..., 1] * x[2]) / radius

    def rate(
        self,
        x: jax.Array,
        thrust: jax.Array,
        lever: jax.Array,
        stream: jax.Array,
        radius: jax.Array,
        density: jax.Array,
    ) -> jax.Array:
        """Rate of the state [m/s^2].

        Parameters
        ----------
        thrust
            Thrust of the rotor [N].
        lever
            (2,) [N m]: sum over the elements of thrust times position, forward and to port.
        stream
            Velocity of the air relative to the hub, (3,) [m/s].
        """
        loads = jnp.stack([thrust, lever[0] / radius, lever[1] / radius]) / (density * jnp.pi * radius**2)
        across2 = stream[0] ** 2 + stream[1] ** 2
        across = jnp.sqrt(across2 + 1e-16)
        down = x[0] - stream[2]  # [m/s] through the disc
        total = jnp.sqrt(across2 + down**2 + 1e-16)
        mean = (across2 + down * (down + x[0])) / total
        cos_skew = jnp.abs(down) / total
        half = jnp.sqrt((1 - cos_skew) / (1 + cos_skew) + 1e-24)  # tan of half the skew
        K = 15 * jnp.pi / 64 * half
        downstream_gain, cross_gain = 4 * cos_skew / (1 + cos_skew), 4 / (1 + cos_skew)
        # downstream direction; in hover the gains are equal in all directions, so any will do
        d = jnp.where(across2 > 1e-12, stream[:2] / across, jnp.array([1.0, 0.0]))
        across_d = jnp.stack([-d[1], d[0]])
        along, over = d @ x[1:], across_d @ x[1:]
        # inverse of the 2 x 2 block of the gains
        det = 0.5 * downstream_gain + K**2
        first = (downstream_gain * x[0] + K * along) / det
        second = (-K * x[0] + 0.5 * along) / det
        velocity_terms = jnp.concatenate([first[None], second * d + over / cross_gain * across_d])
        flow = jnp.stack([total, mean, mean])
        return (loads - flow * velocity_terms) / (MASS * radius)
