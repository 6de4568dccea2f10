"""An impact as a flow, for any integrator; and whether an integrator is good enough for it.

The batch of `contact_loop` has its own fixed step. Here the same impact is a `Flow`, so it can be integrated
adaptively with the end of contact as an event, by a stiff method as the reference, or by the method and step
that a real-time computer will use; `verify` compares the last with the first.
"""

from __future__ import annotations

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import Flow, Method, kind
from dovetail.core.adaptive import Crossing, Trajectory, solve
from dovetail.mechanics.contact import NormalLaw
from dovetail.mechanics.contact.free_pair import FreePair
from dovetail.studies.docking.contact_loop import Instruments, hertz_depth


@kind("impact-flow")
class ImpactFlow(Flow):
    """One impact from touch on, through instruments: bodies, actuator, contact, sensor; nothing rounds."""

    law: NormalLaw
    bodies: FreePair
    instruments: Instruments

    def init(self):
        v, zero = self.bodies.speed, jnp.zeros_like(self.bodies.speed)
        lag = self.instruments.actuator_lag
        return {"x": lag * v, "v": v, "y": zero, "w": v, "f": zero, "g": zero}

    def derivative(self, t, x, u):
        tools = self.instruments
        wa, wf = tools.actuator_omega, tools.sensor_omega
        felt = self.law.force(x["y"], x["w"], self.bodies.speed)
        return {
            "x": x["v"],
            "v": -x["f"] / self.bodies.reduced_mass,
            "y": x["w"],
            "w": wa**2 * (x["x"] - x["y"]) - 2 * tools.actuator_damping * wa * x["w"],
            "f": x["g"],
            "g": wf**2 * (felt - x["f"]) - 2 * tools.sensor_damping * wf * x["g"],
        }

    def output(self, t, x, u):
        return {"force": x["f"], "depth": x["y"], "velocity": x["v"]}

    @property
    def longest(self) -> float:
        """Time [s] by which any contact has ended."""
        k, n = self.law.stiffness.value, self.law.exponent
        stop = hertz_depth(k, n, self.bodies.reduced_mass, self.bodies.speed) / self.bodies.speed
        return float(10 * stop + 20 * self.instruments.lag)

    def integrate(self, *, stiff: bool = False, rtol: float = 1e-9) -> Trajectory:
        """Adaptively to the end of contact, an event; `stiff` takes the implicit reference method."""
        return solve(
            self,
            0.0,
            self.longest,
            rtol=rtol,
            atol=rtol * 1e-5,
            stiff=stiff,
            events={"apart": Crossing(lambda t, x, u: x["y"], "down")},
        )


@dataclass(frozen=True)
class Verification:
    """A method and step against the adaptive reference."""

    step: float  # [s]
    duration_error: float  # [s] of the contact
    rebound_error: float  # relative, of the velocity at its end

    def acceptable(self, tolerance: float = 1e-3) -> bool:
        """Whether the rebound is right within a tolerance and the contact to two steps."""
        return abs(self.rebound_error) <= tolerance and abs(self.duration_error) <= 2 * self.step


def verify(flow: ImpactFlow, method: Method, step: float) -> Verification:
    """Compare a fixed-step method with the adaptive reference over one contact."""
    reference = flow.integrate()
    count = int(1.2 * float(reference.end_time) / step) + 2
    end, velocity = _fixed(flow, method, step, count)
    return Verification(
        step,
        float(end - reference.end_time),
        float(velocity / reference.end_state["v"] - 1),
    )


@eqx.filter_jit
def _fixed(flow: ImpactFlow, method: Method, step: float, count: int):
    def advance(carry, k):
        x, memory, end, velocity = carry
        after, memory = method.step(flow, k * step, step, x, None, memory)
        left = (after["y"] < 0) & (k > 0) & jnp.isnan(end)
        share = x["y"] / jnp.where(after["y"] == x["y"], 1.0, x["y"] - after["y"])
        end = jnp.where(left, (k + share) * step, end)
        velocity = jnp.where(left, x["v"] + share * (after["v"] - x["v"]), velocity)
        return (after, memory, end, velocity), None

    x = flow.init()
    start = (x, method.init(flow, x), jnp.array(jnp.nan), jnp.array(jnp.nan))
    (_, _, end, velocity), _ = jax.lax.scan(advance, start, jnp.arange(count))
    return end, velocity
