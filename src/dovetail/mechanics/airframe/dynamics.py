r"""Generalised forces on an aircraft, their power, and the interface forces between gear and airframe.

With the speeds :math:`u = (\xi, \nu)` of `gear`, the right-hand side is the sum of gear, struts, contact, weight and
air loads. The interface forces are the residual of the rows of the interface nodes. Given the acceleration,

.. math:: F_u = \left(M\dot V + \omega\times p - Q\right)_i

is the force of the airframe on gear node i, in body axes [Schock 2020, eqs 5.3 and 5.17, where accelerations and
:math:`F_u` are solved together].
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.block import Time
from dovetail.mechanics.airframe.modal_gear import ModalGear
from dovetail.mechanics.airframe.struts import strut_force
from dovetail.mechanics.bodies import BodyMotion
from dovetail.mechanics.collision.contact_force import PairTouch

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft


def nodes(aircraft: DeckAircraft, x: dict[str, Any]) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return node positions (n, d), velocities (n, nd) and deformation (n, nd), in body axes."""
    model, d = aircraft.model, aircraft.dim.d
    twist, own = aircraft._split(x)
    deformation = model.displacement(x["shape"])
    rho = model.nodes + deformation[:, :d]
    return rho, model.velocity(twist, own, rho), deformation


def body_loads(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> jax.Array:
    """Return the wrench of all loads in body axes, (d + turns,)."""
    dim = aircraft.dim
    twist, _ = aircraft._split(x)
    total = jnp.zeros(dim.d + dim.turns)
    if not aircraft.loads:
        return total
    R = dim.rotation(x["attitude"])
    v, w = dim.to_spatial(twist[: dim.d], twist[dim.d :])
    if dim.d == 2:
        R, place = jnp.eye(3).at[1:, 1:].set(R), jnp.pad(x["position"], (1, 0))
    else:
        place = x["position"]
    motion = BodyMotion(R, place, v, w, aircraft.airframe.centre)
    for load in aircraft.loads:
        total = total + jnp.concatenate(dim.from_spatial(*load.act(t, motion)))
    return total


def strut_forces(aircraft: DeckAircraft, rho: jax.Array, rate: jax.Array) -> list[jax.Array]:
    """Return the force of each strut on its node, (d,), in body axes."""
    mounts = [s.mount - aircraft.offset for s in aircraft.struts]
    return [
        strut_force(s, rho[s.node - 1] - mount, rate[s.node - 1])
        for s, mount in zip(aircraft.struts, mounts, strict=True)
    ]


def _nodal(
    aircraft: DeckAircraft, t: Time, x: dict[str, Any]
) -> tuple[jax.Array, jax.Array, jax.Array, PairTouch]:
    """Return nodal loads (n, nd) of contact and struts, the power dissipated by the struts, and the contacts."""
    model, d = aircraft.model, aircraft.dim.d
    twist, _ = aircraft._split(x)
    rho, V, _ = nodes(aircraft, x)
    rate = V - model.rigid(twist, rho)
    touch = aircraft.touches(t, x)
    R = aircraft.dim.rotation(x["attitude"])
    load = model.at_nodes(jnp.sum(touch.force, 1) @ R, aircraft.feet)
    pushes = strut_forces(aircraft, rho, rate[:, :d])
    strut, lost = jnp.zeros((model.count, model.nd)), jnp.zeros(())
    if pushes:
        strut = model.at_nodes(jnp.stack(pushes), tuple(s.node - 1 for s in aircraft.struts))
    for s in aircraft.struts:
        arm = rho[s.node - 1] - (s.mount - aircraft.offset)
        length = jnp.sqrt(arm @ arm)
        lost = lost - s.law.loss(length, rate[s.node - 1, :d] @ arm / length)
    return load, strut, lost, touch


def _weight(aircraft: DeckAircraft, x: dict[str, Any]) -> jax.Array:
    """Return the acceleration of gravity in body axes (d,)."""
    d = aircraft.dim.d
    return aircraft.dim.rotation(x["attitude"]).T @ jnp.zeros(d).at[-1].set(-aircraft.gravity)


def forces(
    aircraft: DeckAircraft, t: Any, x: dict[str, Any]
) -> tuple[jax.Array, jax.Array, PairTouch, jax.Array]:
    """Return the right-hand side of all speeds, the power by source, the contacts, and the wrench of the loads."""
    dim, model, d = aircraft.dim, aircraft.model, aircraft.dim.d
    twist, own = aircraft._split(x)
    rho, V, deformation = nodes(aircraft, x)
    load, strut, strut_power, touch = _nodal(aircraft, t, x)
    g = _weight(aircraft, x)
    F = model.forces(aircraft.formulation, twist, own, rho, deformation, load, strut, g)
    wrench = x["load"] if aircraft.load_sampling == "step" else body_loads(aircraft, t, x)
    v, w = twist[:d], twist[d:]
    if isinstance(model, ModalGear):
        momentum = (aircraft.mass_matrix @ x["speed"])[: model.nd]
        P, L = momentum[:d], momentum[d:]
        turning = jnp.concatenate([dim.cross(w, P), dim.spin(w, L) + dim.moment(v, P)])
    else:
        own_spin = dim.spin(w, aircraft.inertia @ w)
        turning = jnp.concatenate([aircraft.airframe.mass * dim.cross(w, v), own_spin])
    body = wrench - turning + jnp.pad(aircraft.airframe.mass * g, (0, dim.turns))
    F = F + jnp.pad(body, (0, model.speed_size))
    surface = touch.surface_velocity
    node = (V[np.array(aircraft.feet), :d] @ dim.rotation(x["attitude"]).T)[:, None]
    powers = jnp.stack(
        [
            model.damping_power(twist, own, rho),
            strut_power,
            jnp.sum(touch.force * (node - surface)),
            jnp.sum(touch.force * surface),
            wrench @ twist,
        ]
    )
    return F, powers, touch, wrench


def interface_loads(aircraft: DeckAircraft, t: Any, x: dict[str, Any], rate: jax.Array) -> jax.Array:
    """Return force [N] and moment [N m] of the airframe on each interface node, (interface nodes, nd), body axes.

    `rate` is the rate of the speeds. A hinge has no moment about its axis; wheels have no interface nodes.
    """
    model = aircraft.model
    twist, own = aircraft._split(x)
    rho, _, deformation = nodes(aircraft, x)
    load, strut, _, _ = _nodal(aircraft, t, x)
    left = model.residual_loads(
        aircraft.formulation, twist, own, rate, rho, deformation, load + strut, _weight(aircraft, x)
    )
    loads: jax.Array = (left * model.interface_mask)[np.array(model.interface, int)]
    return loads


def energy(aircraft: DeckAircraft, x: dict[str, Any]) -> dict[str, jax.Array]:
    """Return kinetic and gravity energy, elastic energy of gear and struts, and their sum [J]."""
    model, d = aircraft.model, aircraft.dim.d
    R = aircraft.dim.rotation(x["attitude"])
    rho, _, deformation = nodes(aircraft, x)
    mass = aircraft.airframe.mass + model.mass
    centre = mass * x["position"] + R @ (model.first_moment + model.weight.T @ deformation.ravel())
    struts = jnp.zeros(())
    for s in aircraft.struts:
        r = rho[s.node - 1] - (s.mount - aircraft.offset)
        struts = struts + s.law.stored_energy(jnp.sqrt(r @ r))
    energies = {
        "kinetic": x["speed"] @ aircraft.kinetic @ x["speed"] / 2,
        "gravity": aircraft.gravity * centre[d - 1],
        "gear": model.elastic_energy(deformation),
        "struts": struts,
    }
    return {**energies, "total": sum(energies.values())}
