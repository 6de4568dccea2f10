r"""Elastic links: a spring and a damper in every link, and no tension where the rope is slack.

.. math:: T_k = EA\left(\frac{|d_k|}{l} - 1\right) + c_a\frac{\dot d_k\cdot n_k}{l}, \qquad T_k = 0 \text{ if slack}

No constraint is left, so the accelerations follow node by node; the price is the axial wave, whose frequency
:math:`2\sqrt{EA/\mu}/l` bounds the step of an explicit method.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp

from dovetail.core import choice, count, kind, parameter
from dovetail.core.errors import ParameterError
from dovetail.mechanics.chain import joints
from dovetail.mechanics.chain.base import Chain, Nodes, Solved, after, before, dot, node_forces


@kind("elastic-chain")
class ElasticChain(Chain):
    """Chain of springs between point masses: stretch along the rope, snap loads, slack.

    The repaired and generalised form of a spring in every rod [Mastrogiuseppe 2023, eq. 3.22].
    """

    n: int = count("number of links", at_least=1)
    length: jax.Array = parameter("m", "unstretched length", above=0.0)
    mass: jax.Array = parameter("kg", "mass of the chain without what is lumped on it", above=0.0)
    stiffness: jax.Array = parameter("N", "axial stiffness EA", above=0.0)
    axial_damping: jax.Array = parameter("N s", "axial force by strain rate", default=0.0, at_least=0.0)
    tip_mass: jax.Array = parameter("kg", "mass lumped at the tip", default=0.0, at_least=0.0)
    bending: jax.Array | None = parameter("N m^2", "bending stiffness EI", default=None, at_least=0.0)
    joint_damping: jax.Array | None = parameter("N m s", "friction of a joint", default=None, at_least=0.0)
    slack: str = choice("slack", "carries", about="a compressed link", default="slack")
    end: str = choice("free", "held", about="whether the tip moves as it is told", default="free")

    @property
    def links(self) -> int:
        return self.n

    @property
    def link_length(self) -> jax.Array:
        """Unstretched length of a link [m]."""
        return self.length / self.n

    def straight(self, direction):
        reach = jnp.arange(1, self.n + 1) * self.link_length
        return self.through(jnp.asarray(direction)[:, None] * reach)

    def through(self, position: jax.Array) -> dict[str, jax.Array]:
        """State at rest with the nodes 1 to n at given places, (3, n) [m]."""
        return {"position": jnp.asarray(position), "velocity": jnp.zeros((3, self.n))}

    def along(self, directions, field, tip_force):
        m = self.masses()[:, None] * jnp.asarray(field)
        below = jnp.cumsum(m[::-1], axis=0)[::-1].T + jnp.asarray(tip_force)[:, None]
        strain = jnp.sqrt(dot(below, below)) / self.stiffness
        return self.through(jnp.cumsum(self.link_length * (1 + strain) * directions, axis=1))

    def nodes(self, x):
        zero = jnp.zeros((3, 1))
        return Nodes(
            jnp.concatenate([zero, x["position"]], axis=1), jnp.concatenate([zero, x["velocity"]], axis=1)
        )

    def with_tip(self, mass):
        return dataclasses.replace(self, tip_mass=mass)

    def masses(self) -> jax.Array:
        """Masses [kg] of the nodes 1 to n: half a link on either side, and the tip's."""
        m = self.mass / self.n
        return jnp.full(self.n, m).at[-1].set(m / 2 + self.tip_mass)

    def _strained(self, x):
        """Directions, lengths, tensions and damper forces of the links."""
        p, v = x["position"], x["velocity"]
        d, w = p - before(p), v - before(v)
        size = jnp.sqrt(dot(d, d))
        n = d / size
        spring = self.stiffness * (size / self.link_length - 1)
        damper = self.axial_damping * dot(w, n) / self.link_length
        if self.slack == "slack":
            taut = size > self.link_length
            spring, damper = jnp.where(taut, spring, 0.0), jnp.where(taut, damper, 0.0)
        return n, w, spring, damper

    def solve(self, t, x, u):
        m = self.masses()
        n, w, spring, damper = self._strained(x)
        force = (spring + damper) * n
        outer = node_forces(self.n, u)
        l = jnp.broadcast_to(self.link_length, self.n)
        h: Any = None
        if self.bending is not None:
            h = joints.bending(n, l, self.bending)
        if self.joint_damping is not None:
            drag = joints.friction((w - n * dot(n, w)) / l, self.joint_damping)
            h = drag if h is None else h + drag
        inner: Any = 0.0
        if h is not None:
            f = joints.link_forces(h, n, l)
            inner = f - after(f)
        field = jnp.asarray(u.field)[:, None]
        a = (outer[:, 1:] + inner + after(force) - force) / m + field
        if self.end == "held":
            a = a.at[:, -1].set(u.end)
        half = 0.5 * self.mass / self.n
        return Solved(
            rate={"position": x["velocity"], "velocity": a},
            acceleration=jnp.concatenate([jnp.zeros((3, 1)), a], axis=1),
            tension=spring + damper,
            reaction=force[:, 0] + outer[:, 0] + half * field[:, 0],
        )

    def energies(self, x, u=None):
        n, _, spring, _ = self._strained(x)
        l = jnp.broadcast_to(self.link_length, self.n)
        bent = jnp.zeros(()) if self.bending is None else joints.bending_energy(n, l, self.bending)
        return {
            "kinetic": 0.5 * jnp.sum(self.masses() * x["velocity"] ** 2),
            "axial": 0.5 * jnp.sum(spring**2) * self.link_length / self.stiffness,
            "bending": bent,
        }

    def mass_moments(self, x, u=None):
        m = self.masses()
        return jnp.sum(m * x["position"], axis=1), jnp.sum(m * x["velocity"], axis=1)

    def power(self, x, u):
        n, w, _, damper = self._strained(x)
        lost = -jnp.sum(damper * dot(w, n))
        if self.joint_damping is not None:
            rate = (w - n * dot(n, w)) / self.link_length
            lost = lost + joints.friction_power(rate, self.joint_damping)
        return {"external": jnp.sum(node_forces(self.n, u) * self.nodes(x).velocity), "damping": lost}

    def fastest_rates(self):
        """Of the axial wave between neighbouring nodes, with its damper."""
        m, l = float(self.mass) / self.n, float(self.link_length)
        if not 0 < m * l * l < math.inf:
            raise ParameterError(f"links of {m:g} kg and {l:g} m are beyond what numbers can tell apart")
        omega = 2 * math.sqrt(float(self.stiffness) / (m * l))
        decay = 2 * float(self.axial_damping) / (m * l * l)
        return [complex(-decay, omega), complex(-4 * float(self.axial_damping) / (m * l * l), 0.0)]
