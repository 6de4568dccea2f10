r"""Induced velocity of a rotor for each element: balance of annulus momentum and blade force.

`published_inflow` is the formula as published [Schock 2020, eq. 4.71]. It omits the number of blades and uses the local
speed where the balance requires the tip speed. It therefore underestimates the induced velocity, and the thrust is 60
to 100 % too high. `closed_form_inflow` is the correct solution of the balance for small angles, with
:math:`k = N_b a c v_2/(8\pi r)`:

.. math:: v_i = -\tfrac12(k+v_c) + \sqrt{\tfrac14(k+v_c)^2 + k(v_2\theta - v_c)}

`solve` uses exact angles, flow across the disc after Glauert, and Prandtl's loss factor F at tip and root,

.. math:: 4\pi r F\sqrt{V_{xy}^2 + (v_c+v_i)^2}\;v_i = \tfrac12 N_b c\,v_1^2\,C_L\cos\varphi

by a fixed number of Newton iterations inside a bracket. The bracket is :math:`[0, v^*]` with v* the induced velocity at
zero lift: the difference of the two sides changes sign there, so a root always exists. In the vortex-ring state
(descent at about the induced velocity) there are several roots and none is correct, because momentum theory is not
valid there.
The derivative is that of the implicit function.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from dovetail.core.arctangent import arctan

SMALL = 1e-12
ROUNDING = 1e-14  # relative to a velocity; a smaller Newton step counts as converged


class ElementFlow(NamedTuple):
    """Inputs of the balance at an element; all arrays have the same shape."""

    v2: jax.Array  # [m/s] speed along the element's path, positive
    climb: jax.Array  # [m/s] upward velocity of the element relative to the air
    across: jax.Array  # [m/s] speed of the air across the disc
    pitch: jax.Array  # [rad]
    slope: jax.Array  # [1/rad] lift slope
    offset: jax.Array  # [1] lift coefficient at zero incidence
    chord: jax.Array  # [m]
    r: jax.Array  # [m]


def published_inflow(flow: ElementFlow, radius: jax.Array) -> jax.Array:
    """Induced velocity [m/s] as published, to reproduce the published results."""
    ac = flow.slope * flow.chord
    A = ac / (16 * jnp.pi * radius) + flow.climb / (2 * flow.v2)
    B = ac * flow.pitch * flow.r / (8 * jnp.pi * radius**2)
    C = ac * flow.climb / (8 * jnp.pi * radius * flow.v2)
    return flow.v2 * (-A + _root(A**2 + B - C))


def closed_form_inflow(flow: ElementFlow, blades: int) -> jax.Array:
    """Induced velocity [m/s] from the balance for small angles, without losses and without flow across the disc."""
    k = blades * flow.slope * flow.chord * flow.v2 / (8 * jnp.pi * flow.r)
    half = 0.5 * (k + flow.climb)
    zero_lift = flow.v2 * (flow.pitch + flow.offset / flow.slope)
    return -half + _root(half**2 + k * (zero_lift - flow.climb))


def _root(x):
    """Square root; zero with zero slope for negative x (momentum theory is not valid in fast descent)."""
    return jnp.where(x > SMALL, jnp.sqrt(jnp.maximum(x, SMALL)), 0.0)


def prandtl(r: jax.Array, phi: jax.Array, blades: int, root: jax.Array, tip: jax.Array) -> jax.Array:
    r"""Loss factor :math:`F = F_t F_r`, each :math:`\frac{2}{\pi}\cos^{-1}e^{-f}` [Glauert 1935].

    :math:`f_t = N_b(R-r)/(2r\sin\varphi)`, and :math:`f_r` with the distance from the root.
    """
    slant = r * jnp.maximum(jnp.abs(jnp.sin(phi)), 1e-6)

    def factor(distance):
        f = jnp.clip(0.5 * blades * distance / slant, 1e-8, 30.0)
        return 2.0 / jnp.pi * jnp.arccos(jnp.exp(-f))

    return factor(tip - r) * factor(r - root)


def solve(
    flow: ElementFlow, blades: int, root: jax.Array | None, tip: jax.Array, iterations: int
) -> tuple[jax.Array, jax.Array]:
    """Induced velocity [m/s] of the full balance, and its relative residual.

    `root` and `tip` [m] are the radii where Prandtl's factor vanishes; with `root = None` there is no loss. The
    residual is the difference of both sides divided by the larger one, at the returned velocity.
    """
    far = jnp.clip(flow.pitch + flow.offset / flow.slope, -1.4, 1.4)  # flow angle of zero lift
    limit = flow.v2 * jnp.tan(far) - flow.climb

    def sides(v):
        v0 = flow.climb + v
        phi = arctan(v0 / flow.v2)
        F = 1.0 if root is None else prandtl(flow.r, phi, blades, root, tip)
        mass = jnp.sqrt(flow.across**2 + v0**2 + SMALL)
        alpha = flow.pitch - phi
        lift = flow.slope * alpha + flow.offset
        blade = 0.5 * blades * flow.chord * (v0**2 + flow.v2**2) * lift * jnp.cos(phi)
        return 4 * jnp.pi * flow.r * F * mass * v, blade

    def balance(v):
        momentum, blade = sides(v)
        return momentum - blade

    def search(f, start):
        low, high = jnp.minimum(0.0, limit), jnp.maximum(0.0, limit)
        below = f(low) <= 0  # sign at the lower end; the sign at the upper end is opposite

        def step(_, carry):
            low, high, v = carry
            value, slope = jax.jvp(f, (v,), (jnp.ones_like(v),))
            left = (value <= 0) == below
            low, high = jnp.where(left, v, low), jnp.where(left, high, v)
            newton = v - value / jnp.where(jnp.abs(slope) > SMALL, slope, SMALL)
            # rounding may put the step beyond the end that v has become
            converged = jnp.abs(newton - v) <= ROUNDING * jnp.abs(v)
            inside = converged | (
                (newton >= low) & (newton <= high)
            )  # includes the ends, where the iteration may converge
            return low, high, jnp.where(inside, newton, 0.5 * (low + high))

        return jax.lax.fori_loop(0, iterations, step, (low, high, start))[2]

    def tangent(g, y):
        slope = g(jnp.ones_like(y))
        return y / jnp.where(jnp.abs(slope) > SMALL, slope, SMALL)

    v = jax.lax.custom_root(balance, 0.5 * limit, search, tangent)
    momentum, blade = sides(v)
    scale = jnp.maximum(jnp.maximum(jnp.abs(momentum), jnp.abs(blade)), SMALL)
    return v, jnp.abs(momentum - blade) / scale
