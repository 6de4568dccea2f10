"""Settling of catalogue ropes behind the aircraft, for campaigns: depth, time, tension and strength."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.air import PointDevice, TowedRope
from dovetail.air.settling_measures import settling_measures
from dovetail.campaign import requires, returns
from dovetail.core import RK4
from dovetail.core.advance import run_samples
from dovetail.core.energy_balance import energy_balance
from dovetail.core.errors import AnalysisError
from dovetail.core.keep import Keep
from dovetail.core.methods.rolled import with_stage_loop
from dovetail.core.system import FlowSystem
from dovetail.studies.capture.assembly import catalogue, rope

STEP, SAMPLE = 10e-3, 5  # [s] of RK4; steps between two samples
METHOD = with_stage_loop(RK4())  # the flow is compiled once per step, not once per stage


class DepthAndTension(Keep):
    """Keeps the depth of the device, the largest tension along the rope, and the energies."""

    def row(self, kept, t, h, shown):
        energies = {name: shown[name] for name in ("energy_residual", "kinetic_energy", "external_work")}
        return kept, energies | {"depth": -shown["displacement"][2], "tension": jnp.max(shown["tension"])}


@eqx.filter_jit
def _towed(systems: TowedRope, samples: int) -> dict[str, jax.Array]:
    def one(system):
        keep = DepthAndTension()
        return run_samples(FlowSystem(system, METHOD, SAMPLE), SAMPLE * STEP, samples, keep)[1]

    return eqx.filter_vmap(one)(systems)


@returns(depth="m", settling_time="s", tension="N", mass="kg", safety_factor="1")
@requires(
    "rope",
    "length",
    links=20,
    device_mass=150.0,
    airspeed=170.0,
    density=0.7,
    duration=120.0,
    design_load=125e3,
)
def ropes(points: list[dict[str, Any]]) -> dict[str, Any]:
    """Simulate candidates given by rope name, `length` [m], `device_mass` [kg], `airspeed` [m/s], `duration` [s].

    Return the settled depth of the device [m], the settling time [s], the largest tension [N], the mass of the rope
    [kg] and its safety factor for the load of section 4.2 [Mastrogiuseppe 2023].
    """
    built = [
        TowedRope(
            chain=rope(p["rope"], length=p["length"], n=int(p["links"])),
            device=PointDevice(mass=p["device_mass"], drag_area=0.7909, trim_lift=171.5),
            airspeed=p["airspeed"],
            density=p["density"],
        )
        for p in points
    ]
    joined = jax.tree.map(lambda *leaves: jnp.stack(leaves), *built)
    samples = round(points[0]["duration"] / (SAMPLE * STEP))
    rows = _towed(joined, samples)
    depth, tension = np.asarray(rows["depth"]), np.asarray(rows["tension"])
    times = SAMPLE * STEP * np.arange(1, samples + 1)
    for i, p in enumerate(points):
        records = {name: np.asarray(rows[name])[i] for name in rows if "energy" in name or "work" in name}
        balance = energy_balance(times, records, METHOD, [f"{p['rope']} of {p['length']:g} m"])
        if balance is not None and not balance.closes:
            raise AnalysisError(str(balance))
    settled = [settling_measures(times, row) for row in depth]
    entries = [catalogue()[p["rope"]] for p in points]
    return {
        "depth": np.array([s.final for s in settled]),
        "settling_time": np.array([s.settling_time for s in settled]),
        "tension": tension.max(axis=1),
        "mass": np.array([e["mass_per_length"] * p["length"] for e, p in zip(entries, points, strict=True)]),
        "safety_factor": np.array(
            [e["breaking_strength"] / p["design_load"] for e, p in zip(entries, points, strict=True)]
        ),
    }
