r"""The drum that takes a chain in: it does what it is told, or has inertia and is pulled by the rope.

The drum takes in a length s. It is told :math:`s_r(t)` and, where it has dynamics, answers as

.. math:: m_d\ddot s = m_d\ddot s_r + K_p(s_r - s) + K_v(\dot s_r - \dot s) + F_0 - t_1

with the tension :math:`t_1` of the first link and a holding force :math:`F_0`; no integral action. Tensions of a chain
are linear in :math:`\ddot s`, whatever its formulation, so it is found by solving the chain twice: with the drum at
steady speed, and with a unit acceleration. Source: [Bolien 2018, secs 3.5.2 and 3.5.3]; the coupling to :math:`t_1` is
the frictionless roller's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import jax
import jax.numpy as jnp

from dovetail.core import Part, kind, parameter
from dovetail.mechanics.chain.base import Solved


class Drum(Part):
    """How the drum follows what it is told."""

    @abstractmethod
    def drive(self, told: jax.Array, s: jax.Array, s_rate: jax.Array) -> tuple[jax.Array, jax.Array | None]:
        """Force [N] on the rope taken in and inertia [kg] of the drum; or the reel's acceleration [m/s^2] and None."""


@kind("exact-drum")
class ExactDrum(Drum):
    """A drum that does what it is told, whatever the tension."""

    def drive(self, told, s, s_rate):
        return told[2], None


@kind("hose-drum")
class HoseDrum(Drum):
    """A drum with inertia, driven by feed-forward and a proportional and derivative controller."""

    inertia: jax.Array = parameter("kg", "equivalent linear inertia", default=100.0, above=0.0)
    stiffness: jax.Array = parameter("N/m", "proportional gain", default=1000.0, at_least=0.0)
    damping: jax.Array = parameter("N s/m", "derivative gain", default=100.0, at_least=0.0)
    feed_forward: jax.Array = parameter("1", "share of the inertia force fed forward", default=1.0)
    holding: jax.Array = parameter("N", "force that carries the tension of steady flight", default=0.0)
    carried: jax.Array = parameter("kg/m", "rope that moves on with the drum, by its length", default=0.0)

    def drive(self, told, s, s_rate):
        force = self.feed_forward * self.inertia * told[2] + self.holding
        force = force + self.stiffness * (told[0] - s) + self.damping * (told[1] - s_rate)
        return force, self.inertia + self.carried * s


def first_tension(solved: Solved) -> jax.Array:
    """What a drum behind a frictionless roller feels [N]."""
    return solved.tension[0]


def driven(
    solve: Callable[[jax.Array], Solved],
    drive: tuple[jax.Array, jax.Array | None],
    felt: Callable[[Solved], jax.Array] = first_tension,
) -> tuple[Solved, jax.Array]:
    """A chain and its drum together: what the chain does, and the reel's acceleration [m/s^2].

    `solve` gives the chain's answer to an acceleration of the reel, `felt` the pull [N] of the rope on the drum. Both
    are straight lines of the acceleration, so that one answer and its slope give every one.
    """
    pull, inertia = drive
    if inertia is None:
        return solve(pull), pull

    def answer(reel):
        solved = solve(reel)
        return solved, felt(solved)

    (solved, steady), (slope, unit) = jax.jvp(answer, (jnp.zeros(()),), (jnp.ones(()),))
    reel = (pull - steady) / (inertia + unit)
    return jax.tree.map(lambda value, more: value + reel * more, solved, slope), reel
