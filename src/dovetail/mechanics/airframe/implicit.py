r"""Linear solve of implicit methods for an aircraft: :math:`(1 - gJ)k = b`, with J exact for the stiff terms.

Positions, attitude, shape and bristles are eliminated analytically. One matrix of the size of the speeds remains:

.. math:: S = \mathcal M - g\,\partial F/\partial u - g^2\,\partial F/\partial s\,A

with :math:`\dot s = A u`. It includes gear, struts, contact and bristles. Air loads and inertial terms are omitted,
which a W-method allows. Contact derivatives are computed for each pair by automatic differentiation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.block import Time
from dovetail.mechanics.airframe.contact_search import all_pairs, touched_planes
from dovetail.mechanics.airframe.struts import strut_force
from dovetail.mechanics.collision.contact_force import PairMemory, PairTouch
from dovetail.mechanics.securing.drive import driven_frames

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft

DENSE = 40  # number of speeds up to which an inverse is cheaper than a factorisation
LEDGER = ("gear damping", "struts", "contact", "platforms", "loads")


class Slopes(NamedTuple):
    """Contact derivatives of all pairs of foot and body, in world axes."""

    R: jax.Array  # body to world
    position: jax.Array  # of the force by position, (feet, bodies, d, d)
    by_velocity: jax.Array
    bristle: jax.Array
    bristle_velocity: jax.Array  # of the bristle rate by velocity
    time: jax.Array  # of the force by time, (feet, bodies, d)
    bristle_time: jax.Array
    relaxation: jax.Array  # (feet, bodies) [1/s]
    velocity: jax.Array  # (feet, d) [m/s] of the feet


def time_rate(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> dict[str, Any]:
    """Return the partial derivative of the rates by time, for contact with moving bodies only."""
    slopes = contact_slopes(aircraft, t, x)
    touch = aircraft.touches(t, x)
    moving = jnp.sum(slopes.time, 1) @ slopes.R
    slip = slopes.velocity[:, None] - touch.surface_velocity
    work = jnp.zeros(len(LEDGER)).at[2].set(jnp.sum(slopes.time * slip))
    work = work.at[3].set(jnp.sum(slopes.time * touch.surface_velocity))
    F = aircraft.model.stiff_forces(
        aircraft.formulation,
        jnp.zeros(aircraft.model.shape_size),
        aircraft._nodes(x)[0],
        jnp.zeros((len(aircraft.struts), aircraft.dim.d)),
        moving,
        tuple(s.node - 1 for s in aircraft.struts),
        aircraft.feet,
    )
    zero = jax.tree.map(jnp.zeros_like, x)
    return {**zero, "speed": aircraft.mass_inverse @ F, "bristle": slopes.bristle_time, "work": work}


def contact_slopes(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> Slopes:
    """Return the derivatives of forces and bristle rates of all pairs."""
    return _slopes(aircraft, jnp.asarray(t, float), x)


@eqx.filter_jit
def _slopes(aircraft: DeckAircraft, t: Time, x: dict[str, Any]) -> Slopes:  # traced once for all callers
    d = aircraft.dim.d
    R = aircraft.dim.rotation(x["attitude"])
    rho, V, _ = aircraft._nodes(x)
    feet = np.array(aircraft.feet)
    at, velocity = x["position"] + rho[feet] @ R.T, V[feet, :d] @ R.T
    on, impact, slid = touched_planes(aircraft, t, x), x["impact_speed"], x["slip_speed"]

    def moving(t: Time) -> Any:
        return driven_frames(aircraft.platforms, aircraft.drives, t, x["drive"])

    frame, changes = jax.jvp(moving, (t,), (jnp.ones_like(t),))

    def given(
        dt: jax.Array, dp: jax.Array, dv: jax.Array, dz: jax.Array
    ) -> tuple[jax.Array, jax.Array, jax.Array]:
        then = jax.tree.map(lambda now, rate: now + dt * rate, frame, changes)
        memory = PairMemory(x["bristle"] + dz, on, impact, slid)
        touch = all_pairs(aircraft, then, at + dp, velocity + dv, memory)
        return touch.force, touch.bristle_rate, touch.relaxation

    m = x["bristle"].shape[-1]  # 0 if the friction law has no bristles
    here = (jnp.zeros(()), jnp.zeros(d), jnp.zeros(d), jnp.zeros(m))
    every = jnp.eye(1 + 2 * d + m)
    tangents = (every[:, 0], every[:, 1 : 1 + d], every[:, 1 + d : 1 + 2 * d], every[:, 1 + 2 * d :])

    def along(*tangent: jax.Array) -> Any:
        return jax.jvp(given, here, tangent)[1][:2]

    relax = given(*here)[2]
    force, rate = jax.vmap(along)(*tangents)  # (1 + 2 d + m, f, b, ...)
    force_t, rate_t = force[0], rate[0]

    def per(a: jax.Array, i: int) -> jax.Array:  # (f, b, ..., d)
        return jnp.moveaxis(a[1 + i * d : 1 + (i + 1) * d], 0, -1)

    position, by_velocity, bristle = (per(force, i) for i in range(3))  # world axes
    return Slopes(R, position, by_velocity, bristle, per(rate, 1), force_t, rate_t, relax[..., 0], velocity)


def shifted_solver(
    aircraft: DeckAircraft, t: Any, x: dict[str, Any], g: Any
) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that solves (1 - g J) k = b, with J exact for the stiff terms."""
    dim, model, d = aircraft.dim, aircraft.model, aircraft.dim.d
    R = dim.rotation(x["attitude"])
    rho = aircraft._nodes(x)[0]
    feet, strut_nodes = aircraft.feet, tuple(s.node - 1 for s in aircraft.struts)
    by_r, by_v = _strut_slopes(aircraft, x)
    slopes, touch = contact_slopes(aircraft, t, x), aircraft.touches(t, x)
    f_p, f_v = (R.T @ jnp.sum(a, 1) @ R for a in (slopes.position, slopes.by_velocity))
    f_z, z_v = R.T @ slopes.bristle, slopes.bristle_velocity @ R
    ease = 1 / (1 + g * slopes.relaxation)[..., None, None]
    through = jnp.einsum("fbij,fbjk->fik", f_z * ease, z_v)  # force by velocity through the bristle
    block = -(g * f_v + g**2 * f_p + g**2 * through)
    strut_block = -(g * by_v + g**2 * by_r)
    through_S = _solver(
        aircraft.mass_matrix
        + model.implicit(aircraft.formulation, g, rho, strut_block, block, strut_nodes, feet)
    )
    at, strut_at = np.array(feet), np.array(strut_nodes, int)

    def solve(b: dict[str, Any]) -> dict[str, Any]:
        turned = dim.small_rotation(x["attitude"], b["attitude"])
        moved = model.displacement(b["shape"])[:, :d]
        carried = (R.T @ b["position"]) + dim.cross(turned, rho[at]) + moved[at]
        z = b["bristle"]
        push = jnp.einsum("fij,fj->fi", f_p, carried) + jnp.einsum("fbij,fbj->fi", f_z * ease, z)
        strut_push = jnp.einsum("sij,sj->si", by_r, moved[strut_at]) if strut_nodes else jnp.zeros((0, d))
        stiff = model.stiff_forces(aircraft.formulation, b["shape"], rho, strut_push, push, strut_nodes, feet)
        k = through_S(aircraft.mass_matrix @ b["speed"] + g * stiff)
        k_twist, k_own = k[: model.nd], k[model.nd :]
        k_nodes = model.node_change(k_twist, k_own, feet, rho)
        k_z = (z + g * jnp.einsum("fbij,fj->fbi", z_v, k_nodes)) * ease[..., 0]
        work = _contact_work(slopes, touch, k_nodes @ R.T, (carried + g * k_nodes) @ R.T, k_z)
        return {
            "position": b["position"] + g * (R @ k_twist[:d]),
            "attitude": b["attitude"] + g * dim.attitude_change(x["attitude"], k_twist[d:]),
            "shape": b["shape"] + g * model.shape_rate(k_twist, k_own, rho),
            "speed": k,
            "bristle": k_z,
            "drive": b["drive"],
            "work": b["work"] + g * work,
        }

    return solve


