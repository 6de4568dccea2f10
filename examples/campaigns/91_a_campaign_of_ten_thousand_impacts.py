"""
Ten thousand impacts: the admissible actuator delay
===================================================

Delay, both masses, speed and restitution are sampled by a Latin hypercube. The error of the rebound speed
increases with the delay, but one delay has little effect on two heavy bodies and a large effect on two light
ones. The result is therefore the largest delay at which 95 % of the impacts have an error below 10 %.

A second campaign computes Sobol indices of the error. About two thirds of its variance involve the delay, a
quarter the mass of the chaser, and almost nothing the speed or the restitution.

On the command line: ``dovetail campaign docking/impact-space`` and ``dovetail campaign
docking/impact-sensitivity``.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from dovetail import campaign
from dovetail.campaign.analysis_results import rows
from dovetail.report.style import COLOURS, RC
from dovetail.studies.registry import find_campaign

plt.rcParams.update({**RC, "figure.facecolor": "white", "savefig.facecolor": "white"})

with tempfile.TemporaryDirectory() as folder:
    plans = {
        name: campaign.load(find_campaign(f"docking/{name}"))
        for name in ("impact-space", "impact-sensitivity")
    }
    for name, plan in plans.items():
        print(campaign.run(plan, Path(folder) / name))
    space, sensitivity = (rows(campaign.open_results(Path(folder) / name, flat=True)) for name in plans)

# %%
# All impacts, quantiles of the error in intervals of the delay, and the delay at which the upper quantile
# reaches 10 %.

largest = campaign.largest_admissible(space, "actuator_delay", "velocity_error", 10.0, 0.95)
print(f"largest delay: {1e3 * largest:.3f} ms")
delay, error = 1e3 * space["actuator_delay"], space["velocity_error"]
edges = np.quantile(delay, np.linspace(0, 1, 21))
part = np.clip(np.searchsorted(edges, delay, side="right") - 1, 0, 19)
middle = [delay[part == i].mean() for i in range(20)]
quantile = {q: [np.quantile(error[part == i], q) for i in range(20)] for q in (0.05, 0.5, 0.95)}

figure, left = plt.subplots(figsize=(7, 3.9), layout="constrained")
left.loglog(delay, error, ",", color=COLOURS["ink"], alpha=0.35)
for q, values in quantile.items():
    left.loglog(middle, values, color=COLOURS["measured"], lw=2 if q == 0.5 else 1.2)
    left.text(1.5, values[-1], f"{100 * q:g} %", va="center", color=COLOURS["measured"])
left.axhline(10, color=COLOURS["demand"], lw=1, ls="--")
left.plot([1e3 * largest] * 2, [1.5, 10], color=COLOURS["demand"], lw=1, ls="--")
left.annotate(
    f"{1e3 * largest:.2f} ms",
    (1e3 * largest, 1.6),
    xytext=(6, 0),
    textcoords="offset points",
    color=COLOURS["demand"],
)
left.set(xlabel="total delay of the actuator [ms]", ylabel="error of the rebound speed [%]")
left.set(xlim=(0.048, 2.2), ylim=(1.5, 200))
left.set_xticks([0.05, 0.1, 0.2, 0.5, 1], ["0.05", "0.1", "0.2", "0.5", "1"])
left.set_yticks([2, 5, 10, 20, 50, 100], ["2", "5", "10", "20", "50", "100"])
left.minorticks_off()

# %%
# First-order and total Sobol indices with 95 % confidence intervals.

words = {
    "actuator_delay": "delay",
    "m1": "mass 1",
    "m2": "mass 2",
    "speed": "speed",
    "restitution": "restitution",
}
indices = campaign.sobol(plans["impact-sensitivity"], sensitivity["velocity_error"])[::-1]
places = np.arange(len(indices))
figure, right = plt.subplots(figsize=(6, 3.2), layout="constrained")
for shift, key, colour, label in (
    (0.18, "total", "demand", "all it takes part in"),
    (-0.18, "first", "measured", "alone"),
):
    shares = np.array([getattr(row, key) for row in indices])
    ends = np.abs(np.array([getattr(row, f"{key}_interval") for row in indices]).T - shares)
    right.barh(places + shift, shares, 0.34, color=COLOURS[colour], label=label)
    right.errorbar(shares, places + shift, xerr=ends, fmt="none", ecolor=COLOURS["ink"], lw=1)
right.set_yticks(places, [words[row.name] for row in indices])
right.set(xlabel="share of the variance of the error", xlim=(0, 0.9))
right.legend(loc="lower right")
plt.show()
