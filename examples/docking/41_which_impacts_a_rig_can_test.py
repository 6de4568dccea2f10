"""
Impacts that a rig can test
===========================

The error of the rebound speed increases with the delay of the rig, and faster for shorter contacts: light
bodies, stiff materials. Left: six pairs of masses. Middle: three pairs of materials. Right: all of them against
the ratio of delay to contact time, which explains almost all of the error.
"""

import matplotlib.pyplot as plt
import numpy as np

import dovetail as dv
from dovetail.report.style import RC
from dovetail.studies import find_test

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

tests = ("docking/delay-by-mass", "docking/delay-by-material")
maps = [dv.load(find_test(name)).map for name in tests]
tables = [parameter_map.compute() for parameter_map in maps]
for parameter_map, table in zip(maps, tables, strict=True):
    print(parameter_map.summary(table), end="\n\n")

labels = [
    [f"{float(a):g} + {float(b):g} kg" for a, b in zip(maps[0].m1, maps[0].m2, strict=True)],
    ["Al on Al", "polyimide on Al", "polyimide on polyimide"],
]
figure, axes = plt.subplots(1, 3, figsize=(9, 3.8), layout="constrained")
for axis, table, names, colours in zip(axes, tables, labels, ("viridis", "plasma"), strict=False):
    shades = plt.get_cmap(colours)(np.linspace(0.05, 0.85, len(names)))
    for i, (name, shade) in enumerate(zip(names, shades, strict=True)):
        error = table.velocity_error.isel(impact=i)
        axis.plot(1e3 * table.delay, error, color=shade, marker=".", label=name)
        share = table.delay / float(table.ideal_duration.isel(impact=i))
        axes[2].plot(share, error, color=shade, marker=".", lw=1)
    axis.axhline(60, color="#9a9a9a", lw=1)
    axis.set(xlabel="total delay of the actuator [ms]", ylim=(0, 400))
    axis.legend(loc="upper left")
axes[0].set_ylabel("error of the rebound [%]")
axes[1].annotate("accepted: 60 %", (0.6, 64), color="#666666")
axes[2].set(xlabel="delay over contact time", ylim=(0, 400))
plt.show()

# %%
# Actuator requirements for an error below 60 % at the default impact.

from dovetail.studies.docking.design_tool import actuator_requirements  # noqa: E402

print(actuator_requirements(60.0))
