r"""Static equilibrium of an aircraft on its platforms, without friction: posture and foot loads.

Newton's method solves :math:`F(s, u = 0) = 0` for position, attitude and shape. Each foot touches the surface
that is nearest initially. Directions without stiffness (for example translation on a level deck) keep their initial
values.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.errors import ConvergenceError
from dovetail.mechanics.collision import touched_surface

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft


def equilibrium(aircraft: DeckAircraft, *, iterations: int = 60, tolerance: float = 1e-9) -> dict[str, Any]:
    """Return the equilibrium state near the initial pose, in the form of `DeckAircraft.init`.

    Raises `ConvergenceError` if the forces do not vanish.
    """
    # allow tension, so that an iterate above the deck converges
    aircraft = dataclasses.replace(aircraft, law=dataclasses.replace(aircraft.law, tension="allowed"))
    x = _touching(aircraft)
    unknown = np.zeros(aircraft.model.nd + aircraft.model.shape_size)
    scale = float(aircraft.gravity) * float(aircraft.airframe.mass)
    for _ in range(iterations):
        force, slope = map(np.asarray, _linearised(aircraft, x, unknown))
        if np.abs(force).max() <= tolerance * scale:
            return _found(aircraft, x, unknown)
        # least squares: directions without stiffness are not changed
        change = np.linalg.lstsq(slope, -force, rcond=1e-10)[0]
        most = np.abs(change[: aircraft.model.nd]).max()
        unknown = unknown + change * min(1.0, 0.05 / max(most, 1e-12))
    raise ConvergenceError(
        f"no equilibrium near initial_pose: force residual {np.abs(force).max():.3g} N after {iterations} "
        "iterations; choose an initial_pose closer to the equilibrium"
    )


@eqx.filter_jit
def _touching(aircraft: DeckAircraft) -> dict[str, Any]:
    """Return the initial state at rest, with each foot on its nearest surface."""
    x = aircraft.init()
    distance = aircraft._distances(0.0, x)
    nearest = jax.nn.one_hot(jnp.argmin(touched_surface.gap(distance), 1), distance.shape[1])[..., None]
    on = jax.nn.one_hot(jnp.argmax(distance, -1), distance.shape[-1]) * nearest
    return {**x, "speed": jnp.zeros_like(x["speed"]), "touch": on, "inside": on}


@eqx.filter_jit
def _found(aircraft: DeckAircraft, x: dict[str, Any], unknown: Any) -> dict[str, Any]:
    """Return the equilibrium state with its actual contacts."""
    x = _placed(aircraft, x, unknown)
    inside, on = touched_surface.initial_surfaces(aircraft._distances(0.0, x))
    x = {**x, "inside": inside, "touch": on}
    return {**x, "initial_energy": aircraft.energy(0.0, x)["total"]}


def _placed(aircraft: DeckAircraft, x: dict[str, Any], unknown: Any) -> dict[str, Any]:
    d, nd, dim = aircraft.dim.d, aircraft.model.nd, aircraft.dim
    turned = x["attitude"] + dim.attitude_change(x["attitude"], unknown[d:nd])
    return {
        **x,
        "position": x["position"] + unknown[:d],
        "attitude": turned,
        "shape": x["shape"] + unknown[nd:],
    }


@eqx.filter_jit
def _linearised(aircraft: DeckAircraft, x: dict[str, Any], unknown: Any) -> tuple[jax.Array, jax.Array]:
    def force(unknown: jax.Array) -> jax.Array:
        return aircraft._forces(0.0, _placed(aircraft, x, unknown))[0]

    return force(unknown), jax.jacfwd(force)(unknown)


def foot_loads(aircraft: DeckAircraft, x: dict[str, Any]) -> np.ndarray:
    """Return the contact force on each foot (feet, d) [N], world axes."""
    return np.asarray(_shown(aircraft, x)[0])


def node_places(aircraft: DeckAircraft, x: dict[str, Any]) -> np.ndarray:
    """Return the world coordinates of all nodes (n, d) [m]."""
    return np.asarray(_shown(aircraft, x)[1])


@eqx.filter_jit
def _shown(aircraft: DeckAircraft, x: dict[str, Any]) -> tuple[jax.Array, jax.Array]:
    return jnp.sum(aircraft.touches(0.0, x).force, 1), aircraft.node_positions(x)
