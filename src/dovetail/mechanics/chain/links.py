r"""Inextensible links between Cartesian nodes, with one banded solve for the tensions.

Nodes p carry the mass; links keep their length, which may be a function of time:

.. math::

    M_k \ddot p_k = F_k - s_k + s_{k+1}, \qquad
    d_k \cdot \ddot d_k = l_k \ddot l_k + \dot l_k^2 - |\dot d_k|^2 - 2\alpha\dot c_k - \alpha^2 c_k,
    \qquad d_k = p_k - p_{k-1}

with :math:`c_k = (|d_k|^2 - l_k^2)/2` and its rate pulled back to zero at the rate :math:`\alpha`
[Baumgarte 1972]. For point masses the link force :math:`s_k = t_k n_k` is a tension, and eliminating the
accelerations leaves a positive definite tridiagonal system for the t. For thin rods
:math:`s_k = t_k n_k - (m_k/6)\ddot d_k`, as a rod is two half masses less an inertia in the relative motion of
its ends, and the system has blocks of three. There are no angles, so no orientation is singular.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core import choice, count, kind, parameter
from dovetail.mechanics.chain import joints
from dovetail.mechanics.chain.banded import solve_blocks, solve_tridiagonal
from dovetail.mechanics.chain.base import Chain, Loads, Nodes, Solved, after, apart, before, dot, node_forces


@kind("link-chain")
class LinkChain(Chain):
    r"""Chain of inextensible links: the fast formulation, for any orientation and any number of links.

    The mass of a link goes half to each end (`half`), to its far end (`end`, as hose models have it), or is
    spread evenly along it (`rod`: a chain of thin rods, exactly). The error in the tip's motion against a
    continuous rope falls with the square of the link's length for `half` and `rod`.

    With a changing length (`Loads.length`) every link but a `last_link` takes an equal share, and the rope
    slides past the nodes at :math:`w_k = \dot L - \dot\sigma_k`, :math:`\sigma_k` the arc length to node k; its
    mass there has the acceleration
    :math:`\ddot p + 2 w \dot n + w^2 n' + \dot w n`, where n is the tangent. With `rod` the length is constant.

    Source: tensions as in [Bolien 2018, sec. 3.5], less its angles. Not modelled: stretch (see `ElasticChain`).
    """

    n: int = count("number of links", at_least=1)
    length: jax.Array = parameter("m", "total length", above=0.0)
    mass: jax.Array = parameter("kg", "mass of the chain without what is lumped on it", above=0.0)
    tip_mass: jax.Array = parameter("kg", "mass lumped at the tip", default=0.0, at_least=0.0)
    node_mass: jax.Array = parameter("kg", "further mass on the nodes 1 to n", default=0.0, at_least=0.0)
    last_link: jax.Array = parameter("m", "length of a massless last link that never changes", default=0.0)
    bending: jax.Array | None = parameter("N m^2", "bending stiffness EI", default=None, at_least=0.0)
    joint_damping: jax.Array | None = parameter("N m s", "friction of a joint", default=None, at_least=0.0)
    mass_damping: jax.Array | None = parameter("1/s", "drag over mass (Rayleigh)", default=None, at_least=0.0)
    stiffness_damping: jax.Array | None = parameter(
        "s", "friction over bending stiffness (Rayleigh)", default=None, at_least=0.0
    )
    drift_rate: jax.Array = parameter(
        "1/s", "rate at which link length errors decay", default=20.0, at_least=0.0
    )
    distribution: str = choice("half", "end", "rod", about="where a link's mass is", default="half")
    end: str = choice("free", "held", about="whether the tip moves as it is told", default="free")

    @property
    def links(self) -> int:
        return self.n

    def straight(self, direction):
        reach = jnp.cumsum(self.lengths()[0])
        return {"position": jnp.asarray(direction)[:, None] * reach, "velocity": jnp.zeros((3, self.n))}

    def through(self, position: jax.Array) -> dict[str, jax.Array]:
        """State at rest with the nodes 1 to n at given places, (3, n) [m]."""
        return {"position": jnp.asarray(position), "velocity": jnp.zeros((3, self.n))}

    def along(self, directions, field, tip_force):
        return self.through(jnp.cumsum(self.lengths()[0] * directions, axis=1))

    def nodes(self, x):
        zero = jnp.zeros((3, 1))
        return Nodes(
            jnp.concatenate([zero, x["position"]], axis=1), jnp.concatenate([zero, x["velocity"]], axis=1)
        )

    def with_tip(self, mass):
        return dataclasses.replace(self, tip_mass=mass)

    def lengths(self, length: Any = None) -> jax.Array:
        """Length of every link and its first two rates, (3, n)."""
        total = jnp.array([self.length, 0.0, 0.0]) if length is None else length
        if self.n == 1:
            return jnp.broadcast_to(total[:, None], (3, 1))
        has_last = self.last_link > 0
        share = jnp.where(has_last, 1 / (self.n - 1), 1 / self.n)
        fixed = jnp.array([self.last_link, 0.0, 0.0])
        hose = jnp.broadcast_to(((total - fixed) * share)[:, None], (3, self.n - 1))
        return jnp.concatenate([hose, jnp.where(has_last, fixed, total * share)[:, None]], axis=1)

    def masses(self, l: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Mass [kg] of each link of lengths l (n,), and of each of the nodes 1 to n."""
        density = self.mass / (self.length - self.last_link)
        link = density * l
        # by masks: an update of one entry becomes a scatter in a batch, which XLA's CPU compiler runs entry by entry
        last = np.arange(self.n) == self.n - 1
        if self.n > 1:
            link = jnp.where(last & (self.last_link > 0), 0.0, link)
        node = link if self.distribution == "end" else 0.5 * (link + after(link))
        return link, node + self.node_mass + jnp.where(last, self.tip_mass, 0.0)

    def solve(self, t, x, u):
        p, v = x["position"], x["velocity"]
        d, w = p - before(p), v - before(v)
        l, l_rate, l_rate2 = self.lengths(u.length)
        link_mass, m = self.masses(l)
        inverse = 1 / m
        if self.end == "held":
            inverse = jnp.where(np.arange(self.n) == self.n - 1, 0.0, inverse)
        square = dot(d, d)
        scale = jax.lax.rsqrt(square)
        n = d * scale

        outer = node_forces(self.n, u)[:, 1:] + self._inner(n, w, l, v, m)
        if u.length is not None:
            outer = outer + self._sliding(n, w, l, u.length, (l_rate, l_rate2), m)
        free = inverse * outer + jnp.asarray(u.field)[:, None]  # acceleration without the link forces
        if self.end == "held":
            free = free.at[:, -1].set(u.end)
        a = self.drift_rate
        stretch = dot(d, w) - l * l_rate
        axial = l * l_rate2 + l_rate**2 - dot(w, w) - 2 * a * stretch - 0.5 * a**2 * (square - l**2)
        axial = axial * scale  # n . d''
        relative = free - before(free)

        near = before(inverse)
        if self.distribution == "rod":
            block = 6 / link_mass
            force = solve_blocks(inverse + near - block, block, n, near, relative - axial * n)
            tension = dot(n, force) + link_mass / 6 * axial
        else:
            coupling = -near * dot(n, before(n))
            tension = solve_tridiagonal(inverse + near, coupling, dot(relative, n) - axial)
            force = tension * n
        acceleration = free + inverse * (after(force) - force)
        return Solved(
            rate={"position": v, "velocity": acceleration},
            acceleration=jnp.concatenate([jnp.zeros((3, 1)), acceleration], axis=1),
            tension=tension,
            reaction=force[:, 0] + self._at_root(link_mass, u),
        )

    def _at_root(self, link_mass, u):
        """What acts on the support beside the first link's force: loads and mass lumped there."""
        lumped = 0.0 if self.distribution == "end" else 0.5 * link_mass[0]
        return node_forces(self.n, u)[:, 0] + lumped * jnp.asarray(u.field)

    def _inner(self, n, w, l, v, m):
        """Joints and damping, on the nodes 1 to n; what is left out costs nothing."""
        total: Any = 0.0
        h: Any = None
        if self.bending is not None:
            h = joints.bending(n, l, self.bending)
        friction = self._friction(l)
        if friction is not None:
            drag = joints.friction((w - n * dot(n, w)) / l, friction)
            h = drag if h is None else h + drag
        if h is not None:
            f = joints.link_forces(h, n, l)
            total = f - after(f)
        return total if self.mass_damping is None else total - self.mass_damping * m * v

    def _friction(self, l):
        """Damping [N m s] of a joint: its own, and in proportion to its stiffness."""
        own = self.joint_damping
        if self.bending is None or self.stiffness_damping is None:
            return own
        return (0.0 if own is None else own) + self.stiffness_damping * self.bending / l[0]

    def _sliding(self, n, w, l, length, rates, m):
        """Inertia of the rope that slides past nodes whose arc length changes."""
        l_rate, l_rate2 = rates
        slip = length[1] - jnp.cumsum(l_rate)
        slip_rate = length[2] - jnp.cumsum(l_rate2)
        turn = (w - n * dot(n, w)) / l
        n_next = _with_last(n)
        tangent, turning = 0.5 * (n + n_next), 0.5 * (turn + _with_last(turn))
        curvature = (n_next - n) / l
        return -m * (2 * slip * turning + slip**2 * curvature + slip_rate * tangent)

    def material_velocity(self, x: Any, u: Loads | None = None) -> jax.Array:
        """Velocity (3, n) [m/s] of the rope at the nodes 1 to n: their own, and that at which it slides past them."""
        if u is None or u.length is None:
            return x["velocity"]
        d = x["position"] - before(x["position"])
        n = d * jax.lax.rsqrt(dot(d, d))
        slip = u.length[1] - jnp.cumsum(self.lengths(u.length)[1])
        return x["velocity"] + slip * 0.5 * (n + _with_last(n))

    def fastest_rates(self):
        """Of joint friction between point masses: four times that of one joint's two links, sixteen in all."""
        friction = self._friction(self.lengths()[0])
        if friction is None:
            return []
        l, m = float(self.length) / self.n, float(self.mass) / self.n
        return [-16 * float(friction) / (m * l**2)]

    def energies(self, x, u=None):
        nodes = self.nodes(x)
        d, w = apart(nodes.position), apart(nodes.velocity)
        l = self.lengths(None if u is None else u.length)[0]
        link, m = self.masses(l)
        kinetic = 0.5 * jnp.sum(m * self.material_velocity(x, u) ** 2)
        if u is not None and u.length is not None and self.distribution == "half":
            kinetic = kinetic + 0.25 * link[0] * u.length[1] ** 2  # of the half link at the support
        if self.distribution == "rod":
            kinetic = kinetic - jnp.sum(link / 12 * w**2)
        n = d * jax.lax.rsqrt(dot(d, d))
        return {
            "kinetic": kinetic,
            "axial": jnp.zeros(()),
            "bending": jnp.zeros(()) if self.bending is None else joints.bending_energy(n, l, self.bending),
        }

    def mass_moments(self, x, u=None):
        m = self.masses(self.lengths(None if u is None else u.length)[0])[1]
        return jnp.sum(m * x["position"], axis=1), jnp.sum(m * self.material_velocity(x, u), axis=1)

    def power(self, x, u):
        nodes = self.nodes(x)
        l = self.lengths(u.length)[0]
        d, w = apart(nodes.position), apart(nodes.velocity)
        n = d * jax.lax.rsqrt(dot(d, d))
        rate = (w - n * dot(n, w)) / l
        damping, friction = jnp.zeros(()), self._friction(l)
        if friction is not None:
            damping = damping + joints.friction_power(rate, friction)
        if self.mass_damping is not None:
            m = self.masses(l)[1]
            damping = damping - self.mass_damping * jnp.sum(m * x["velocity"] * self.material_velocity(x, u))
        moved = node_forces(self.n, u)[:, 1:] * self.material_velocity(x, u)
        return {"external": jnp.sum(moved), "damping": damping}

    def stretch(self, x: Any, u: Loads | None = None) -> jax.Array:
        """Relative error of the link lengths, (n,): what drift control leaves."""
        d = apart(self.nodes(x).position)
        l = self.lengths(None if u is None else u.length)[0]
        return jnp.sqrt(dot(d, d)) / l - 1

    def impulse(self, x: Any, momentum: jax.Array) -> dict[str, jax.Array]:
        r"""State after impulses (3, n) [N s] on the nodes 1 to n, the links held at their length.

        Velocities after satisfy :math:`M v^+ + G^T\lambda = M v + J` and :math:`G v^+ = 0`; the links' impulses
        are found as tensions are. Point masses only: rods are treated as their half masses.
        """
        v = x["velocity"]
        d = x["position"] - before(x["position"])
        n = d * jax.lax.rsqrt(dot(d, d))
        m = self.masses(self.lengths()[0])[1]
        inverse = 1 / m
        free = v + inverse * momentum
        near = before(inverse)
        along = dot(free - before(free), n)
        force = solve_tridiagonal(inverse + near, -near * dot(n, before(n)), along) * n
        return {"position": x["position"], "velocity": free + inverse * (after(force) - force)}


def _with_last(a: jax.Array) -> jax.Array:
    """Entry k is a[k + 1]; the last is repeated."""
    return jnp.concatenate([a[:, 1:], a[:, -1:]], axis=1)
