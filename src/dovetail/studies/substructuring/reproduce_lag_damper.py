"""Helicopter lag damper: published values of chapter 6 of Wallace's thesis, recomputed, R32 to R38.

The source withholds blade and damper, so the surrogate of `blade_surrogate.toml` stands in for them; targets
that depend on what was chosen there are declared as fitted.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import xarray as xr
from scipy.integrate import solve_ivp

from dovetail.air.rotor import piston_velocity
from dovetail.compensation import FirstOrderInverse
from dovetail.core import RK4
from dovetail.core.block import respond
from dovetail.stability import damper_modes
from dovetail.studies.registry import load
from dovetail.studies.substructuring.lag_damper import half_stroke, surrogate
from dovetail.testing import ReferenceSettings, Test
from dovetail.testing.excitation import Sweep
from dovetail.transfer.identification import fit_transfer_function

# VDAMPX of appendix B, its 29 terms: sign, factors, the rate and the coordinate it multiplies. s and c are
# sine and cosine; B, Z, T, D, G the angles beta, zeta, theta, delta, gamma
VDAMPX = """
- sD sZ cB cG cT Bd y, + sD cB cG cT Td y, + sD cB cG cZ Bd x, + sT sZ cB cG cD Td y, + sT cB cG cD cZ Zd z,
- sT cB cG cD Bd y, + sZ cB cG cD cT Td z, - sZ cB cG cD Zd x, - cB cG cD cT cZ Zd y, - cB cG cD cT Bd z,
+ sB sD sT sZ cG Td y, + sB sD sT cG cZ Zd z, - sB sD sT cG Bd y, + sB sD sZ cG cT Td z, - sB sD sZ cG Zd x,
- sB sD cG cT cZ Zd y, - sB sD cG cT Bd z, - sB sT sZ cG cD Bd z, + sB sT cG cD Td z, + sB sZ cG cD cT Bd y,
- sB cG cD cT Td y, - sB cG cD cZ Bd x, + sG sT sZ Zd z, - sG sT cZ Td y, - sG sZ cT Zd y, - sG cT cZ Td z,
+ sG cZ Zd x, + sD sT sZ cB cG Bd z, - sD sT cB cG Td z
"""


def half_strokes() -> list[float]:
    """R32 [mm]."""
    return [1e3 * half_stroke(1e-3 * v) for v in surrogate()["printed"]["identification_speeds"]]


def lost_compensation() -> float:
    """R33: delay [s] at the rotor's frequency by which the detuned inverse leads less."""
    omega = 2 * np.pi * surrogate()["printed"]["rotor_frequency"]
    leads = [np.angle(complex(inverse.response(omega, 1e-3))) / omega for inverse in _inverses()]
    return float(leads[0] - leads[1])


def _inverses() -> tuple[FirstOrderInverse, FirstOrderInverse]:
    printed = surrogate()["printed"]
    return (
        FirstOrderInverse(a0=printed["identified_pole"], b=printed["identified_gain"]),
        FirstOrderInverse(a0=printed["detuned_pole"], b=printed["detuned_gain"]),
    )


def identified_actuator(duration: float = 60.0) -> list[float]:
    """R33-actuator: gain and pole [1/s] of the best first-order model of a simulated sweep."""
    dt, amplitude = 1e-3, 5e-3  # [s, m]
    rig: Any = load("substructuring/lag-damper").rig
    actuator = rig.actuator.with_sample_time(dt)
    sweep = Sweep(amplitude=amplitude, start_frequency=0.0, end_frequency=10.0, duration=duration)

    @jax.jit
    def followed(times):
        demand = jax.vmap(sweep)(times)
        return demand, respond(actuator, dt, demand)

    demand, measured = followed(np.arange(round(duration / dt)) * dt)
    model = fit_transfer_function(np.asarray(demand), np.asarray(measured), dt, poles=1, delay=0.0)
    return [float(model.numerator[0]), float(model.denominator[1])]


def printed_piston_velocity(
    angles: dict[str, float], rates: dict[str, float], arm: dict[str, float]
) -> float:
    """VDAMPX as appendix B prints it."""
    total = 0.0
    for term in VDAMPX.replace("\n", " ").split(","):
        sign, *factors, rate, coordinate = term.split()
        value = rates[rate[0]] * arm[coordinate] * (1.0 if sign == "+" else -1.0)
        for factor in factors:
            value *= {"s": np.sin, "c": np.cos}[factor[0]](angles[factor[1]])
        total += value
    return total


def piston_velocity_identity() -> float:
    """R34: largest difference between the printed terms and the product of matrices, over random angles."""
    rng = np.random.default_rng(6)
    worst, of_matrices = 0.0, jax.jit(piston_velocity)
    for _ in range(50):
        angles = dict(zip("BZTDG", rng.uniform(-np.pi, np.pi, 5), strict=True))
        rates = dict(zip("BZT", rng.normal(size=3), strict=True))
        arm = dict(zip("xyz", rng.normal(size=3), strict=True))
        product = of_matrices(
            np.array(list(arm.values())),
            tuple(angles[a] for a in "BZT"),
            tuple(rates[a] for a in "BZT"),
            angles["D"],
            angles["G"],
        )
        worst = max(worst, abs(float(product) - printed_piston_velocity(angles, rates, arm)))
    return worst


