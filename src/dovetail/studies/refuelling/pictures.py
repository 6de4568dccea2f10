"""Figures of the study, with the quantities and units of the figures in the thesis.

The functions draw into matplotlib axes; style and page are set by the caller. A run is a mapping from signal names to
arrays with time along the first axis: a recorded dataset or a dictionary.

======================  ============================================================
`reel_tracking`         fig. 3.11: reeled length, speed and tracking error of the drum
`reeled_drogue`         fig. 3.12: x, z and attitude of the drogue
`hose_shapes`           fig. 3.13: shapes of the hose
`drop`                  ch. 4.1 fig. 3 a to c: trajectory, first impact, loops
`pose_error`            ch. 4.1 fig. 3 d: pose error of the robot
`trajectory`            ch. 4.2 fig. 7, ch. 5 fig. 9: drogue and ball joint
`drogue_attitude_change`               ch. 4.2 fig. 8: attitude
`wrench`                ch. 4.2 fig. 9, ch. 5 figs 6, 10: force and moment
`tension`               ch. 4.2 fig. 10, ch. 5 fig. 11: tensions; `reeled`: length
`band`                  ch. 5 fig. 3: mean and standard deviation over runs
`strain_pattern`        ch. 5 fig. 4: peak strain around the basket
`spectra`               ch. 5 fig. 5: slow and fast, over time and frequency
`sensitivity`           ch. 5 fig. 7: changes of 10 mm and of one degree
`swings`                figs C.14 to C.17: recorded and simulated swings
======================  ============================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dovetail.studies.refuelling.drop import Drop
from dovetail.studies.refuelling.validation import Strikes, spectrum

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#a5408c", "#9aa1a9")
Run = Any  # arrays by name
Runs = Mapping[str, Run]

FIGURES = {  # figures of the source, by chapter or paper, with the functions that draw them
    "3.11": ("reel_tracking",),
    "3.12": ("reeled_drogue",),
    "3.13": ("hose_shapes",),
    "4.1-3": ("drop", "pose_error"),
    "4.2-7": ("drop",),
    "4.2-8": ("trajectory", "drogue_attitude_change"),
    "4.2-9": ("wrench",),
    "4.2-10": ("tension",),
    "5-3": ("band",),
    "5-4": ("band", "strain_pattern"),
    "5-5": ("band", "spectra"),
    "5-6": ("wrench",),
    "5-7": ("sensitivity",),
    "5-9": ("trajectory", "wrench"),
    "5-11": ("tension", "reeled"),
    "C.14": ("swings",),
    "C.15": ("swings",),
    "C.16": ("swings",),
    "C.17": ("swings",),
}  # 5-8 is a drawing, 5-10 are photographs


def _values(run: Run, name: str) -> np.ndarray:
    values = np.asarray(run[name])
    return values.reshape(len(values), -1)


def _lines(axes: Any, runs: Runs, draw: Any, ylabel: str, xlabel: str = "time [s]") -> None:
    """Draw a line for each run; `draw` returns its x and y values."""
    for (label, run), colour in zip(runs.items(), COLOURS, strict=False):
        axes.plot(*draw(run), color=colour, lw=1.2, label=label)
    axes.set(xlabel=xlabel, ylabel=ylabel)


def _in_time(axes: Any, runs: Runs, name: str, ylabel: str, column: int = 0, factor: float = 1.0) -> None:
    _lines(axes, runs, lambda run: (np.asarray(run["time"]), factor * _values(run, name)[:, column]), ylabel)


def reel_tracking(axes: Any, runs: Runs) -> None:
    """Draw reeled length [m], speed [m/s] and tracking error of the drum [mm] on three axes."""
    for panel, name, label, factor in zip(
        axes,
        ("reeled_length", "reel_speed", "reel_error"),
        ("reeled length [m]", "speed [m/s]", "error [mm]"),
        (1.0, 1.0, 1e3),
        strict=True,
    ):
        _in_time(panel, runs, name, label, factor=factor)


def reeled_drogue(axes: Any, runs: Runs) -> None:
    """Draw x and height [m] and attitude [deg, nose up] of the drogue on three axes."""
    _in_time(axes[0], runs, "displacement", "x [m]")
    _in_time(axes[1], runs, "displacement", "height [m]", column=2)
    _in_time(axes[2], runs, "drogue_attitude_change", "attitude [deg]", factor=-np.degrees(1.0))


def hose_shapes(axes: Any, run: Run, times: Any) -> None:
    """Draw side views of the hose at given times [s]; later is darker."""
    clock, nodes = np.asarray(run["time"]), np.asarray(run["hose_position"])
    nodes = nodes if nodes.shape[1] == 3 else np.swapaxes(nodes, 1, 2)
    times = np.asarray(times)
    for k, t in enumerate(times):
        x, _, z = nodes[int(np.argmin(np.abs(clock - t)))]
        shade = f"{0.8 - 0.8 * k / max(1, len(times) - 1):.3f}".lstrip("-")
        axes.plot(x, z, color=shade, lw=1.0, label=f"{t:g} s")
    axes.set(xlabel="x [m]", ylabel="height [m]", aspect="equal")


def drop(axes: Any, slow: Drop, fast: Drop) -> None:
    """Draw height [mm], force of the first impact [N] and force loops of four contacts on three axes."""
    for record, label, colour in zip((slow, fast), ("slow", "full speed"), COLOURS, strict=False):
        axes[0].plot(record.time, 1e3 * record.height, color=colour, lw=1.2, label=label)
        first = record.contacts()[0]
        part = (record.time >= first.start) & (record.time <= first.start + first.duration)
        axes[1].plot(1e3 * (record.time[part] - first.start), record.force[part], color=colour, lw=1.2)
    axes[0].set(xlabel="time [s]", ylabel="height [mm]")
    axes[1].set(xlabel="time from first contact [ms]", ylabel="force [N]")
    for number, contact in enumerate(slow.contacts()[:4]):
        part = (slow.time >= contact.start) & (slow.time <= contact.start + contact.duration)
        axes[2].plot(
            1e3 * slow.depth[part], slow.force[part], lw=1.0, color=COLOURS[number], label=f"{number + 1}"
        )
    axes[2].set(xlabel="compression [mm]", ylabel="force [N]")


def pose_error(axes: Any, error: Run) -> None:
    """Draw the position error of the robot in contact [um] and the published value (dashed)."""
    axes.plot(error["time"], 1e6 * np.asarray(error["translation"]), color=COLOURS[0], lw=0.8)
    axes.axhline(50.0, color=COLOURS[-1], lw=1.0, ls="--")
    axes.set(xlabel="time [s]", ylabel="position error [µm]")


def trajectory(axes: Any, runs: Runs) -> None:
    """Draw centre of mass (solid) and ball joint (dashed) in the vertical plane, relative to steady flight [mm]."""
    for (label, run), colour in zip(runs.items(), COLOURS, strict=False):
        for name, style in (("drogue_position", "-"), ("ball_joint_position", "--")):
            moved = 1e3 * (_values(run, name) - _values(run, name)[0])
            axes.plot(
                moved[:, 0], moved[:, 2], style, color=colour, lw=1.2, label=label if style == "-" else None
            )
    axes.set(xlabel="forward [mm]", ylabel="up [mm]")


def drogue_attitude_change(axes: Any, runs: Runs) -> None:
    """Draw the attitude about y relative to steady flight [deg], nose up."""
    _in_time(axes, runs, "drogue_attitude_change", "attitude change [deg]", factor=-np.degrees(1.0))


def wrench(axes: Any, runs: Runs) -> None:
    """Draw magnitudes of contact force [N] and moment [N m] on two axes."""

    def size(columns):
        return lambda run: (
            np.asarray(run["time"]),
            np.linalg.norm(_values(run, "force")[:, columns], axis=1),
        )

    _lines(axes[0], runs, size(slice(0, 3)), "force [N]")
    _lines(axes[1], runs, size(slice(3, 6)), "moment [N m]")


def tension(axes: Any, runs: Runs) -> None:
    """Draw the tension at the end of the hose and at the tow point [N] on two axes."""
    _in_time(axes[0], runs, "end_tension", "hose end [N]")
    _in_time(axes[1], runs, "tow_tension", "tow point [N]")


def reeled(axes: Any, runs: Runs) -> None:
    """Draw the reeled length of hose [mm]."""
    _in_time(axes, runs, "reeled_length", "reeled length [mm]", factor=1e3)


def band(axes: Any, time: np.ndarray, values: np.ndarray, label: str, colour: str = COLOURS[0]) -> None:
    """Draw the mean of runs (runs, time) with a band of one standard deviation."""
    middle, spread = values.mean(axis=0), values.std(axis=0, ddof=1)
    axes.fill_between(time, middle - spread, middle + spread, color=colour, alpha=0.3, lw=0)
    axes.plot(time, middle, color=colour, lw=1.2, label=label)
    axes.set(xlabel="time [s]")


def strain_pattern(axes: Any, peaks: Mapping[str, np.ndarray]) -> None:
    """Draw peak strain (ribs,) [1e-6] around the basket on polar axes, the struck rib at the top."""
    for (label, values), colour in zip(peaks.items(), COLOURS, strict=False):
        azimuth = 2 * np.pi * np.arange(len(values) + 1) / len(values)
        axes.plot(azimuth, 1e6 * np.append(values, values[0]), color=colour, lw=1.2, label=label)
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)


def spectra(axes: Any, slow: Strikes, fast: Strikes, upto: float = 10.0) -> None:
    """Draw lateral motion over time [mm] and its spectrum [mm] up to a frequency [Hz] on two axes."""
    for record, label, colour in zip((slow, fast), ("slow", "full speed"), COLOURS, strict=False):
        axes[0].plot(
            record.time, 1e3 * record.position[:, :, 0].mean(axis=0), color=colour, lw=1.2, label=label
        )
        f, amplitude = spectrum(record)
        shown = f <= upto
        axes[1].semilogy(f[shown], 1e3 * amplitude[shown], color=colour, lw=1.2, label=label)
    axes[0].set(xlabel="time [s]", ylabel="lateral position [mm]")
    axes[1].set(xlabel="frequency [Hz]", ylabel="amplitude [mm]")


def sensitivity(axes: Any, time: np.ndarray, moved: Mapping[str, np.ndarray]) -> None:
    """Draw the lateral motion (time,) [m] of a strike and of perturbed strikes, in mm."""
    for (label, values), colour in zip(moved.items(), COLOURS, strict=False):
        axes.plot(time, 1e3 * values, color=colour, lw=1.2, label=label)
    axes.set(xlabel="time [s]", ylabel="lateral position [mm]")


def swings(axes: Any, time: np.ndarray, recorded: np.ndarray, simulated: np.ndarray) -> None:
    """Draw recorded (dots) and simulated (lines) lateral position (time, 4) [mm], one axes for each release."""
    for panel, dots, line in zip(axes, recorded, simulated, strict=True):
        for column, colour in enumerate(COLOURS[:2]):
            panel.plot(time, 1e3 * dots[:, column], ".", ms=2, color=colour, alpha=0.4)
            panel.plot(time, 1e3 * line[:, column], color=colour, lw=1.0)
        panel.set(xlabel="time [s]", ylabel="position [mm]")
