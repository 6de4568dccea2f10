"""
All compensators on the RTHS benchmark problem
==============================================

The benchmark problem of real-time hybrid simulation is a three-storey frame whose first storey contains a
specimen on a servo-hydraulic actuator. Its delay is 25 ms; the critical delay is 9 to 15 ms. There are nine
criteria; J2 is the tracking error of the rig, J4 the error of the whole test. They are computed on the nominal
plant, on which every compensator was tuned, and on perturbed plants.

Dots: nominal plant. Lines: range over the perturbed plants. Magenta: unstable on one of them. The noise of the
displacement sensor is 1 % here: two compensators reach this level, and one of them on every plant. This page
runs the least damped of the four cases on four perturbed plants; ``rths.table()`` runs all of them.
"""

import matplotlib.pyplot as plt
import numpy as np

from dovetail.report.style import COLOURS, RC
from dovetail.studies.substructuring import rths
from dovetail.studies.substructuring.rths_compensators import COMPENSATORS

plt.rcParams.update(
    {**RC, "figure.facecolor": "white", "savefig.facecolor": "white", "text.parse_math": True}
)

names = [
    "none",
    "phase advance",
    "forward prediction",
    "adaptive forward prediction",
    "Smith predictor",
    "second-order inverse",
    "inverse model, prediction",
    "adaptive time series",
]
data = rths.table(names, cases=(4,), perturbed_count=4, duration=10.0).isel(case=0)

# %%

figure, axes = plt.subplots(
    1, 3, figsize=(9, 4.2), sharey=True, width_ratios=(1, 1, 0.7), layout="constrained"
)
rows = np.arange(len(names))[::-1]
held = data["stable"].all("plant").values
colours = np.where(held, COLOURS["demand"], COLOURS["critical"])
for axis, criterion in zip(axes, ("J2", "J4"), strict=False):
    values = abs(data["criteria"]).sel(criterion=criterion).values  # (compensator, plant)
    axis.hlines(rows, values.min(axis=1), values.max(axis=1), color=colours, lw=3)
    axis.scatter(values[:, 0], rows, color=colours, s=45, zorder=3)
    axis.axvline(3.0, color=COLOURS["ink"], lw=0.8, ls=":")
    axis.set(xscale="log", xlim=(0.5, 2000), yticks=rows, yticklabels=names)
    axis.grid(axis="x", lw=0.4)
axes[0].set(xlabel="tracking error J2 [%]")
axes[0].text(3.3, rows[0] + 0.3, "3 %")
axes[1].set(xlabel="error of the test J4 [%]")
axes[2].barh(rows, 1e6 * data["roughness"].max("plant"), height=0.5, color=COLOURS["faint"])
axes[2].set(xscale="log", xlabel="noise in the command\n[µm]", xlim=(0.1, 3000), xticks=(0.1, 10, 1000))
plt.show()

# %%
# Requirements and drawback of each:

for name in names:
    entry = COMPENSATORS[name]
    print(f"{name}\n    requires {entry.requirements}\n    drawback: {entry.drawback}")
