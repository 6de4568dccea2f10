r"""One impact through instruments with noise, sampled as a real-time computer would: what a test records.

The loop of `contact_loop` in steps of a fixed size, with the displacement's noise added where the contact law
sees it and the force's where the bodies do, held over each step, and the contact detected above a threshold
of the measured force [Bondoky 2020, secs 8.2.4 and 8.3.1]. Noise lifts peaks: the largest of many noisy
samples is above the peak of the mean.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core.randomness import seeded
from dovetail.mechanics.contact import NormalLaw
from dovetail.studies.docking.contact_loop import Instruments
from dovetail.transfer import ShapedNoise


class NoisyImpact(eqx.Module):
    """Peaks and rebound of a recorded impact."""

    peak_force: jax.Array  # [N] of the contact
    peak_depth: jax.Array  # [m]
    rebound: jax.Array  # [m/s] at the end of the time looked at
    duration: jax.Array  # [s] from the first to the last sample in contact


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
    """An impact of a reduced mass [kg] at a speed [m/s], `approach` seconds of steady flight before it.

    Rounding of the instruments is left out: the noise is larger.
    """
    noises = seeded((position_noise.sampled_at(dt), force_noise.sampled_at(dt)), key)
    wa, wf = tools.actuator_omega, tools.sensor_omega
    ca, cf = 2 * tools.actuator_damping * wa, 2 * tools.sensor_damping * wf
    mass, speed = jnp.asarray(mass, float), jnp.asarray(speed, float)

    def rates(x, shift, error):
        z, v, y, w, f, g = x
        felt = law.force(y + shift, w, speed)
        read = f + error
        used = jnp.where(read > threshold, read, 0.0)
        return (
            v,
            -used / mass,
            w,
            wa**2 * (z - y) - ca * w,
            g,
            wf**2 * (felt - f) - cf * g,
        )

    def advance(carry, k):
        x, (first, second), (force, depth, begin, end) = carry
        first, shift = noises[0].step(0.0, dt, first, jnp.zeros(()))
        second, error = noises[1].step(0.0, dt, second, jnp.zeros(()))

        def at(rate, share):
            return tuple(a + share * b for a, b in zip(x, rate, strict=True))

        k1 = rates(x, shift, error)
        k2 = rates(at(k1, dt / 2), shift, error)
        k3 = rates(at(k2, dt / 2), shift, error)
        k4 = rates(at(k3, dt), shift, error)
        total = tuple((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        x = at(total, dt)
        seen = x[2] + shift
        touching = seen > 0
        marks = (
            jnp.maximum(force, law.force(seen, x[3], speed)),
            jnp.maximum(depth, seen),
            jnp.where(touching & jnp.isnan(begin), k * dt, begin),
            jnp.where(touching, k * dt, end),
        )
        return (x, (first, second), marks), None

    zero, none = jnp.zeros_like(mass * speed), jnp.full_like(mass * speed, jnp.nan)
    start = zero - speed * approach
    x0 = (start, zero + speed, start - tools.actuator_lag * speed, zero + speed, zero, zero)
    state = (x0, tuple(noise.init() for noise in noises), (zero, zero - 1.0, none, none))
    (x, _, (force, depth, begin, end)), _ = jax.lax.scan(advance, state, jnp.arange(steps))
    return NoisyImpact(force, depth, x[1], end - begin)
