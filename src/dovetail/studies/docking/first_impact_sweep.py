r"""Errors of the first impact of dockings in six degrees of freedom, over the robot delay and other parameters.

After the first impact the reference solution and the test diverge and are no longer comparable, so the parameter study
evaluates the first impact only [Bondoky 2020, sec. 7.2.1]. Every case is a docking with its own masses, speed,
materials, rounding and sensor. It is computed once without rig and once for each delay, all in one batch. Errors are
those of the peaks, of the integrals over the contact, and of the speed at separation:

.. math:: e_{abs} = \frac{\max H}{\max I} - 1, \qquad e_{A} = \frac{\int|H|}{\int|I|} - 1, \qquad
          e_v = \frac{v_H}{v_I} - 1
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Self

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr
from jaxtyping import Array, Bool, Float

from dovetail.core import Parameter, count, kind, parameter
from dovetail.core.block import Time
from dovetail.core.errors import Fault
from dovetail.core.keep import Keep
from dovetail.core.monitor import Monitor, MonitorState
from dovetail.core.parameter_map import ParameterMap
from dovetail.core.system import Signals
from dovetail.mechanics.bodies import ContactingBodies
from dovetail.mechanics.contact import ConstantStiffness, DissipativeLaw, HertzPair, Material
from dovetail.mechanics.friction import Friction
from dovetail.mechanics.geometry import Cavity
from dovetail.specimens.probe_in_drogue import BallInCavity, misfit_message
from dovetail.studies.docking.docking_steps import (
    DockingMonitor,
    DockingSystem,
    SixAxisInstruments,
    advance_to_end,
)

REBOUND = 3  # ending of a docking after its first contact; the others are in `docking_steps`
MEASURES = ("peak_force", "peak_depth", "force_integral", "depth_integral", "speed_out", "duration")
UNITS = ("N", "m", "N s", "m s", "m/s", "s")
ERRORS = {
    "force_error": "peak_force",
    "depth_error": "peak_depth",
    "force_integral_error": "force_integral",
    "depth_integral_error": "depth_integral",
    "velocity_error": "speed_out",
}


@kind("first-impact-sweep")
class FirstImpactSweep(ParameterMap):
    """Errors of the first impact over the total robot delay, for each case.

    Lists have one entry for each case, or one entry for all. Inertias are scaled with the masses.
    """

    line_coordinate: ClassVar[str] = "delay"

    bodies: ContactingBodies
    cavity: Cavity
    law: DissipativeLaw
    friction: Friction
    body_1: tuple[Material, ...]
    body_2: tuple[Material, ...]
    delay: Parameter = parameter("s", "total delays of the robot", above=0.0)
    m1: Parameter = parameter("kg", "masses of the chaser", above=0.0, default=(360.466,))
    m2: Parameter = parameter("kg", "masses of the target", above=0.0, default=(770.0,))
    speed: Parameter = parameter("m/s", "speeds of approach", above=0.0, default=(0.1,))
    resolution: Parameter = parameter(
        "m", "resolutions of the robot, in m and rad", at_least=0.0, default=(1e-6,)
    )
    sensor_delay: Parameter = parameter("s", "total delays of the sensor", above=0.0, default=(0.1e-3,))
    sensor_resolution: Parameter = parameter("N", "resolutions of the sensor", at_least=0.0, default=(1.0,))
    radius: Parameter = parameter("m", "radius of the probe's tip", above=0.0, default=0.025)
    contact_step: Parameter = parameter("s", "largest step in contact", above=0.0, default=10e-6)
    duration: Parameter = parameter(
        "s", "maximum time to the end of the first impact", above=0.0, default=2.0
    )
    refinement: int = count("divisor of the steps in contact", default=1, at_least=1)

    _LISTS: ClassVar[tuple[str, ...]] = (
        "m1",
        "m2",
        "speed",
        "resolution",
        "sensor_delay",
        "sensor_resolution",
    )

    @property
    def cases(self) -> int:
        """Number of cases."""
        sizes = [np.size(getattr(self, name)) for name in self._LISTS]
        return max(*sizes, len(self.body_1), len(self.body_2))

    def refined(self) -> Self:
        return dataclasses.replace(self, refinement=2 * self.refinement)

    def faults(self) -> list[Fault]:
        """Return faults: a tip that does not fit, or lists with neither one entry nor one for each case."""
        too_large = misfit_message(self.cavity, self.radius)
        if too_large:
            return [Fault("map.radius", too_large)]
        sizes = {name: np.size(getattr(self, name)) for name in self._LISTS}
        sizes |= {"body_1": len(self.body_1), "body_2": len(self.body_2)}
        return [
            Fault(
                f"map.{name}",
                f"{size} entries for {self.cases} cases; give 1 or {self.cases}",
            )
            for name, size in sizes.items()
            if size not in (1, self.cases)
        ]

    def compute(self) -> xr.Dataset:
        """Compute reference values (case) and errors in percent (case, delay)."""
        n, delays = self.cases, jnp.atleast_1d(self.delay)
        lists = {name: jnp.broadcast_to(jnp.ravel(getattr(self, name)), (n,)) for name in self._LISTS}
        first, second = ((m * n)[:n] if len(m) == 1 else m for m in (self.body_1, self.body_2))
        stiffness = [HertzPair(a, b, self.radius).value for a, b in zip(first, second, strict=True)]
        lists["stiffness"] = jnp.asarray(stiffness)
        ideal, rig = _sweep(self, lists, delays)
        coordinates = {
            "case": np.arange(1, n + 1),
            "delay": ("delay", np.asarray(delays), {"units": "s", "long_name": "total delay of the robot"}),
        }
        out = xr.Dataset(coords=coordinates)
        for name, unit in zip(MEASURES, UNITS, strict=True):
            out[f"ideal_{name}"] = ("case", np.asarray(ideal[name]), {"units": unit})
        for name, of in ERRORS.items():
            share = 100 * (np.asarray(rig[of]) / np.asarray(ideal[of])[:, None] - 1)
            out[name] = (("case", "delay"), share, {"units": "%", "long_name": name.replace("_", " ")})
        change = np.asarray(rig["duration"]) - np.asarray(ideal["duration"])[:, None]
        out["duration_error"] = (
            ("case", "delay"),
            change,
            {"units": "s", "long_name": "change of contact time"},
        )
        return out

    def labels(self, data: xr.Dataset) -> list[str]:
        """Return a label for each case with the parameters that vary."""
        texts: list[list[str]] = [[] for _ in range(self.cases)]
        shown = {"speed": "{:g} m/s", "sensor_resolution": "{:g} N"}
        scaled = {"resolution": (1e6, "{:g} um"), "sensor_delay": (1e3, "sensor {:g} ms")}
        for i, text in enumerate(texts):
            if np.size(self.m1) > 1:
                text.append(f"{float(self.m1[i]):g}-{float(jnp.ravel(self.m2)[i]):g} kg")
            for name, form in shown.items():
                if np.size(getattr(self, name)) > 1:
                    text.append(form.format(float(getattr(self, name)[i])))
            for name, (factor, form) in scaled.items():
                if np.size(getattr(self, name)) > 1:
                    text.append(form.format(factor * float(getattr(self, name)[i])))
            if len(self.body_1) > 1:
                text.append(f"{type(self.body_1[i]).__name__} on {type(self.body_2[i]).__name__}".lower())
        return [", ".join(text) or "single case" for text in texts]

    def summary(self, data: xr.Dataset) -> str:
        """Return errors of force, penetration and speed by case, one column per delay, and resolution warnings."""
        lines, labels = [], self.labels(data)
        head = " " * 34 + "".join(f"{1e3 * d:9.3g}" for d in data.delay.values)
        for name, what in (
            ("force_error", "peak force"),
            ("depth_error", "peak penetration"),
            ("velocity_error", "speed"),
        ):
            lines += [f"error of the {what} [%], columns: total robot delay [ms]", head]
            for i, label in enumerate(labels):
                lines.append(
                    f"  {label:<32}"
                    + "".join(" " * 8 + "-" if np.isnan(v) else f"{v:9.2f}" for v in data[name].values[i])
                )
        lines.append(
            "reference: "
            + "; ".join(
                f"{label}: {float(data.ideal_peak_force[i]):.0f} N, {1e6 * float(data.ideal_peak_depth[i]):.1f} um, "
                f"{1e3 * float(data.ideal_duration[i]):.2f} ms"
                for i, label in enumerate(labels)
            )
        )
        steps = np.broadcast_to(np.ravel(self.resolution), (self.cases,))
        for label, step, depth in zip(labels, steps, data.ideal_peak_depth.values, strict=True):
            if step > 0.1 * depth:
                lines.append(
                    f"warning: {label}: the resolution ({1e6 * step:.3g} um) is more than 10 % of the penetration "
                    f"({1e6 * depth:.3g} um); signals are distorted and errors are not reliable"
                )
        return "\n".join(lines)


@eqx.filter_jit
def _sweep(settings: FirstImpactSweep, lists, delays):
    pair = settings.bodies

    def case(values):
        a, b = values["m1"] / pair.first.mass, values["m2"] / pair.second.mass
        forward = pair.velocity / jnp.linalg.norm(pair.velocity)
        bodies = eqx.tree_at(
            lambda p: (p.first.mass, p.first.inertia, p.second.mass, p.second.inertia, p.velocity),
            pair,
            (
                values["m1"],
                a * pair.first.inertia,
                values["m2"],
                b * pair.second.inertia,
                values["speed"] * forward,
            ),
        )
        law = eqx.tree_at(lambda law: law.stiffness, settings.law, ConstantStiffness(values["stiffness"]))
        ball = BallInCavity(settings.cavity, law, settings.friction, settings.radius)

        def rig(delay):
            step, force = values["resolution"], values["sensor_resolution"]
            tools = SixAxisInstruments(delay, values["sensor_delay"], 0.7, step, step, force, force)
            return first(tools)

        def first(tools: SixAxisInstruments | None = None):
            docking = DockingSystem.of(bodies, ball, tools, settings.contact_step)
            step = docking.contact_step / settings.refinement
            return _first(dataclasses.replace(docking, contact_step=step), settings.duration)

        return first(), jax.vmap(rig)(delays)

    return jax.vmap(case)(lists)


class FirstContactState(MonitorState):
    """Outcome, and whether there was contact."""

    touched: Bool[Array, ""]


class FirstContactMonitor(Monitor):
    """Ends a docking after its first contact as well."""

    docking: DockingMonitor

    def start(self, shown: Signals) -> tuple[FirstContactState, Signals]:
        m, shown = self.docking.start(shown)
        return FirstContactState(m.code, m.sample, jnp.array(False)), shown

    def step(
        self, t: Time, h: Time, m: FirstContactState, shown: Signals
    ) -> tuple[FirstContactState, Signals]:
        ended, shown = self.docking.step(t, h, m, shown)
        touching = shown["penetration"] > 0
        code = jnp.where(m.touched & ~touching, REBOUND, ended.code)
        return FirstContactState(code, ended.sample, m.touched | touching), shown


class FirstContact(eqx.Module):
    """Measures of the first contact."""

    peak_force: Float[Array, ""]  # [N] along the normal
    peak_depth: Float[Array, ""]  # [m]
    force_integral: Float[Array, ""]  # [N s]
    depth_integral: Float[Array, ""]  # [m s]
    start: Float[Array, ""]  # [s]; NaN before the contact
    duration: Float[Array, ""]  # [s]; NaN before its end
    speed_out: Float[Array, ""]  # [m/s] penetration rate of the bodies at the end; NaN before it


class MeasureFirstContact(Keep):
    """Measures the first contact, and keeps no rows."""

    def start(self, shown: Signals) -> FirstContact:
        zero, never = jnp.zeros(()), jnp.asarray(jnp.nan)
        return FirstContact(zero, zero, zero, zero, never, never, never)

    def row(self, kept: FirstContact, t: Time, h: Time, shown: Signals) -> tuple[FirstContact, Signals]:
        depth = shown["penetration"]
        touching = depth > 0
        began = touching & jnp.isnan(kept.start)
        # time of zero crossing = depth/rate before the sample: exact for free motion outside the contact
        crossed = jnp.clip(t - depth / jnp.where(shown["rate"] == 0, 1.0, shown["rate"]), t - h, t)
        start = jnp.where(began, crossed, kept.start)
        over = ~jnp.isnan(start) & ~touching
        force = jnp.where(touching, shown["normal_force"], 0.0)
        inside = jnp.where(touching, depth, 0.0)
        contact = FirstContact(
            peak_force=jnp.maximum(kept.peak_force, force),
            peak_depth=jnp.maximum(kept.peak_depth, inside),
            force_integral=kept.force_integral + h * force,
            depth_integral=kept.depth_integral + h * inside,
            start=start,
            duration=jnp.where(over, crossed - start, kept.duration),
            speed_out=jnp.where(over, shown["body_rate"], kept.speed_out),
        )
        return contact, {}


def _first(docking: DockingSystem, until: Time) -> dict[str, jax.Array]:
    """Return the measures of the first contact; NaN if it did not begin and end in time."""
    monitor = FirstContactMonitor(docking.monitor)
    contact = advance_to_end(docking, monitor, MeasureFirstContact(), until).kept
    ended = ~jnp.isnan(contact.speed_out)
    return {name: jnp.where(ended, getattr(contact, name), jnp.nan) for name in MEASURES}
