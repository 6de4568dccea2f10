"""Verification of an integration method and step for an impact with instruments.

The reference is the impact of `impact` from first contact, integrated with adaptive steps, explicit or implicit, with
the end of contact as an event. `verify` compares it with the method and fixed step of a real-time computer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Method
from dovetail.core.adaptive_step import Crossing, Trajectory, solve
from dovetail.core.advance import Keep, run_samples
from dovetail.core.block import Time
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


def integrate(system: CoupledImpact, *, stiff: bool = False, rtol: float = 1e-9) -> Trajectory:
    """Integrate adaptively to the end of contact, an event; `stiff` selects the implicit method."""
    bodies, law = system.numerical, system.specimen.law
    k, n = law.stiffness.value, law.exponent
    stop = hertz_depth(k, n, bodies.reduced_mass, bodies.speed) / bodies.speed
    x0 = start(system)
    lag = float(x0["numerical"]["z"] / bodies.speed)
    return solve(
        system,
        0.0,
        float(10 * stop) + 40 * lag,  # beyond the end of any contact
        x0=x0,
        rtol=rtol,
        atol=rtol * 1e-5,
        stiff=stiff,
        events={"apart": Crossing(lambda t, x, u: _depth(system, t, x), "down")},
    )


def _depth(system: CoupledImpact, t, x) -> jax.Array:
    return system.interface(t, x)["output"]["penetration"]


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
    reference = integrate(system)
    count = int(1.2 * float(reference.end_time) / step) + 2
    end, velocity = _fixed(system, method, step, count)
    return StepVerification(
        step,
        float(end - reference.end_time),
        float(velocity / reference.end_state["numerical"]["v"] - 1),
    )


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
