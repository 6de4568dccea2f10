"""Targets of the drop test: a plate on a tennis ball, slow (pseudo-dynamic) and at full speed."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np

from dovetail.mechanics.drop_mass import DropMass
from dovetail.specimens.tennis_ball import TennisBall
from dovetail.studies.refuelling import drop as drops


@cache
def dropped(full_speed: bool = False) -> drops.Drop:
    """Return the drop, slow (pseudo-dynamic) or at full speed."""
    if full_speed:
        return drops.drop(TennisBall(**drops.FULL_SPEED), contact_step=1e-5)
    return drops.drop(TennisBall())


def drop_impact() -> list[float]:
    """DV-16: time [s], speed [m/s] and energy [J] of the first impact."""
    first = dropped().contacts()[0]
    return [first.start, first.speed_in, 0.5 * 6.5 * first.speed_in**2]


def drop_table() -> list[float]:
    """Start [s], peak compression [m] and peak force [N] of the first four contacts."""
    return [v for c in dropped().contacts()[:4] for v in (c.start, c.depth, c.force)]


def drop_before() -> float:
    """RT-07: largest difference of slow and full-speed drop before the first impact [m]."""
    slow, fast = dropped(), dropped(True)
    t = np.linspace(0.0, 0.17, 500)
    return float(np.abs(np.interp(t, slow.time, slow.height) - np.interp(t, fast.time, fast.height)).max())


def drop_energy() -> list[float]:
    """RT-08: time at which the full-speed drop is at rest [s]; slow drop lasts longer, and rebounds more."""
    slow, fast = dropped(), dropped(True)
    more = slow.contacts()[0].speed_out > fast.contacts()[0].speed_out
    return [fast.settled(), bool(slow.settled() > fast.settled()), bool(more)]


def drop_contacts() -> int:
    """RT-09: contacts that end in a rebound."""
    return sum(c.speed_out > 0.05 for c in dropped().contacts())


def drop_order() -> list[bool]:
    """RT-10: the full-speed force rises faster, has a higher peak, and is less symmetric."""
    slow, fast = dropped().contacts()[0], dropped(True).contacts()[0]
    return [
        fast.force / fast.peak_after > slow.force / slow.peak_after,
        fast.force > slow.force,
        fast.peak_after / fast.duration < slow.peak_after / slow.duration,
    ]


def ball_linear() -> float:
    """RT-11: compression at which the loading curve deviates from its initial slope by 2 % [m]."""
    ball, d = TennisBall(initial_position=0.067), np.linspace(1e-4, 0.06, 600)

    def squeezed(s):
        motion = {"displacement": -s, "velocity": jnp.zeros(())}
        return ball.output(0.0, ball.init(), motion)["force"]

    force = np.asarray(jax.jit(jax.vmap(squeezed))(d))
    return float(d[np.argmax(force > 1.02 * force[0] / d[0] * d)])


def peak_squeeze() -> float:
    """RT-12: peak compression of the first impact over the diameter of the ball."""
    return dropped().contacts()[0].depth / 0.067


def drop_wall_time() -> float:
    """RT-14: robot time for four contacts [min], at 2 s and 1 s per step."""
    steps = sum(c.steps for c in dropped().contacts()[:4])
    return steps * 3.0 / 60


def drop_creep() -> bool:
    """RT-13: with creep in wall time the second loading is softer than the first."""
    ball = TennisBall(initial_position=0.067, creep=0.1, creep_time=600.0)

    @jax.jit
    def force(loaded):
        squeezed = {"displacement": jnp.asarray(-0.03), "velocity": jnp.zeros(())}
        return ball.output(0.0, {**ball.init(), "loaded": loaded}, squeezed)["force"]

    return bool(float(force(536 * 3.0)) < float(force(0.0)))  # [s] duration of the first contact


def euler_gain() -> list[float]:
    """DV-18: energy that Euler's method adds to a bounce at 0.2, 0.1 and 0.01 ms."""
    return [drops.euler_gain(step) for step in (2e-4, 1e-4, 1e-5)]


def drag_found() -> float:
    """Drag identified from a fall recorded at 1500 frames per second with 0.5 mm of noise [N s/m]."""
    t = np.arange(0.0, 0.2, 1 / drops.FRAME_RATE)
    fallen, _ = DropMass().fallen(jnp.asarray(t))
    height = 0.205 - np.asarray(fallen) + 5e-4 * np.random.default_rng(0).standard_normal(t.size)
    return drops.identified_drag(t, height)
