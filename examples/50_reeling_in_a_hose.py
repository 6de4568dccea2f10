"""
Reeling in a hose
=================

A hose lies in an S behind its tow point and is reeled in by seven metres. The published model shortens all links at
once and lags; drawn into a duct, or sliding past its nodes as hose does, it comes in metres further.
"""

import dataclasses

import matplotlib.pyplot as plt

import dovetail as dv
from dovetail.studies import find_test

# %%
# The same hose, drum and command three times.

runs = {}
for name, label in (
    ("reel-in", "all links shrink, printed"),
    ("reel-in-duct", "drawn into a duct"),
    ("reel-in-sliding", "sliding"),
):
    plan = dataclasses.replace(dv.load(find_test(f"refuelling/{name}")), rate=20.0, substeps=50)
    runs[label] = plan.simulate().data
    print(f"{label:<28} drogue at {float(runs[label].displacement[-1, 0]):7.2f} m after 5.5 s")

# %%
# Shapes every second, and how far the drogue has come.

figure, axes = plt.subplots(4, 1, figsize=(7, 8), layout="constrained")
for panel, (label, data) in zip(axes, runs.items(), strict=False):
    for k in range(0, data.sizes["time"], 20):
        nodes = data.hose_position.values[k]
        panel.plot(nodes[0], -nodes[2], lw=1, color=plt.cm.viridis(k / data.sizes["time"]))
    panel.set(title=label, ylabel="height [m]", xlim=(-28, 8), aspect="equal")
    axes[-1].plot(data.time, data.displacement[:, 0], label=label)
axes[-1].set(xlabel="time [s]", ylabel="drogue's x [m]")
axes[-1].legend()
plt.show()