def _strut_slopes(aircraft: DeckAircraft, x: dict[str, Any]) -> tuple[jax.Array, jax.Array]:
    """Return the derivatives of the strut forces (struts, d, d) by strut vector and by velocity."""
    d = aircraft.dim.d
    rho, V, _ = aircraft._nodes(x)
    twist, _ = aircraft._split(x)
    rate = (V - aircraft.model.rigid(twist, rho))[:, :d]
    by_r, by_v = [], []
    for s in aircraft.struts:
        r, v = rho[s.node - 1] - (s.mount - aircraft.offset), rate[s.node - 1]
        by_r.append(jax.jacfwd(lambda a, s=s, v=v: strut_force(s, a, v))(r))
        by_v.append(jax.jacfwd(lambda a, s=s, r=r: strut_force(s, r, a))(v))
    none = jnp.zeros((0, d, d))
    return (jnp.stack(by_r), jnp.stack(by_v)) if by_r else (none, none)


def _solver(S: jax.Array) -> Callable[[jax.Array], jax.Array]:
    """Return a function that solves S k = b, with the cheaper method for its size."""
    if S.shape[0] <= DENSE:
        inverse = jnp.linalg.inv(S)
        return lambda b: inverse @ b
    lu, _, order = jax.lax.linalg.lu(S)
    triangle = functools.partial(jax.scipy.linalg.solve_triangular, lu)
    # row permutation computed once, not at every solution
    return lambda b: triangle(triangle(b[order], lower=True, unit_diagonal=True))


def _contact_work(slopes: Slopes, touch: PairTouch, dv: jax.Array, dp: jax.Array, dz: jax.Array) -> jax.Array:
    """Return the change of the powers by source with positions, velocities and bristles of the feet."""
    slip = slopes.velocity[:, None] - touch.surface_velocity
    df = jnp.einsum("fbij,fj->fbi", slopes.position, dp) + jnp.einsum("fbij,fj->fbi", slopes.by_velocity, dv)
    df = df + jnp.einsum("fbij,fbj->fbi", slopes.bristle, dz)
    lost = jnp.sum(df * slip) + jnp.sum(touch.force * dv[:, None])
    moved = jnp.sum(df * touch.surface_velocity)
    return jnp.stack([0.0 * lost, 0.0 * lost, lost, moved, 0.0 * lost])
