r"""Impact with noisy instruments, sampled at a fixed rate as in a recorded test.

The test of `impact` with a fixed step. Displacement noise is added at the input of the contact law, force noise at the
input of the bodies; both are constant over each step. Contact is detected above a threshold of the measured force
[Bondoky 2020, secs 8.2.4 and 8.3.1]. Noise increases peaks: the largest of many noisy samples is above the peak of
the mean.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from dovetail.core import RK4
from dovetail.core.advance import run_samples
from dovetail.core.block import Time
from dovetail.core.keep import Keep
from dovetail.core.random import assign_keys
from dovetail.core.system import Signals, System
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


class NoisyState(eqx.Module):
    """States of the impact, and of the noise of displacement and force."""

    parts: dict[str, Any]
    shift: Any
    error: Any


class NoisySystem(System):
    """Impact with noise that is constant over each step."""

    flow: Any  # a `Coupled` with a `Bias` behind the lags of actuator and sensor
    position_noise: ShapedNoise
    force_noise: ShapedNoise

    def start(self) -> tuple[NoisyState, Signals]:
        x = self.flow.init()
        # a noisy penetration crosses zero more than once: the approach speed is used for the complete impact
        x = {**x, "specimen": {**x["specimen"], "impact_speed": self.flow.numerical.speed}}
        return NoisyState(x, self.position_noise.init(), self.force_noise.init()), _signals(self.flow, 0.0, x)

    def step(self, t: Time, h: Time, x: NoisyState) -> tuple[NoisyState, Signals]:
        first, shift = self.position_noise.step(t, h, x.shift, jnp.zeros(()))
        second, error = self.force_noise.step(t, h, x.error, jnp.zeros(()))
        # a force on the bodies is negative
        now = eqx.tree_at(
            lambda flow: (flow.actuator.parts[1].offset, flow.sensor.parts[1].offset),
            self.flow,
            (shift, -error),
        )
        parts, _ = RK4().step(now, t, h, x.parts, None, ())
        return NoisyState(parts, first, second), _signals(now, t + h, parts)


def _signals(flow: Any, t: Time, x: dict[str, Any]) -> Signals:
    shown = flow.interface(t, x)["output"]
    return {"force": -shown["force"], "penetration": shown["penetration"]}


class RunningPeaks(eqx.Module):
    """Peaks so far, and the times of the first and the last sample in contact; NaN before it."""

    force: jax.Array  # [N]
    depth: jax.Array  # [m]
    begin: jax.Array  # [s]
    end: jax.Array  # [s]


class MeasurePeaks(Keep):
    """Measures the peaks and the contact, and keeps no rows."""

    def start(self, shown: Signals) -> RunningPeaks:
        zero, never = jnp.zeros(()), jnp.asarray(jnp.nan)
        return RunningPeaks(zero, zero - 1.0, never, never)

    def row(self, kept: RunningPeaks, t: Time, h: Time, shown: Signals) -> tuple[RunningPeaks, Signals]:
        touching = shown["penetration"] > 0
        return RunningPeaks(
            jnp.maximum(kept.force, shown["force"]),
            jnp.maximum(kept.depth, shown["penetration"]),
            jnp.where(touching & jnp.isnan(kept.begin), t, kept.begin),
            jnp.where(touching, t, kept.end),
        ), {}


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
    end, _ = run_samples(NoisySystem(system, *noises), dt, steps, MeasurePeaks())
    peaks, rebound = end.kept, end.x.parts["numerical"]["v"]
    return NoisyImpact(peaks.force, peaks.depth, rebound, peaks.end - peaks.begin)
