"""Verification of an integration method and step for an impact with instruments.

The reference is the impact of `impact` from first contact, integrated with error control by steps that end at events.
`verify` compares it with the method and fixed step of a real-time computer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import AdaptiveRungeKutta, Method
from dovetail.core.advance import run_samples
from dovetail.core.block import Time
from dovetail.core.keep import Keep
from dovetail.core.system import FlowSystem, Signals
from dovetail.studies.docking.impact import hertz_depth, touching

CoupledImpact = Any  # a `Coupled` of `FreePair` and `ImpactPair`


def start(system: CoupledImpact) -> dict[str, Any]:
    """Return the state at first contact of the specimens; the bodies are ahead by the lag of the actuator."""
    x = touching(system)
    speed, zero = system.numerical.speed, jnp.zeros(())
    behind, _ = system.actuator.continuous_model().output(0.0, x["actuator"], (zero, speed))[:2]
    arm = system.actuator.continuous_model().steady((-behind, speed, zero))
    return {**x, "numerical": {"z": -behind, "v": speed}, "actuator": arm}


@eqx.filter_jit
def release(system: CoupledImpact) -> tuple[Time, dict[str, Any]]:
    """Return time and state at the end of the contact, by steps with error control that end there."""
    bodies, law = system.numerical, system.specimen.law
    k, n = law.stiffness.value, law.exponent
    stop = hertz_depth(k, n, bodies.reduced_mass, bodies.speed) / bodies.speed
    x = start(system)
    lag = x["numerical"]["z"] / bodies.speed
    steps = AdaptiveRungeKutta()
    latest = 10 * stop + 40 * lag  # beyond the end of any contact
    events = jnp.where(
        system.guards(0.0, x, None)[0] >= 0, 2, 1
    )  # the touch, unless rounding puts it before t = 0
    t, x, _ = steps.to_event(system, 0.0, latest, x, None, steps.init(system, x), events)
    return t, x


@dataclass(frozen=True)
class StepVerification:
    """Errors of a method and step relative to the adaptive reference."""

    step: float  # [s]
    duration_error: float  # [s] error of the contact time
    rebound_error: float  # relative error of the velocity at the end of contact

    def acceptable(self, tolerance: float = 1e-3) -> bool:
        """Return True if the rebound error is within a tolerance and the duration error within two steps."""
        return abs(self.rebound_error) <= tolerance and abs(self.duration_error) <= 2 * self.step


def verify(system: CoupledImpact, method: Method, step: float) -> StepVerification:
    """Compare a fixed-step method with the adaptive reference over one contact."""
    reference_end, x = release(system)
    count = int(1.2 * float(reference_end) / step) + 2
    end, velocity = _fixed(system, method, step, count)
    return StepVerification(step, float(end - reference_end), float(velocity / x["numerical"]["v"] - 1))


class ContactEnd(eqx.Module):
    """Penetration and velocity of the last sample, and time and velocity at the end of the contact or NaN."""

    samples: jax.Array  # so far
    penetration: jax.Array  # [m]
    velocity: jax.Array  # [m/s] of the bodies
    end: jax.Array  # [s]
    end_velocity: jax.Array  # [m/s] of the bodies


class MeasureContactEnd(Keep):
    """Interpolates the end of a contact that begins at t = 0, and keeps no rows."""

    def start(self, shown: Signals) -> ContactEnd:
        never = jnp.array(jnp.nan)
        return ContactEnd(jnp.zeros((), int), shown["penetration"], shown["velocity"], never, never)

    def row(self, kept: ContactEnd, t: Time, h: Time, shown: Signals) -> tuple[ContactEnd, Signals]:
        depth, velocity = shown["penetration"], shown["velocity"]
        left = (depth < 0) & (kept.samples > 0) & jnp.isnan(kept.end)
        share = kept.penetration / jnp.where(depth == kept.penetration, 1.0, kept.penetration - depth)
        end = jnp.where(left, t - h + share * h, kept.end)
        between = kept.velocity + share * (velocity - kept.velocity)
        end_velocity = jnp.where(left, between, kept.end_velocity)
        return ContactEnd(kept.samples + 1, depth, velocity, end, end_velocity), {}


@eqx.filter_jit
def _fixed(system: CoupledImpact, method: Method, step: float, count: int) -> tuple[jax.Array, jax.Array]:
    """Return end and final velocity of a contact with fixed steps."""
    flow = FlowSystem(system, method, initial=start(system))
    contact = run_samples(flow, step, count, MeasureContactEnd())[0].kept
    return contact.end, contact.end_velocity
