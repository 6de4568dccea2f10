"""
Selection of the rope for the capture
=====================================

The rope must be strong enough to tow the stage, hang below the wake, settle quickly, and be light. First the
published selection from a catalogue; then the Pareto front of all diameters and lengths between.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.air import RampCommand
from dovetail.studies.capture import specification
from dovetail.studies.capture.assembly import capture_system, rope
from dovetail.studies.capture.reproduce_capture import commanded
from dovetail.studies.capture.reproduce_capture import fleet as fleet_of

# %%
# The load: the aircraft accelerates with 80 t on the rope (figure 4.17 of the source). The steady load is 125
# kN; the source requires four times this load. Against the peak load the 24 mm rope has a factor of 2.4.

tow = dv.load("capture/tow").simulate()
figure, axes = plt.subplots(figsize=(7, 2.6), layout="constrained")
axes.plot(tow.data.time, tow.data["stretch_tension"] / 1e3)
axes.axhline(125, color="0.6", lw=0.8, ls=":")
axes.set(xlabel="time [s]", ylabel="tension [kN]")
print(f"largest tension {float(tow.data['stretch_tension'].max()) / 1e3:.0f} kN")

# %%
# Seven ropes settle behind the aircraft with the capture device (figures 4.18, 4.19 and 4.20).

run = dv.load("capture/select").simulate()
fleet = run.test.numerical
for name, text in fleet.measures(run.data).items():
    print(f"{name:<20} {text}")
figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
axes.plot(run.data.time, -run.data["displacement"].sel(axis="z").values, lw=1.2, label=fleet.lines)
axes.axhspan(0, 50, color="0.93")
axes.set(xlabel="time [s]", ylabel="depth [m]", xlim=(0, 80), ylim=(250, 0))
axes.legend(ncols=2)

# %%
# Three lengths under a pitch ramp from 50 s and a yaw ramp from 70 s (figures 4.16, 4.20 and 4.21): a longer
# rope responds more and more slowly.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for length, tip in commanded().items():
    t = np.arange(len(tip)) * 1e-2
    left.plot(t, -tip[:, 2], lw=1, label=f"{length:g} m")
    right.plot(t, -tip[:, 1], lw=1)
left.set(xlabel="time [s]", ylabel="depth [m]")
right.set(xlabel="time [s]", ylabel="to starboard [m]", xlim=(60, 120))
left.invert_yaxis()
left.legend()

# %%
# Number of rods (figure 4.22): five are sufficient for the motion; twenty and thirty give equal curves.

ramp = RampCommand(angle=[0.1, 0.0], start=50.0, ramp=10.0)
figure, axes = plt.subplots(figsize=(7, 2.8), layout="constrained")
for n in (5, 20, 30):
    (tip,) = fleet_of([capture_system(rope(length=300.0, n=n), command=ramp)], duration=90.0, h=5e-3)
    axes.plot(np.arange(len(tip)) * 5e-3, -tip[:, 2], lw=1, label=f"{n} rods")
axes.set(xlabel="time [s]", ylabel="depth [m]")
axes.invert_yaxis()
axes.legend()

# %%
# Between the entries of the catalogue: candidates that no other dominates in mass, settling time, strength and
# depth, computed in batches on two threads. All are strong enough and hang below the wake.

points, aims = specification.optimise(batch=32, rounds=3, links=6, duration=60.0, workers=2)
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
dots = axes.scatter(aims[:, 0], -aims[:, 3], c=aims[:, 1], cmap="viridis")
axes.plot(98.7, 65.3, "k+", ms=12)
axes.annotate(
    "the source's choice: 24 mm, 300 m",
    (98.7, 65.3),
    (10, 120),
    textcoords="offset points",
    arrowprops={"arrowstyle": "-"},
)
axes.set(xlabel="mass of the rope [kg]", ylabel="settled depth [m]")
figure.colorbar(dots, label="settling time [s]")
lightest = f"{points[0, 0] * 1e3:.1f} mm, {points[0, 1]:.0f} m, {aims[0, 0]:.0f} kg"
print(f"{len(points)} ropes on the front; the lightest: {lightest}")
plt.show()
