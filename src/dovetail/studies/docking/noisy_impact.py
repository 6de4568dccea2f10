r"""Impact with noisy instruments, sampled at a fixed rate as in a recorded test.

The test of `impact` with a fixed step. Displacement noise is added at the input of the contact law, force noise at the
input of the bodies; both are constant over each step. Contact is detected above a threshold of the measured force
[Bondoky 2020, secs 8.2.4 and 8.3.1]. Noise increases peaks: the largest of many noisy samples is above the peak of
the mean.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4
from dovetail.core.random import assign_keys
from dovetail.mechanics.contact import FreePair, NormalLaw
from dovetail.specimens import ImpactPair
from dovetail.studies.docking.impact import Instruments
from dovetail.testing import Coupled
from dovetail.testing.excitation import Zero
from dovetail.transfer import Bias, Series, ShapedNoise, Threshold


class NoisyImpact(eqx.Module):
    """Peaks and rebound of a recorded impact."""

    peak_force: jax.Array  # [N] contact force
    peak_depth: jax.Array  # [m]
    rebound: jax.Array  # [m/s] at the end of the simulated time
    duration: jax.Array  # [s] from the first to the last sample in contact


@eqx.filter_jit
def noisy_impact(
    law: NormalLaw,
    mass,
    speed,
    tools: Instruments,
    *,
    position_noise: ShapedNoise,
    force_noise: ShapedNoise,
    key: jax.Array,
    dt: float = 1 / 75e3,
    steps: int = 2000,
    approach: float = 3e-3,
    threshold: float = 22.0,
) -> NoisyImpact:
    """Simulate an impact of a reduced mass [kg] at a speed [m/s] after `approach` seconds of constant speed.

    Rounding of the instruments is omitted, as the noise is larger.
    """
    noises = assign_keys((position_noise.with_sample_time(dt), force_noise.with_sample_time(dt)), key)
    mass, speed = jnp.asarray(mass, float), jnp.asarray(speed, float)
    system = Coupled(
        FreePair(2 * mass, 2 * mass, speed),
        ImpactPair(law, speed * approach),
        Zero(),
        actuator=Series((tools.actuator.parts[0], Bias(0.0))),
        sensor=Series((tools.sensor.parts[0], Bias(0.0), Threshold(threshold))),
    )

    def advance(carry, k):
        x, (first, second), (force, depth, begin, end) = carry
        first, shift = noises[0].step(0.0, dt, first, jnp.zeros(()))
        second, error = noises[1].step(0.0, dt, second, jnp.zeros(()))
        # a force on the bodies is negative
        now = eqx.tree_at(
            lambda s: (s.actuator.parts[1].offset, s.sensor.parts[1].offset), system, (shift, -error)
        )
        x, _ = RK4().step(now, k * dt, dt, x, None, ())
        shown = now.interface((k + 1) * dt, x)["output"]
        touching = shown["penetration"] > 0
        marks = (
            jnp.maximum(force, -shown["force"]),
            jnp.maximum(depth, shown["penetration"]),
            jnp.where(touching & jnp.isnan(begin), k * dt, begin),
            jnp.where(touching, k * dt, end),
        )
        return (x, (first, second), marks), None

    zero, none = jnp.zeros_like(mass * speed), jnp.full_like(mass * speed, jnp.nan)
    # a noisy penetration crosses zero more than once: the approach speed is used for the complete impact
    x = system.init()
    x = {**x, "specimen": {**x["specimen"], "impact_speed": speed}}
    state = (x, tuple(noise.init() for noise in noises), (zero, zero - 1.0, none, none))
    (x, _, (force, depth, begin, end)), _ = jax.lax.scan(advance, state, jnp.arange(steps))
    return NoisyImpact(force, depth, x["numerical"]["v"], end - begin)
