"""
A docking in motion: reference, and on a hardware-in-the-loop rig
=================================================================

The scenario of the previous example as an animation: the probe in its drogue in three dimensions, left the
reference solution, right the sampled test with a robot of 1 ms, both from the same initial state. Below each:
number of impacts and energy. `write_gif` writes a file.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Circle

import dovetail as dv
from dovetail.report.animation import AnimatedScene, Body, animate, box, surface_outline, write_gif
from dovetail.report.style import RC
from dovetail.studies.docking import pictures

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

test = dv.load("docking/six-dof")
runs = {"reference": test.reference(), "robot 1 ms, sensor 0.1 ms": test.rehearse()}
for name, run in runs.items():
    print(f"{name}: {run.outcome.value}")

# %%
# Outlines of the bodies: the drogue is fixed, the probe follows its pose.

specimen = test.rig.specimen
x, r = pictures.wall(specimen.cavity)
drogue = Body(surface_outline(r[1:], x[1:]), "#8b939c", 0.7)
ball = (
    float(specimen.radius) * np.cos(np.linspace(0, np.pi / 2, 5)),
    float(specimen.radius) * np.sin(np.linspace(0, np.pi / 2, 5)),
)
outline = [
    *surface_outline(*ball, sides=8),
    *surface_outline([0.0125, 0.0125], [-0.15, 0.0], sides=6),
    *box((0.02, 0.1, 0.1), (-0.16, 0, 0)),
]

times = np.linspace(0.0, 4.5, 55)  # [s]
scenes = []
for (name, run), colour in zip(runs.items(), (pictures.BLUE, pictures.ORANGE), strict=True):
    R, p = pictures.poses(specimen, pictures.sampled(run.data, times))
    notes = pictures.impact_notes(run.data, times)
    scenes.append(AnimatedScene(name, [drogue, Body(outline, colour, 0.9, R, p)], p, notes))

figure = plt.figure(figsize=(8.6, 4.2))
reach = ((0.0, 0.42), (-0.14, 0.14), (-0.14, 0.14))
film = animate(scenes, times, reach=reach, view=(12, -75), figure=figure, scale=1e3, unit="mm")
with tempfile.TemporaryDirectory() as folder:
    file = write_gif(film, Path(folder) / "docking.gif", fps=12, dpi=60)
    print(f"{file.name}: {file.stat().st_size / 1e3:.0f} kB")
plt.show()

# %%
# Four instants, side by side.

figure = plt.figure(figsize=(9, 5))
moments = (0.45, 1.0, 1.6, 2.2)  # [s]
for row, (run, colour) in enumerate(zip(runs.values(), (pictures.BLUE, pictures.ORANGE), strict=True)):
    for column, t in enumerate(moments):
        axis = figure.add_subplot(2, 4, 4 * row + column + 1)
        way = pictures.poses(specimen, pictures.sampled(run.data, np.linspace(0, t, 200)))[1]
        for side in (-1, 1):
            axis.plot(1e3 * x, 1e3 * side * r, color="#20252b", lw=1.2)
        axis.plot(1e3 * way[:, 0], 1e3 * way[:, 2], color=colour, lw=1)
        axis.add_patch(
            Circle((1e3 * way[-1, 0], 1e3 * way[-1, 2]), 1e3 * float(specimen.radius), fill=False, ec=colour)
        )
        axis.set(aspect="equal", xlim=(-5, 300), ylim=(-140, 140), title=f"{t:g} s")
figure.supxlabel("x [mm]")
figure.supylabel("z [mm]")
plt.show()
