"""Recorded signals and result summary of an aircraft run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.airframe.contact_search import contact_points
from dovetail.mechanics.airframe.dynamics import interface_loads
from dovetail.mechanics.airframe.outcomes import deck_outcome, phases
from dovetail.mechanics.securing.drive import driven_frames
from dovetail.mechanics.spatial import euler

if TYPE_CHECKING:
    from dovetail.mechanics.airframe.aircraft import DeckAircraft


def output_signals(aircraft: DeckAircraft, t: Any, x: dict[str, Any]) -> dict[str, Any]:
    """Return all output signals at a time."""
    dim = aircraft.dim
    d = dim.d
    F, _, touch, wrench = aircraft._forces(t, x)
    rate = jnp.asarray(aircraft.mass_inverse @ F)
    joint = interface_loads(aircraft, t, x, rate)
    R = dim.rotation(x["attitude"])
    twist = x["speed"][: aircraft.model.nd]
    v, w = twist[:d], twist[d:]
    energy = aircraft.energy(t, x)
    angles = x["attitude"] if d == 2 else euler.from_matrix(R)
    place = driven_frames(aircraft.platforms, aircraft.drives, t, x["drive"])
    work = x["work"]
    return {
        "displacement": x["position"],
        "attitude_angles": angles,
        "velocity": R @ v,
        "angular_velocity": w,
        "acceleration": R @ (rate[:d] + dim.cross(w, v)),
        "node_position": aircraft.node_positions(x),
        "contact_force": jnp.sum(touch.force, 1),
        "bristle_anchor": contact_points(aircraft, t, x),
        **({"gear_wrench": joint} if joint.size else {}),
        "pair_normal_force": touch.normal[..., 0],
        "foot_penetration": jnp.max(touch.depth, 1),
        "slip_speed": jnp.sqrt(jnp.sum(touch.slip**2, -1)),
        "air_wrench": wrench,
        "platform_position": place.position,
        "platform_angle": jnp.arctan2(place.rotation[:, -1, -2], place.rotation[:, -1, -1]),
        "kinetic_energy": energy["kinetic"],
        "gravity_energy": energy["gravity"],
        "elastic_energy": energy["gear"] + energy["struts"],
        "work_by_source": work,
        "energy_residual": energy["total"] - x["initial_energy"] - jnp.sum(work),
        "event_penetration": x["event_penetration"],
        "event_time": x["event_time"],
        **({"drive_deflection": x["drive"][:, 0]} if aircraft.drives else {}),
    }


def measures(aircraft: DeckAircraft, data: Any) -> dict[str, str]:
    """Return the results of a run as text."""
    last = data.isel(time=-1)
    force = data["contact_force"].values
    peak = np.sqrt(np.sum(force**2, -1)).max(0)
    place, angles = (last[name].values.round(6) + 0.0 for name in ("displacement", "attitude_angles"))
    names = ("roll",) if len(angles) == 1 else ("roll", "pitch", "yaw")
    counts = {}
    if "solver_steps" in data:
        steps, rejected, events = last["solver_steps"].values
        counts["steps"] = f"{steps:.0f}, {rejected:.0f} rejected, {events:.0f} contact events"
    stretches = phases(aircraft, data)
    clamps = [i for i, p in enumerate(aircraft.platforms) if p.role == "clamp"]
    held = data["pair_normal_force"].values[:, :, clamps].max((0, 1)) if clamps else ()
    joints = {}
    if "gear_wrench" in data:
        size = np.sqrt(np.sum(data["gear_wrench"].values[..., : aircraft.dim.d] ** 2, -1)).max(0)
        joints["largest interface loads"] = ", ".join(f"{v:.4g}" for v in size) + " N, by joint"
    return {
        "outcome": deck_outcome(aircraft, data).summary(),
        "phases": "; ".join(f"{p.name} to {p.end:.2f} s" for p in stretches),
        "final position": ", ".join(f"{v:.5g}" for v in place) + " m",
        "final attitude": ", ".join(f"{n} {a:.4g} rad" for n, a in zip(names, angles, strict=True)),
        "final foot loads": ", ".join(f"{f[-1]:.5g}" for f in force[-1]) + " N vertical, by foot",
        "largest foot loads": ", ".join(f"{p:.4g}" for p in peak) + " N, by foot",
        **({"largest clamp loads": ", ".join(f"{v:.4g}" for v in held) + " N"} if clamps else {}),
        **joints,
        **counts,
    }
