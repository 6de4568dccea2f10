"""Pictures of a docking: the probe's way in the drogue, impacts in time, energies, and the outlines to move.

Plain matplotlib axes in, drawn axes out; whoever calls decides on style and page.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import xarray as xr

from dovetail.mechanics.bodies.free_bodies import from_motion
from dovetail.mechanics.geometry import Drogue
from dovetail.mechanics.spatial import Pose, euler
from dovetail.specimens.probe_in_drogue import ProbeInDrogue
from dovetail.studies.docking.docking_record import DockingRecord

GREY, BLUE, ORANGE, GREEN, INK = "#9aa1a9", "#0072b2", "#d55e00", "#009e73", "#20252b"


def wall(drogue: Drogue) -> tuple[np.ndarray, np.ndarray]:
    """The drogue's profile: distance from the bottom and radius [m], from the bottom's middle to the mouth."""
    x = [0.0, 0.0, float(drogue.cylinder_length), float(drogue.mouth)]
    r = [0.0, float(drogue.cylinder_radius), float(drogue.cylinder_radius), float(drogue.mouth_radius)]
    return np.array(x), np.array(r)


def trajectory(axes: Any, record: DockingRecord, drogue: Drogue, radius: float, colour: str = BLUE) -> None:
    """The way of the tip's centre in the drogue, from the side, with a dot at each impact [mm]."""
    x, r = wall(drogue)
    for side in (-1, 1):
        axes.plot(1e3 * x, 1e3 * side * r, color=INK, lw=1.4)
        # where the centre is when the tip touches
        axes.plot(
            1e3 * x[2:],
            1e3 * side * (r[2:] - radius / np.cos(float(drogue.half_angle))),
            color=GREY,
            lw=0.8,
            ls=":",
        )
    way = 1e3 * record.traces["position"]
    axes.plot(way[:, 0], way[:, 2], color=colour, lw=1.2)
    for k, impact in enumerate(record.impacts):
        at = np.searchsorted(record.time, impact.start)
        axes.plot(way[at, 0], way[at, 2], "o", ms=4, color=colour)
        axes.annotate(
            str(k + 1), (way[at, 0], way[at, 2]), xytext=(4, 3), textcoords="offset points", fontsize=10
        )
    axes.plot(way[0, 0], way[0, 2], "s", ms=4, color=INK)
    axes.set(xlabel="from the bottom of the drogue, x [mm]", ylabel="height z [mm]", aspect="equal")


def energies(axes: Any, record: DockingRecord) -> None:
    """Kinetic energy, the two heats and their sum in time [J]."""
    r = record.traces
    for name, label, colour in (
        ("kinetic", "kinetic", BLUE),
        ("impact_heat", "lost in impacts", ORANGE),
        ("friction_heat", "lost in friction", GREEN),
    ):
        axes.plot(record.time, r[name], color=colour, lw=1.2, label=label)
    axes.plot(record.time, record.balance, color=INK, lw=1.6, label="balance")
    axes.set(xlabel="time [s]", ylabel="energy [J]")


def first_impact(axes: Any, ideal: DockingRecord, rig: DockingRecord) -> None:
    """Force, depth and speed of the first impact, ideal and on the rig, and the differences; axes (2, 3)."""
    start, length = ideal.first.start, max(ideal.first.duration, rig.first.duration)
    t = np.linspace(start - 0.1 * length, start + 1.3 * length, 800)
    for column, (name, factor, label) in zip(
        axes.T,
        (
            ("felt_force", 1.0, "force [N]"),
            ("depth", 1e6, "depth [µm]"),
            ("body_rate", 1e3, "approach [mm/s]"),
        ),
        strict=True,
    ):
        both = [factor * np.interp(t, one.time, one.traces[name]) for one in (ideal, rig)]
        column[0].plot(1e3 * (t - start), both[0], color=GREY, lw=2.6, label="ideal")
        column[0].plot(1e3 * (t - start), both[1], color=ORANGE, lw=1.3, label="through robot and sensor")
        column[1].plot(1e3 * (t - start), both[1] - both[0], color=INK, lw=1.2)
        column[0].set(ylabel=label)
        column[1].set(ylabel=f"error of the {label}", xlabel="time from touch [ms]")
    axes[0, 1].set_ylim(-40, None)


def poses(specimen: ProbeInDrogue, displacement: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotations (n, 3, 3) and positions (n, 3) [m] of the tip's frame in D, from a run's displacement (n, 6)."""
    home = Pose(euler.to_matrix(specimen.home_euler), specimen.home)

    @jax.jit
    @jax.vmap
    def placed(motion):
        pose, _ = from_motion(home, motion, jnp.zeros(6))
        return pose.R, pose.p

    R, p = placed(jnp.asarray(displacement))
    return np.asarray(R), np.asarray(p)


def sampled(data: xr.Dataset, times: np.ndarray) -> np.ndarray:
    """Displacement of a run at given times (n, 6); that of its end after it."""
    k = np.clip(np.searchsorted(data.time.values, times), 0, data.sizes["time"] - 1)
    return data["displacement"].values[k]


def impact_notes(data: xr.Dataset, times: np.ndarray) -> list[str]:
    """A line for each time: impacts so far, and the energy against that at the start."""
    touching = data["depth"].values > 0
    starts = data.time.values[1:][touching[1:] & ~touching[:-1]]
    names = ("kinetic_energy", "contact_energy", "contact_heat", "friction_heat")
    total = np.sum([data[name].values for name in names], axis=0)
    ratio = total / total[0]
    k = np.clip(np.searchsorted(data.time.values, times), 0, len(ratio) - 1)
    texts = [
        f"impact {np.sum(starts <= t)}, energy {ratio[i]:.2f} of the initial"
        for t, i in zip(times, k, strict=True)
    ]
    end = float(data.time[-1])
    return [f"{text}, left" if t > end + 1e-9 else text for text, t in zip(texts, times, strict=True)]


__all__ = ["energies", "first_impact", "impact_notes", "poses", "sampled", "trajectory", "wall"]
