"""The sea: that a synthetic sea has the statistics of its spectrum, and that a deck is a rigid body."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.randomness import seeded
from dovetail.sea import BoxShip, Bretschneider, Jonswap, Seaway, sea_state, waves

T = np.arange(0.0, 3 * 3600.0, 0.5)  # [s] three hours


def _sea(**fields) -> Seaway:
    return seeded(Seaway(**({"waves": 512} | fields)), jax.random.key(7))


def _six() -> dict:
    height, period, _ = sea_state(6)
    return {"height": height, "period": period}


@cache
def _record(kind: str) -> np.ndarray:
    spectrum = {"jonswap": Jonswap, "bretschneider": Bretschneider}[kind](**_six())
    return np.asarray(jax.jit(jax.vmap(_sea(spectrum=spectrum).elevation))(T))


def significant_height() -> list[float]:
    """Four standard deviations [m] of three hours of sea state 6, JONSWAP and Bretschneider."""
    return [float(4 * _record(kind).std()) for kind in ("jonswap", "bretschneider")]


def zero_crossing() -> list[float]:
    """Mean period between upward crossings over that of the moments of the waves, both spectra."""
    ratios = []
    for kind, spectrum in (("jonswap", Jonswap(**_six())), ("bretschneider", Bretschneider(**_six()))):
        omega, a, _, _ = _sea(spectrum=spectrum).components()
        m0, m2 = (float(jnp.sum(0.5 * a**2 * omega**n)) for n in (0, 2))
        ratios.append(waves(T, _record(kind)).mean_period / (2 * np.pi * np.sqrt(m0 / m2)))
    return ratios


def rayleigh() -> float:
    """Kolmogorov's distance of wave heights of a narrow sea from Rayleigh's law."""
    narrow = _sea(spectrum=Jonswap(height=5.0, period=12.4, enhancement=20.0), lowest=0.7, highest=1.7)
    return waves(T, np.asarray(jax.jit(jax.vmap(narrow.elevation))(T))).rayleigh_distance()


def rigid_body() -> float:
    """Largest defect [m/s^2] of the acceleration of a landing spot as a rigid body's, over a minute."""
    ship = _sea(spectrum=Jonswap(**_six()), response=BoxShip(), heading=2.2, speed=6.0, waves=64)
    r = jnp.array([-45.0, 2.0, 6.0])

    def defect(t):
        point, s = ship.point(t, r), ship.state(t)
        arm, w = s.pose.R @ r, s.twist.w
        rigid = s.rate.v + jnp.cross(s.rate.w, arm) + jnp.cross(w, jnp.cross(w, arm))
        return jnp.max(jnp.abs(point.acceleration - rigid))

    return float(jnp.max(jax.jit(jax.vmap(defect))(jnp.arange(0.0, 60.0, 1.0))))


def response_spectrum() -> float:
    """Largest relative error of the six motions' deviation in a record against the spectrum of the response."""
    ship = _sea(spectrum=Jonswap(**_six()), response=BoxShip(), heading=2.2, speed=6.0)
    motion = np.asarray(jax.jit(jax.vmap(ship.displacement))(T))
    return float(np.max(np.abs(motion.std(0)[:5] / np.asarray(ship.deviation())[:5] - 1)))
