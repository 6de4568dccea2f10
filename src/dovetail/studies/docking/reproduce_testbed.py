"""Targets of the piezo testbed: identification, controller and sensors of chapter 8 and appendices A and B."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy

from dovetail.core.block import respond
from dovetail.core.random import assign_keys
from dovetail.transfer import ShapedNoise, TwoDegreesOfFreedom
from dovetail.transfer.eddy_current import laser_displacement
from dovetail.transfer.factors import pair, ratio
from dovetail.transfer.identification import fit_factors, frequency_response, resonance_damping
from dovetail.transfer.piezo import AMPLIFIER, CONTROLLER, PREFILTERS, STACK

HEIGHTS: dict[str, Any] = {  # values read from the measured response: frequencies [rad/s], magnitudes [dB]
    "zeros": [19750.0, 28990.0],
    "poles": [10700.0, 21700.0, 26960.0],
    "zero_heights": [-60.0, -60.0],
    "pole_heights": [-33.0, -44.0, -45.0],
    "gain": -50.0,
}
PLANT = AMPLIFIER * STACK


def noise_deviations() -> list[float]:
    """RT-48: standard deviation of displacement noise [um], standard deviation and mean of force noise [N]."""

    def record(part, count, dt):
        part = assign_keys(part.with_sample_time(dt), jax.random.key(0))
        return np.asarray(jax.jit(lambda zeros: respond(part, dt, zeros))(jnp.zeros(count)))

    dt = 1 / 75e3
    shift = record(ShapedNoise(0.73e-6, 2 * np.pi * 23e3), 100_000, dt)
    force = record(ShapedNoise(1.5, 2 * np.pi * 1e3, bias=0.6), 400_000, dt)
    return [1e6 * float(shift.std()), float(force.std()), float(force.mean())]


def dampings() -> list[float]:
    """RT-53: squares of the damping ratios of both zeros and the three poles."""
    zeros, poles = resonance_damping(**HEIGHTS)
    return [*map(float, zeros), *map(float, poles)]


def gains_at_rest() -> list[float]:
    """RT-54: static gain of the stack [dB] and of the complete plant [mm at full drive]."""
    return [20 * float(np.log10(np.abs(STACK(0j)))), float(np.abs(PLANT(0j)))]


def loop_stability() -> list[bool]:
    """RT-55: the PID loop is stable with a sensitivity below 3; a P loop of unit gain is barely stable."""
    pid = TwoDegreesOfFreedom(PLANT, CONTROLLER)
    p = TwoDegreesOfFreedom(PLANT, ratio([], []))
    return [pid.stable, pid.margins().sensitivity < 3.0, p.margins().sensitivity > 10.0]


def prefilter_effect() -> list[float | bool]:
    """RT-56: settling times [ms] with PID alone and with the prefilter of eq. A.18."""
    settling = [
        1e3 * TwoDegreesOfFreedom(PLANT, CONTROLLER, PREFILTERS[name]).step(20e-3).settling_time
        for name in ("none", "model")
    ]
    return [settling[0] > 4 * settling[1], settling[1]]


def identified_loop() -> list[float]:
    """RT-57: bandwidth [Hz] of 1/{0.8, 3000}."""
    identified = ratio([], [pair(0.8, 3000.0)])
    omega = np.geomspace(10.0, 1e5, 20_001)
    width = omega[np.argmax(np.abs(identified(1j * omega)) < np.sqrt(0.5))] / (2 * np.pi)
    return [float(width)]


def measured_resonances() -> list[float]:
    """RT-58: identified frequencies of both resonances, the antiresonance and the amplifier [rad/s].

    The plant of the identification data is excited with coloured noise at 200 kHz. The fit uses averaged spectra from
    drive to amplifier and from amplifier to displacement.
    """
    zeros, poles = resonance_damping(**HEIGHTS, exact=True)
    stack = ratio(
        [pair(float(np.sqrt(zeros[0])), 19750.0)],
        [pair(float(np.sqrt(poles[0])), 10700.0), pair(float(np.sqrt(poles[1])), 21700.0)],
        10**-2.5,
    )
    dt = 1 / 200e3
    rng = np.random.default_rng(0)
    u = scipy.signal.lfilter([0.3], [1, -0.7], rng.standard_normal(400_000))
    m = _through(AMPLIFIER, u, dt)
    y = _through(stack, m, dt)
    second = frequency_response(m, y, dt, segment=0.02).in_band(500.0, 4500.0)
    first = frequency_response(u, m, dt, segment=0.02).in_band(500.0, 8000.0)
    both = fit_factors(second, poles=[(0.1, 10000.0), (0.1, 22500.0)], zeros=[(0.1, 19000.0)])
    one = fit_factors(first, poles=[(0.5, 20000.0)])
    return [float(w) for w in (both.poles[0, 1], both.poles[1, 1], both.zeros[0, 1], one.poles[0, 1])]


def laser_scale() -> float:
    """RT-59: displacement per unit of the converter [mm]."""
    return 1e3 * float(laser_displacement(1.0))


def _through(system, u, dt):
    discrete = scipy.signal.cont2discrete((system.numerator, system.denominator), dt, method="foh")
    return scipy.signal.lfilter(np.ravel(discrete[0]), discrete[1], u)
