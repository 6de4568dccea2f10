"""Figures of a docking: path of the probe in the drogue, impacts over time, energies, and outlines for a video.

The functions draw into matplotlib axes; style and page are set by the caller.
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
    """Return the profile of the drogue: distance from the bottom and radius [m], from the bottom to the mouth."""
    x = [0.0, 0.0, float(drogue.cylinder_length), float(drogue.mouth)]
    r = [0.0, float(drogue.cylinder_radius), float(drogue.cylinder_radius), float(drogue.mouth_radius)]
    return np.array(x), np.array(r)


def trajectory(axes: Any, record: DockingRecord, drogue: Drogue, radius: float, colour: str = BLUE) -> None:
    """Draw the path of the tip's centre in the drogue, side view, with a dot at each impact [mm]."""
    x, r = wall(drogue)
    for side in (-1, 1):
        axes.plot(1e3 * x, 1e3 * side * r, color=INK, lw=1.4)
        # position of the centre in contact
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
    """Draw kinetic energy, the two dissipated energies and the balance over time [J]."""
    r = record.traces
    for name, label, colour in (
        ("kinetic", "kinetic", BLUE),
        ("impact_heat", "dissipated in impacts", ORANGE),
        ("friction_dissipation", "dissipated by friction", GREEN),
    ):
        axes.plot(record.time, r[name], color=colour, lw=1.2, label=label)
    axes.plot(record.time, record.balance, color=INK, lw=1.6, label="balance")
    axes.set(xlabel="time [s]", ylabel="energy [J]")


def first_impact(axes: Any, ideal: DockingRecord, rig: DockingRecord) -> None:
    """Draw force, penetration and speed of the first impact, reference and rig, and differences; axes (2, 3)."""
    start, length = ideal.first.start, max(ideal.first.duration, rig.first.duration)
    t = np.linspace(start - 0.1 * length, start + 1.3 * length, 800)
    for column, (name, factor, label) in zip(
        axes.T,
        (
            ("felt_force", 1.0, "force [N]"),
            ("penetration", 1e6, "penetration [µm]"),
            ("body_rate", 1e3, "approach speed [mm/s]"),
        ),
        strict=True,
    ):
        both = [factor * np.interp(t, one.time, one.traces[name]) for one in (ideal, rig)]
        column[0].plot(1e3 * (t - start), both[0], color=GREY, lw=2.6, label="reference")
        column[0].plot(1e3 * (t - start), both[1], color=ORANGE, lw=1.3, label="with robot and sensor")
        column[1].plot(1e3 * (t - start), both[1] - both[0], color=INK, lw=1.2)
        column[0].set(ylabel=label)
        column[1].set(ylabel=f"error of {label}", xlabel="time from first contact [ms]")
    axes[0, 1].set_ylim(-40, None)


def poses(specimen: ProbeInDrogue, displacement: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rotations (n, 3, 3) and positions (n, 3) [m] of the tip's frame in D for displacements (n, 6)."""
    home = Pose(euler.to_matrix(specimen.initial_angles), specimen.initial_position)

    @jax.jit
    @jax.vmap
    def placed(motion):
        pose, _ = from_motion(home, motion, jnp.zeros(6))
        return pose.R, pose.p

    R, p = placed(jnp.asarray(displacement))
    return np.asarray(R), np.asarray(p)


def sampled(data: xr.Dataset, times: np.ndarray) -> np.ndarray:
    """Return the displacement of a run at given times (n, 6); after its end, the last value."""
    k = np.clip(np.searchsorted(data.time.values, times), 0, data.sizes["time"] - 1)
    return data["displacement"].values[k]


def impact_notes(data: xr.Dataset, times: np.ndarray) -> list[str]:
    """Return a text for each time: number of impacts, and energy relative to the initial energy."""
    touching = data["penetration"].values > 0
    starts = data.time.values[1:][touching[1:] & ~touching[:-1]]
    names = ("kinetic_energy", "contact_energy", "contact_dissipation", "friction_dissipation")
    total = np.sum([data[name].values for name in names], axis=0)
    ratio = total / total[0]
    k = np.clip(np.searchsorted(data.time.values, times), 0, len(ratio) - 1)
    texts = [
        f"impact {np.sum(starts <= t)}, energy {ratio[i]:.2f} of initial"
        for t, i in zip(times, k, strict=True)
    ]
    end = float(data.time[-1])
    return [f"{text}, separated" if t > end + 1e-9 else text for text, t in zip(texts, times, strict=True)]


__all__ = ["energies", "first_impact", "impact_notes", "poses", "sampled", "trajectory", "wall"]
