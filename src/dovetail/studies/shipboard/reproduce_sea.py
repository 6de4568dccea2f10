"""The sea: that a synthetic sea has the statistics of its spectrum, and that a deck is a rigid body."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from dovetail.core.random import assign_keys
from dovetail.mechanics.airframe import ReducedAircraft, deck_motion
from dovetail.mechanics.motion import HarmonicMotion
from dovetail.mechanics.spatial import quaternion
from dovetail.sea import BoxShip, Bretschneider, Jonswap, Seaway, find_waves, sea_state
from dovetail.studies.registry import find_test
from dovetail.testing.test_file import parse

T = np.arange(0.0, 3 * 3600.0, 0.5)  # [s] three hours


def _sea(**fields) -> Seaway:
    return assign_keys(Seaway(**({"wave_count": 512} | fields)), jax.random.key(7))


def _six() -> dict:
    height, period, _ = sea_state(6)
    return {"height": height, "period": period}


_components = eqx.filter_jit(Seaway.components)


@eqx.filter_jit
def _elevation(sea: Seaway, t: jax.Array | np.ndarray) -> jax.Array:
    return jax.vmap(sea.elevation)(jnp.asarray(t))


@eqx.filter_jit
def _moved(sea: Seaway, t: jax.Array | np.ndarray) -> tuple[jax.Array, jax.Array]:
    """Six motions in time, and their deviation by the spectrum."""
    return jax.vmap(sea.pose)(t), sea.deviation()


def _of_six(kind: str) -> Seaway:
    spectrum = {"jonswap": Jonswap, "bretschneider": Bretschneider}[kind](**_six())
    return _sea(spectrum=spectrum)


@cache
def _record(kind: str) -> np.ndarray:
    return np.asarray(_elevation(_of_six(kind), T))


def significant_height() -> list[float]:
    """Four standard deviations [m] of three hours of sea state 6, JONSWAP and Bretschneider."""
    return [float(4 * _record(kind).std()) for kind in ("jonswap", "bretschneider")]


def zero_crossing() -> list[float]:
    """Mean period between upward crossings over that of the moments of the waves, both spectra."""
    ratios = []
    for kind in ("jonswap", "bretschneider"):
        omega, a, _, _ = map(np.asarray, _components(_of_six(kind)))
        m0, m2 = (float(np.sum(0.5 * a**2 * omega**n)) for n in (0, 2))
        ratios.append(find_waves(T, _record(kind)).mean_period / (2 * np.pi * np.sqrt(m0 / m2)))
    return ratios


def rayleigh() -> float:
    """Kolmogorov's distance of wave heights of a narrow sea from Rayleigh's law."""
    narrow = _sea(
        spectrum=Jonswap(height=5.0, period=12.4, enhancement=20.0),
        min_frequency_ratio=0.7,
        max_frequency_ratio=1.7,
    )
    return find_waves(T, np.asarray(_elevation(narrow, T))).rayleigh_distance()


def rigid_body() -> float:
    """Largest defect [m/s^2] of the acceleration of a landing spot as a rigid body's, over a minute."""
    ship = _sea(spectrum=Jonswap(**_six()), response=BoxShip(), heading=2.2, speed=6.0, wave_count=64)
    r = jnp.array([-45.0, 2.0, 6.0])

    def defect(t):
        point, s = ship.point(t, r), ship.state(t)
        arm, w = s.pose.R @ r, s.twist.w
        rigid = s.rate.v + jnp.cross(s.rate.w, arm) + jnp.cross(w, jnp.cross(w, arm))
        return jnp.max(jnp.abs(point.acceleration - rigid))

    return float(np.asarray(jax.jit(jax.vmap(defect))(np.arange(0.0, 60.0))).max())


def response_spectrum() -> float:
    """Largest relative error of the six motions' deviation in a record against the spectrum of the response."""
    ship = _sea(spectrum=Jonswap(**_six()), response=BoxShip(), heading=2.2, speed=6.0)
    motion, deviation = map(np.asarray, _moved(ship, T))
    return float(np.max(np.abs(motion.std(0)[:5] / deviation[:5] - 1)))


# the reduced aircraft of the envelope against the whole one

HEIGHT = 6.0  # [m] of the deck above the ship's origin
DECK: dict[str, Any] = {
    "amplitude": [0.0, 0.8, 1.5, 0.25, 0.0, 0.0],
    "omega": 0.63,
    "fade_in_time": 4.0,
}  # [m, rad], [rad/s], [s]
BRISTLES = {"stiffness": 3e3, "mu_kinetic": 0.4, "mu_static": 0.9, "damping": 600.0, "stribeck_speed": 1e-3}


@cache
def _whole_and_reduced(duration: float = 12.0) -> tuple[np.ndarray, np.ndarray]:
    """Loads of left and right foot [N] and roll from the deck [rad], (times, 3), of both models on a rolling deck."""
    table = tomllib.loads(find_test("shipboard/case-1").read_text("utf-8"))
    system = table["numerical"]
    top, bottom = HEIGHT, HEIGHT - 2.0
    deck = {
        "kind": "platform",
        "name": "ship",
        "body": {"kind": "polygon", "vertices": [[-5.0, top], [5.0, top], [5.0, bottom], [-5.0, bottom]]},
        "motion": {"kind": "harmonic-motion"} | DECK,
    }
    system |= {"platforms": [deck], "initial_pose": [0.0, top + 0.4501, 0.0]}
    system["friction"] = {"kind": "bristle-friction"} | BRISTLES
    table |= {"duration": f"{duration} s", "rate": "20 Hz"}
    data = parse(table, "whole").simulate().data
    t = data.time.values
    level, reduced = map(np.asarray, _reduced(HarmonicMotion(**DECK), ReducedAircraft(secured=0.0), t))
    roll = data["attitude_angles"].values.reshape(len(t)) - level
    whole = np.column_stack([data["pair_normal_force"].values.reshape(len(t), 2), roll])
    return whole[1:], reduced


@eqx.filter_jit
def _reduced(ship: HarmonicMotion, body: ReducedAircraft, t: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Roll of the deck (times,), and what `_whole_and_reduced` returns of the reduced aircraft."""
    spot = jnp.array([0.0, 0.0, HEIGHT])
    deck = jax.vmap(lambda t: deck_motion(ship, t, spot, jnp.zeros(3)))(t)

    _, trace = body.run(deck, 0.05, 10)
    R, normal = jax.vmap(quaternion.to_matrix)(trace["attitude"]), trace["foot_load"]
    roll = jnp.arctan2(R[:, 2, 1], R[:, 2, 2])
    reduced = jnp.stack([normal[:, 1] + normal[:, 3], normal[:, 0] + normal[:, 2], roll], 1)
    return jax.vmap(ship.pose)(t)[:, 3], reduced


def reduced_aircraft() -> list[float]:
    """Largest relative error of the feet's peak loads, of the peak roll, and of a foot's load in the mean square.

    After two seconds, when the whole one has settled.
    """
    whole, reduced = (v[40:] for v in _whole_and_reduced())
    peak = np.abs(np.abs(reduced).max(0) / np.abs(whole).max(0) - 1)
    spread = np.sqrt(np.mean((reduced - whole) ** 2, 0)) / whole.std(0)
    return [float(peak[:2].max()), float(peak[2]), float(spread[:2].max())]
