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
from dovetail.studies.docking.impact import hertz_depth, touching

System = Any  # a `Coupled` of `FreePair` and `ImpactPair`


def start(system: System) -> dict[str, Any]:
    """Return the state at first contact of the specimens; the bodies are ahead by the lag of the actuator."""
    x = touching(system)
    speed, zero = system.numerical.speed, jnp.zeros(())
    behind, _ = system.actuator.continuous_model().output(0.0, x["actuator"], (zero, speed))[:2]
    arm = system.actuator.continuous_model().steady((-behind, speed, zero))
    return {**x, "numerical": {"z": -behind, "v": speed}, "actuator": arm}


def integrate(system: System, *, stiff: bool = False, rtol: float = 1e-9) -> Trajectory:
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


def _depth(system: System, t, x) -> jax.Array:
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


def verify(system: System, method: Method, step: float) -> StepVerification:
    """Compare a fixed-step method with the adaptive reference over one contact."""
    reference = integrate(system)
    count = int(1.2 * float(reference.end_time) / step) + 2
    end, velocity = _fixed(system, method, step, count)
    return StepVerification(
        step,
        float(end - reference.end_time),
        float(velocity / reference.end_state["numerical"]["v"] - 1),
    )


@eqx.filter_jit
def _fixed(system: System, method: Method, step: float, count: int):
    def advance(carry, k):
        x, memory, y, end, velocity = carry
        after, memory = method.step(system, k * step, step, x, None, memory)
        depth = _depth(system, (k + 1) * step, after)
        left = (depth < 0) & (k > 0) & jnp.isnan(end)
        share = y / jnp.where(depth == y, 1.0, y - depth)
        end = jnp.where(left, (k + share) * step, end)
        v, w = x["numerical"]["v"], after["numerical"]["v"]
        velocity = jnp.where(left, v + share * (w - v), velocity)
        return (after, memory, depth, end, velocity), None

    x, never = start(system), jnp.array(jnp.nan)
    first = (x, method.init(system, x), _depth(system, 0.0, x), never, never)
    (_, _, _, end, velocity), _ = jax.lax.scan(advance, first, jnp.arange(count))
    return end, velocity
