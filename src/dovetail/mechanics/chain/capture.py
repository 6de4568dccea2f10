r"""A body joins the tip of a chain in flight: mass and momentum are taken over, the links keep their length.

.. math:: M^+ v^+ = M^- v^- + m_b v_b\,\hat e_{tip} + \text{link impulses}, \qquad n_k\cdot(v_k^+ - v_{k-1}^+) = 0

The impulse in a link divided by the time in which the catch takes place is the snap load; across the tip's link the
joint momentum is shared at once.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from dovetail.mechanics.chain.links import LinkChain


def join(chain: LinkChain, x: Any, *, mass: Any, velocity: jax.Array) -> tuple[LinkChain, Any]:
    """The chain with a body of `mass` [kg] and `velocity` (3,) [m/s] caught at its tip, and its state just after."""
    loaded = chain.with_tip(chain.tip_mass + mass)
    gained = mass * (jnp.asarray(velocity) - x["velocity"][:, -1])
    return loaded, loaded.impulse(x, jnp.zeros((3, chain.n)).at[:, -1].set(gained))


def release(chain: LinkChain, x: Any, *, mass: Any) -> tuple[LinkChain, Any]:
    """The chain without `mass` [kg] of what is at its tip; nothing jumps when a body is let go."""
    return chain.with_tip(chain.tip_mass - mass), x
