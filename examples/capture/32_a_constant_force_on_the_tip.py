"""
A constant force on the tip of a rope
=====================================

A force of 14 kN pulls the tip sideways, as a capture device would. The rope becomes straight several times, its
stretch oscillates about the value of Hooke's law, and the tip slowly comes to rest.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.studies.capture.assembly import in_source_axes
from dovetail.studies.capture.reproduce import pulled, static_pull

long = pulled(30, 1e-3, 100.0)
rest = static_pull()
print("at rest: tip", ", ".join(f"{v:.2f}" for v in rest[:3]), f"m, stretch {rest[3]:.4f} m")
print(f"mean stretch from 20 to 100 s: {np.mean(long['stretch'][2000:]):.3f} m")

# %%
# The tip, in the axes of the source (x downstream, y down, z to starboard), and the stretch (figures 4.6 and 4.7).

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
for k, name in enumerate("xyz"):
    left.plot(long["time"], in_source_axes(long["tip"])[:, k], label=name)
    left.axhline(rest[k], color=f"C{k}", lw=0.6, ls=":")
left.set(xlabel="time [s]", ylabel="tip [m]")
left.legend(ncols=3)
right.plot(long["time"][:2500], long["stretch"][:2500])
right.axhline(rest[3], color="0.5", lw=0.8, ls=":")
right.set(xlabel="time [s]", ylabel="stretch [m]")

# %%
# Energy, work of the force and of the dampers, and the residual (figures 4.8 and 4.9). When the rope hangs
# along the force, the two works cancel.

data = dv.load("capture/tip-force").simulate().data
total = data["kinetic_energy"] + data["gravity_energy"] + data["elastic_energy"]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.0), layout="constrained")
left.plot(data.time, (total - total[0]) / 1e6, label="energy gained")
left.plot(data.time, data["external_work"] / 1e6, "--", label="work of the force")
left.plot(data.time, data["damping_work"] / 1e6, label="work of the dampers")
left.set(xlabel="time [s]", ylabel="[MJ]", ylim=(-1.4, 2.0))
figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=3)
right.plot(data.time, data["energy_residual"])
right.set(xlabel="time [s]", ylabel="residual [J]")

# %%
# The same with 10 and 20 rods instead of 30: ten are sufficient for the motion (figure 4.14).

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for n in (10, 20):
    axes.plot(*(lambda r: (r["time"], r["tip"][:, 2]))(pulled(n, 1e-3, 20.0)), lw=1, label=f"{n} rods")
axes.plot(long["time"][:2001], long["tip"][:2001, 2], "k", lw=1, label="30 rods")
axes.set(xlabel="time [s]", ylabel="z of the tip [m]")
axes.legend()
plt.show()
