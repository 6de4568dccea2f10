"""Map of the effect of an actuator delay on impacts: the 1-DOF testbed of [Bondoky 2020, ch. 5].

Maps of contact laws over restitution, speed and material are in `contact_maps`.
"""

from __future__ import annotations

import dataclasses
import math
from typing import ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.core import Parameter, count, kind, parameter
from dovetail.core.errors import Fault
from dovetail.core.kind_names import name_of
from dovetail.core.parameter_map import ParameterMap
from dovetail.mechanics.contact import ConstantStiffness, DampingFactor, HertzPair, Material
from dovetail.studies.docking.impact import (
    MAX_PHASE,
    Instruments,
    first_impact,
    simulated_time,
    total_delay_omega,
)

MIN_STEPS = 6000  # of an impact
TOOLS = ("sensor_omega", "position_resolution", "force_resolution")


@kind("delay-sweep")
class DelaySweep(ParameterMap):
    """Errors of impacts over the total actuator delay; lists have one entry for each impact.

    Parameters of the instruments have one entry for all impacts, or one for each.
    """

    line_coordinate: ClassVar[str] = "delay"

    body_1: tuple[Material, ...]
    body_2: tuple[Material, ...]
    m1: Parameter = parameter("kg", "masses of body 1", above=0.0)
    m2: Parameter = parameter("kg", "masses of body 2", above=0.0)
    speed: Parameter = parameter("m/s", "impact speeds", above=0.0)
    delay: Parameter = parameter("s", "total delays of the actuator", above=0.0)
    restitution: Parameter = parameter(
        "1", "projected restitution of Flores' law", above=0.0, at_most=1.0, default=0.8
    )
    radius: Parameter = parameter("m", "radius of the sphere", above=0.0, default=0.025)
    sensor_omega: Parameter = parameter(
        "rad/s", "natural angular frequency of the sensor", above=0.0, default=2 * np.pi * 10e3
    )
    position_resolution: Parameter = parameter("m", "step of the imposed motion", at_least=0.0, default=0.0)
    force_resolution: Parameter = parameter("N", "step of the measured force", at_least=0.0, default=0.0)
    refinement: int = count("divisor of the integration steps", default=1, at_least=1)

    def refined(self) -> Self:
        return dataclasses.replace(self, refinement=2 * self.refinement)

    def faults(self) -> list[Fault]:
        """Return faults: lists without one entry for each impact."""
        count = len(self.body_1)
        lists = {"body_2": len(self.body_2)}
        lists |= {name: np.size(getattr(self, name)) for name in ("m1", "m2", "speed")}
        faults = [
            Fault(f"map.{name}", f"{size} entries, but body_1 has {count}; give one for each impact")
            for name, size in lists.items()
            if size != count
        ]
        for name in TOOLS:
            size = np.size(getattr(self, name))
            if size not in (1, count):
                faults.append(
                    Fault(f"map.{name}", f"{size} entries, but body_1 has {count}; give 1 or {count}")
                )
        return faults

    def compute(self) -> xr.Dataset:
        """Compute errors in percent (impact, delay) and the contact time of the reference solution (impact)."""
        stiffness = jnp.array(
            [HertzPair(a, b, self.radius).value for a, b in zip(self.body_1, self.body_2, strict=True)]
        )
        mass = self.m1 * self.m2 / (self.m1 + self.m2)
        factor = 1.6 * (1 - self.restitution) / self.restitution
        delays = jnp.atleast_1d(self.delay)
        sensor = tuple(jnp.broadcast_to(jnp.ravel(getattr(self, name)), mass.shape) for name in TOOLS)
        tools = Instruments(total_delay_omega(delays), sensor[0][:, None])
        law = DampingFactor(stiffness=ConstantStiffness(stiffness[:, None]), factor=factor)
        time = simulated_time(law, mass[:, None], self.speed[:, None], tools)
        phases = float(jnp.max(time * jnp.maximum(tools.actuator_omega, tools.sensor_omega)))
        steps = self.refinement * max(MIN_STEPS, math.ceil(phases / MAX_PHASE))
        pair = _delayed(stiffness, mass, self.speed, delays, factor, sensor, steps)
        dims = ("impact", "delay")
        i, h = pair.ideal, pair.hil
        measures = {
            "velocity_error": 100 * (h.rebound / i.rebound - 1),
            "force_error": 100 * pair.force_difference / pair.force_then,
            "force_integral_error": 100 * pair.force_area / i.force_integral,
            "depth_error": 100 * pair.depth_difference / pair.depth_then,
            "depth_integral_error": 100 * pair.depth_area / i.depth_integral,
        }
        out = xr.Dataset(
            {name: (dims, np.asarray(values), {"units": "%"}) for name, values in measures.items()},
            {
                "impact": np.arange(1, len(self.body_1) + 1),
                "delay": (
                    "delay",
                    np.atleast_1d(self.delay),
                    {"units": "s", "long_name": "total delay of the actuator"},
                ),
            },
        )
        out["ideal_depth"] = ("impact", np.asarray(i.peak_depth[:, 0]), {"units": "m"})
        out["ideal_duration"] = ("impact", np.asarray(i.duration[:, 0]), {"units": "s"})
        return out

    def labels(self, data: xr.Dataset) -> list[str]:
        """Return a label for each impact with the parameters that vary."""
        out = []
        for n in range(len(self.body_1)):
            text = f"{float(self.m1[n]):g}-{float(self.m2[n]):g} kg, {float(self.speed[n]):g} m/s"
            if np.size(self.position_resolution) > 1:
                text = f"position in {1e6 * float(self.position_resolution[n]):g} um"
            elif np.size(self.force_resolution) > 1:
                text = f"force in {float(self.force_resolution[n]):g} N"
            elif np.size(self.sensor_omega) > 1:
                text = f"sensor {float(self.sensor_omega[n]) / (2e3 * np.pi):.3g} kHz"
            elif (
                len({type(b) for b in (*self.body_1, *self.body_2)}) > 2 or len({*map(type, self.body_1)}) > 1
            ):
                text = f"{name_of(type(self.body_1[n]))} on {name_of(type(self.body_2[n]))}"
            out.append(text)
        return out

    def summary(self, data: xr.Dataset) -> str:
        """Return the velocity error by impact, one column for each delay."""
        lines, labels = ["error of the rebound velocity [%], columns: total delay [ms]"], self.labels(data)
        lines.append(" " * 40 + "".join(f"{1e3 * d:8.2f}" for d in data.delay.values))
        for n in range(data.sizes["impact"]):
            at = data.isel(impact=n)
            label = labels[n]
            contact = f"{1e3 * float(at.ideal_duration):.2f} ms"
            errors = "".join(f"{v:8.2f}" for v in at.velocity_error.values)
            lines.append(f"{n + 1:3d}  {label:<24} {contact:>9} {errors}")
        steps = np.broadcast_to(np.ravel(self.position_resolution), (data.sizes["impact"],))
        for n, (step, depth) in enumerate(zip(steps, data.ideal_depth.values, strict=True)):
            if step > 0.1 * depth:
                lines.append(
                    f"warning: impact {n + 1}: the resolution ({1e6 * step:.3g} um) is more than 10 % of the "
                    f"penetration ({1e6 * depth:.3g} um); signals are distorted and errors are not reliable"
                )
        return "\n".join(lines)


@eqx.filter_jit
def _delayed(stiffness, mass, speed, delays, factor, sensor, steps):
    def one(stiffness, mass, speed, sensor, delay):
        law = DampingFactor(stiffness=ConstantStiffness(stiffness), factor=factor)
        tools = Instruments(4 / delay, sensor[0], position_resolution=sensor[1], force_resolution=sensor[2])
        return first_impact(law, mass, speed, tools, steps=steps)

    over_delays = jax.vmap(one, (None, None, None, None, 0))
    return jax.vmap(over_delays, (0, 0, 0, 0, None))(stiffness, mass, speed, sensor, delays)
