r"""Drum of a reel: ideal, or with inertia and loaded by the rope.

The drum reels in a length s. Its demand is :math:`s_r(t)`; with dynamics it follows

.. math:: m_d\ddot s = m_d\ddot s_r + K_p(s_r - s) + K_v(\dot s_r - \dot s) + F_0 - t_1

with the tension :math:`t_1` of the first link and a holding force :math:`F_0`; there is no integral action. The
tensions of a chain are linear in :math:`\ddot s` in every formulation, so :math:`\ddot s` follows from two solutions
of the chain: at constant drum speed and at unit acceleration. Source: [Bolien 2018, secs 3.5.2 and 3.5.3]; the
coupling to :math:`t_1` is that of a frictionless roller.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable

import jax
import jax.numpy as jnp

from dovetail.core import Parameter, Part, kind, parameter
from dovetail.mechanics.chain.base import ChainSolution


class Drum(Part):
    """Dynamics of the drum."""

    @abstractmethod
    def drive(self, demand: jax.Array, s: jax.Array, s_rate: jax.Array) -> tuple[jax.Array, jax.Array | None]:
        """Return force [N] on the rope and inertia [kg] of the drum; or the acceleration [m/s^2] and None."""


@kind("ideal-drum")
class IdealDrum(Drum):
    """Drum that follows its demand exactly, at any tension."""

    def drive(self, demand: jax.Array, s: jax.Array, s_rate: jax.Array) -> tuple[jax.Array, jax.Array | None]:
        return demand[2], None


@kind("hose-drum")
class HoseDrum(Drum):
    """Drum with inertia, driven by feed-forward and a proportional-derivative controller."""

    inertia: Parameter = parameter("kg", "equivalent linear inertia", default=100.0, above=0.0)
    stiffness: Parameter = parameter("N/m", "proportional gain", default=1000.0, at_least=0.0)
    damping: Parameter = parameter("N s/m", "derivative gain", default=100.0, at_least=0.0)
    feed_forward: Parameter = parameter("1", "fraction of the inertia force fed forward", default=1.0)
    holding_force: Parameter = parameter(
        "N", "holding force, equal to the tension of steady flight", default=0.0
    )
    stored_mass_per_length: Parameter = parameter(
        "kg/m", "mass of rope on the drum per stored length", default=0.0
    )

    def drive(self, demand: jax.Array, s: jax.Array, s_rate: jax.Array) -> tuple[jax.Array, jax.Array | None]:
        force = self.feed_forward * self.inertia * demand[2] + self.holding_force
        force = force + self.stiffness * (demand[0] - s) + self.damping * (demand[1] - s_rate)
        return force, self.inertia + self.stored_mass_per_length * s


def first_tension(solved: ChainSolution) -> jax.Array:
    """Return the tension [N] at a drum behind a frictionless roller."""
    return solved.tension[0]


def chain_and_drum_rates(
    solve: Callable[[jax.Array], ChainSolution],
    drive: tuple[jax.Array, jax.Array | None],
    rope_pull: Callable[[ChainSolution], jax.Array] = first_tension,
) -> tuple[ChainSolution, jax.Array]:
    """Return the solution of chain and drum together, and the reel's acceleration [m/s^2].

    `solve` returns the chain's solution for an acceleration of the reel, `rope_pull` the pull [N] of the rope on the
    drum. Both are linear in the acceleration, so one solution and its derivative give all others.
    """
    pull, inertia = drive
    if inertia is None:
        return solve(pull), pull

    def solution(reel: jax.Array) -> tuple[ChainSolution, jax.Array]:
        solved = solve(reel)
        return solved, rope_pull(solved)

    (solved, steady), (slope, unit) = jax.jvp(solution, (jnp.zeros(()),), (jnp.ones(()),))
    reel = (pull - steady) / (inertia + unit)
    return jax.tree.map(lambda value, more: value + reel * more, solved, slope), reel