def critical_delays() -> list[float]:
    """R35: smallest critical delay [s] and the mode it belongs to, for C1 and for C2."""
    values: list[float] = []
    for slope in _slopes():
        limits = mode_limits(slope)
        values += [limits.min_delay, limits.mode + 1]
    return values


def _slopes() -> tuple[float, float]:
    assumed = surrogate()["assumed"]["ideal_damper"]
    return assumed["open_slope"] * assumed["ratio"], assumed["open_slope"]


def mode_limits(slope: float) -> damper_modes.ModeLimits:
    """Critical delays of all modes of the surrogate blade with a damper of `slope` [N s/m]."""
    blade: Any = load("substructuring/lag-damper").numerical

    @jax.jit
    def values(slope):
        omega_0 = blade.modes.omega
        return {"omega_0": omega_0, "c": 2 * blade.modes.damping * omega_0, "kappa": blade.strength(slope)}

    return damper_modes.limits(**values(slope))


def monolithic_difference(duration: float = 2.0, steps: int = 256) -> float:
    """R36: largest difference of force and velocity between substructured and monolithic, over their peaks.

    The kinks of the damper leave a fixed-step method second order, hence the many steps in a millisecond.
    """
    test = dataclasses.replace(load("substructuring/lag-damper-emulated"), duration=duration)
    emulated = _continuous(test, steps)
    force, velocity = monolithic(test, emulated.time.values)
    pairs = (emulated.feedback_force.values, force), (emulated.velocity.values, velocity)
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)


def _continuous(test: Test, steps: int) -> xr.Dataset:
    """Return the reference solution at the ticks of a 1 kHz test, with a number of integration steps per tick."""
    fine = dataclasses.replace(test, rate=test.rate * steps)  # one step a record compiles fastest
    return fine.reference(ReferenceSettings(RK4(), 1)).data.isel(time=slice(None, None, steps))


def monolithic(test: Test, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Damper force [N] and piston velocity [m/s] of blade and ideal damper as one system, by SciPy."""
    whole: Any = test
    blade, damper = whole.numerical, whole.rig.specimen
    modes, p = blade.modes, np.asarray(blade.participation)
    w = np.asarray(modes.omega)
    friction, inertia = 2 * np.asarray(modes.damping) * w, np.asarray(modes.inertia)
    c, speed = np.asarray(modes.forcing), float(modes.rotor_speed)
    c1, c2, knee = (float(v) for v in (damper.closed_slope, damper.open_slope, damper.opening_force))
    harmonics = np.arange(1, c.shape[1] // 2 + 1)

    def resisting(v):
        steep = np.where(np.abs(v) * c1 <= knee, c1 * v, np.sign(v) * (knee + c2 * (np.abs(v) - knee / c1)))
        return -steep

    def rate(t, y):
        phi, dphi = y[:8], y[8:]
        angle = harmonics * speed * t
        load = c[:, 0] - c[:, 1::2] @ np.cos(angle) - c[:, 2::2] @ np.sin(angle)
        push = (load + p * resisting(p @ dphi)) / inertia
        return np.concatenate([dphi, push - friction * dphi - w**2 * phi])

    start, span = np.zeros(16), (0.0, times[-1])
    solution = solve_ivp(rate, span, start, method="LSODA", t_eval=times, rtol=1e-10, atol=1e-13)
    velocity = p @ solution.y[8:]
    return resisting(velocity), velocity


def discretisation_artefact() -> list[bool]:
    """R37: held over 1 ms the force rings above the modes; in continuous time and held over 1/8 ms not."""
    test = load("substructuring/lag-damper-emulated")
    ideal = _ringing(_continuous(test, 16))
    held = _ringing(test.rehearse().data)
    finer = _ringing(dataclasses.replace(test, rate=8000.0).rehearse().data)
    return [held > 10 * ideal, finer < 2 * ideal]


def _ringing(data: xr.Dataset) -> float:
    """Root mean square of the velocity [m/s] above 60 Hz, where the blade has no mode, over the last 2 s."""
    data = data.sel(time=slice(float(data.time[-1]) - 2.0, None))
    v = data.velocity.values * np.hanning(data.sizes["time"])
    lines = np.fft.rfft(v - v.mean())
    high = np.fft.rfftfreq(len(v), float(data.time[1] - data.time[0])) > 60.0
    return float(np.sqrt(np.sum(np.abs(lines[high]) ** 2)) / len(v))


def blending() -> list[str]:
    """R38: end of the test with the matched inverse, the detuned one, and that one without feedback."""
    detuned = load("substructuring/lag-damper-detuned")
    simulated = dataclasses.replace(detuned, schedule={})
    ends: list[Callable[[], Test]] = [
        lambda: load("substructuring/lag-damper"),
        lambda: detuned,
        lambda: simulated,
    ]
    return ["finished" if make().rehearse().outcome.completed else "stopped" for make in ends]
